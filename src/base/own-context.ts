import { AsyncLocalStorage } from 'node:async_hooks';

/** Calls `work` in the asynchronous context in which this module was loaded, so that it sees no values of the caller's AsyncLocalStorage. */
export const inOwnContext: <Args extends readonly unknown[], Result>(
  work: (...args: Args) => Result,
  ...args: Args
) => Result = AsyncLocalStorage.snapshot();
