import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Calls `work` in the asynchronous context in which this module was loaded. Values that callers of quartz-ts store in an AsyncLocalStorage, such as
 * a request or a span, are not visible to it.
 */
export const inOwnContext: <Args extends readonly unknown[], Result>(
  work: (...args: Args) => Result,
  ...args: Args
) => Result = AsyncLocalStorage.snapshot();
