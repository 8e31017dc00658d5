import type { Clock } from '../../../base/clock';
import { sleepFor } from '../../../base/sleep';

/** Time without a caller after which a connection is closed. */
export interface IdleLimit {
  readonly clock: Clock;
  readonly ms: number;
}

interface Idle {
  readonly usable: boolean;
  close(): Promise<void>;
}

/**
 * Closes a connection in order when it has been idle for the limit, before the server drops it. A dropped connection counts as aborted at the server,
 * which operators watch. Resolves when the connection is closed, unusable, or `signal` aborts. `idleMs` returns 0 while a caller uses the connection.
 */
export async function closeWhenIdle(
  connection: Idle,
  { clock, ms }: IdleLimit,
  { idleMs, signal }: { readonly idleMs: () => number; readonly signal: AbortSignal },
): Promise<void> {
  while (connection.usable && !signal.aborted) {
    const idle = idleMs();
    if (idle >= ms) return connection.close();
    await sleepFor(clock, ms - idle, signal);
  }
}
