import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Runs work in the asynchronous context in which this module was loaded, so that it does not see what callers of the library put into an
 * AsyncLocalStorage (a request, a span) around the call that started it.
 */
export const inOwnContext: <Args extends readonly unknown[], Result>(
  work: (...args: Args) => Result,
  ...args: Args
) => Result = AsyncLocalStorage.snapshot();
