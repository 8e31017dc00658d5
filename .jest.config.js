/** Tests run from TypeScript by SWC (no type check: `npm run types` does that); time zone and locale are fixed. */
process.env.TZ = 'UTC';
module.exports = {
  rootDir: __dirname,
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testEnvironment: 'node',
  // 'src/index' is index.ts, not the index.mjs beside it.
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json', 'node'],
  testTimeout: 20_000,
  globalSetup: '<rootDir>/test/support/database/global-setup.js',
  globalTeardown: '<rootDir>/test/support/database/global-teardown.js',
  // Looked up in Jest's sandbox, they cost ten times as much as the arithmetic around them.
  sandboxInjectedGlobals: ['Math', 'Date', 'Number'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } },
    ],
  },
  reporters: ['default', '<rootDir>/test/support/closing-line-reporter.js'],
};
