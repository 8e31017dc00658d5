const { availableParallelism } = require('node:os');

/** Tests run from TypeScript by SWC (no type check: `npm run types` does that); time zone and locale are fixed. */
process.env.TZ = 'UTC';

const project = {
  rootDir: __dirname,
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testEnvironment: 'node',
  runtime: '<rootDir>/test/support/cached-runtime.js',
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json', 'node'],
  // The demo imports the package by its name.
  moduleNameMapper: { '^quartz-ts$': '<rootDir>/src/index' },
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
};

module.exports = {
  projects: [
    {
      ...project,
      testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/cluster/[^/]+$', '<rootDir>/test/browser/'],
    },
    // What people do in the console's page, in a browser that is fetched where there is none.
    {
      ...project,
      testMatch: ['<rootDir>/test/browser/*.test.ts'],
      globalSetup: '<rootDir>/test/support/browser/global-setup.js',
    },
    // Whole clusters that must keep up with the clock: when everything else is done.
    {
      ...project,
      testMatch: ['<rootDir>/test/cluster/*.test.ts'],
      runner: '<rootDir>/test/support/cluster-runner.js',
    },
  ],
  // Many tests wait for a database or for the clock: four at once on the smallest machine.
  maxWorkers: Math.max(4, availableParallelism() - 1),
  // Modules of finished files stay in a worker's memory, and the garbage collector walks them all.
  workerIdleMemoryLimit: '1GB',
  testSequencer: '<rootDir>/test/support/longest-first-sequencer.js',
  testTimeout: 60_000,
  reporters: ['default', '<rootDir>/test/support/closing-line-reporter.js'],
};
