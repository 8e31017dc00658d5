/** ESM entry point of `quartz-ts/testing`. Re-exports the CommonJS build, so that `import` and `require` share one copy of the code. */
export {
  createTestScheduler,
  ManualClock,
} from './testing.js';
