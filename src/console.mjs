/** ESM entry point of `quartz-ts/console`. Re-exports the CommonJS build, so that `import` and `require` share one copy of the code. */
export {
  createConsole,
  hashPassword,
  hashToken,
  newToken,
  Problem,
} from './console.js';
