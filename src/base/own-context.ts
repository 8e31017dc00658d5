import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Calls `work` in the asynchronous context in which this module was loaded. Callers of quartz-ts may store values in an AsyncLocalStorage, such as
 * a request or a span. `work` does not see these values.
 */
export const inOwnContext: <Args extends readonly unknown[], Result>(
  work: (...args: Args) => Result,
  ...args: Args
) => Result = AsyncLocalStorage.snapshot();
