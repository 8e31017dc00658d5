/** `quartz-ts/console` for `import`: one copy of the code, whichever way it is loaded. */
export {
  createConsole,
  hashPassword,
  hashToken,
  newToken,
  Problem,
} from './console.js';
