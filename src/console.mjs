/** `quartz-ts/console` for `import`: one copy of the code, whichever way it is loaded. */
export {
  createConsole,
  Problem,
} from './console.js';
