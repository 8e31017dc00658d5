import type { Clock } from '../../base/clock';
import { sleepFor } from '../../base/sleep';
import type { NodeHooks } from '../../cluster/node-hooks';

export interface ProcessEnd {
  readonly clock: Clock;
  /** Somebody debugs the process: it stands still because he wants it to. */
  readonly isDebugged: () => boolean;
  /** Ends the process at once. */
  readonly end: () => void;
}

/** Milliseconds for the log to be written, if the main thread can still do that. */
const LAST_WORDS = 500;

const NEVER = new AbortController().signal;

/** Ends this process as `kill -9` does, from any of its threads. */
export function endProcess(): void {
  process.kill(process.pid, 'SIGKILL');
}

/**
 * The hooks of a node that would rather die than go on without its lease: whoever watches the process starts a new one, and
 * what it ran cannot disturb anybody any more.
 */
export function endingHooks(hooks: NodeHooks, { clock, isDebugged, end }: ProcessEnd): NodeHooks {
  return {
    publish: (event) => hooks.publish(event),
    firingAllowed: (isAllowed) => hooks.firingAllowed(isAllowed),
    scheduleChanged: (earliest) => hooks.scheduleChanged(earliest),
    storeAvailable: () => hooks.storeAvailable(),
    receive: (signal) => hooks.receive(signal),
    leaseLost(reason) {
      hooks.leaseLost(reason);
      if (!isDebugged()) void sleepFor(clock, LAST_WORDS, NEVER).then(end);
    },
  };
}
