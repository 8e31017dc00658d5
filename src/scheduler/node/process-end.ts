import { url } from 'node:inspector';
import type { Clock } from '../../base/clock';
import { sleepFor } from '../../base/sleep';
import type { NodeHooks } from '../../cluster/node-hooks';

export interface ProcessEnd {
  readonly clock: Clock;
  /** Somebody debugs the process, and wants it to stand still. */
  readonly isDebugged: () => boolean;
  /** Default: ends this process as `kill -9` does, from any of its threads. */
  readonly end?: () => void;
}

/** For the log to be written, if the main thread can still do that. */
const FLUSH_TIMEOUT_MS = 500;

const NEVER = new AbortController().signal;

/** Whether a debugger is attached to this process. To be called in the main thread. */
export function isDebugged(): boolean {
  return url() !== undefined;
}

/**
 * The hooks of a node that ends its process rather than go on without its lease: whatever watches the process starts a new one, and
 * what it ran cannot disturb anybody any more.
 */
export function endingHooks(hooks: NodeHooks, { clock, isDebugged: isPaused, end = kill }: ProcessEnd): NodeHooks {
  return {
    ...hooks,
    leaseLost(reason) {
      hooks.leaseLost(reason);
      if (!isPaused()) void sleepFor(clock, FLUSH_TIMEOUT_MS, NEVER).then(end);
    },
  };
}

function kill(): void {
  process.kill(process.pid, 'SIGKILL');
}
