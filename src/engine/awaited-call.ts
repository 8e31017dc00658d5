import { AsyncLocalStorage } from 'node:async_hooks';

/*
 * A run waits while its listeners are called. A listener that pauses or deletes something must not wait for that run to
 * begin: both would block until the listener timeout.
 */

const awaited = new AsyncLocalStorage<{ isAwaited: boolean }>();

/** Calls code of the application for which a run waits before its job begins. */
export async function awaitedCall<T>(work: () => Promise<T>): Promise<T> {
  const call = { isAwaited: true };
  try {
    return await awaited.run(call, work);
  } finally {
    call.isAwaited = false; // work it left behind may wait for runs
  }
}

/** True if the caller was called by `awaitedCall` and a run still waits for it. */
export function isAwaitedCall(): boolean {
  return awaited.getStore()?.isAwaited ?? false;
}
