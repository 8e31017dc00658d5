/** `quartz-ts/testing` for `import`: one copy of the code, whichever way it is loaded. */
export {
  createTestScheduler,
  ManualClock,
} from './testing.js';
