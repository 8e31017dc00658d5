import type { NativeCalls } from '../../base/native-calls';

/** Maximum time that an exiting process waits for a native call of a thread, in milliseconds. Most calls take less than one. */
const MAX_WAIT_MS = 10_000;

const open = new Set<NativeCalls>();

/** Node ends all threads after this event. One listener serves all threads. */
function holdNativeCalls(): void {
  for (const calls of open) calls.refuse();
  for (const calls of open) calls.wait(MAX_WAIT_MS);
}

/** Keeps `process.exit` from ending a thread within one of these calls. Returns a function to call when the thread has ended. */
export function endBetweenCalls(calls: NativeCalls): () => void {
  if (open.size === 0) process.on('exit', holdNativeCalls);
  open.add(calls);
  return () => {
    if (open.delete(calls) && open.size === 0) process.removeListener('exit', holdNativeCalls);
  };
}
