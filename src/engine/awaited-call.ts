import { AsyncLocalStorage } from 'node:async_hooks';

/*
 * A job begins only after the listeners of its run have returned. Pausing or deleting a job or trigger normally waits until running jobs have begun.
 * If a listener's call waited for the run that awaits the listener, both would be blocked until the listener timeout.
 */

const awaited = new AsyncLocalStorage<{ isAwaited: boolean }>();

/** Calls application code that a run awaits before its job begins. Rejects with the error of `work`. */
export async function awaitedCall<T>(work: () => Promise<T>): Promise<T> {
  const call = { isAwaited: true };
  try {
    return await awaited.run(call, work);
  } finally {
    call.isAwaited = false; // code that still runs after the call may wait for runs
  }
}

/** True if the current code was called by `awaitedCall` and that call has not ended. */
export function isAwaitedCall(): boolean {
  return awaited.getStore()?.isAwaited ?? false;
}
