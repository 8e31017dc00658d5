import { AsyncLocalStorage } from 'node:async_hooks';

/*
 * Listeners are called while a run waits for their answers. One that pauses or deletes something must not wait in its turn for that run to
 * begin: neither would go on before the listener timeout.
 */

const awaited = new AsyncLocalStorage<{ isAwaited: boolean }>();

/** Calls code of the program for which a run waits before its job begins. */
export async function awaitedCall<T>(work: () => Promise<T>): Promise<T> {
  const call = { isAwaited: true };
  try {
    return await awaited.run(call, work);
  } finally {
    call.isAwaited = false; // what it has left behind may wait for runs
  }
}

/** Whether the caller was called by `awaitedCall`, and a run still waits for it. */
export function isAwaitedCall(): boolean {
  return awaited.getStore()?.isAwaited ?? false;
}
