import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Runs work in the asynchronous context in which this module was loaded. The work does not see values that callers of
 * the library store in an AsyncLocalStorage (such as a request or a span).
 */
export const inOwnContext: <Args extends readonly unknown[], Result>(
  work: (...args: Args) => Result,
  ...args: Args
) => Result = AsyncLocalStorage.snapshot();
