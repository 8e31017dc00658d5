import type { Start } from '../../cluster/support/history';
import { endOf, type Facts } from './facts';

/*
 * Allowed behaviour of a process that was stopped for so long that other nodes have recovered it.
 */

/** Maximum time after SIGCONT until a job is aborted. Milliseconds. */
const ABORT_DELAY = 400;
/** The same maximum if other programs use the processors. */
const BUSY_ABORT_DELAY = 1_600;
/** Maximum time after SIGCONT until a process writes its first line, on a busy machine. Milliseconds. */
const MAX_WAKING = 2_000;

type Stop = Facts['stops'][number];

/** Latest time at which the jobs of a stopped process are aborted. The process lost them at `since`, or during its stop. */
export function abortedBy(facts: Facts, stop: Stop, since = stop.to): number {
  return Math.max(awakeAfter(facts, stop), since) + (facts.isBusy ? BUSY_ABORT_DELAY : ABORT_DELAY);
}

/** Time at which the process ran again: its first line after SIGCONT, which is usually an aborted job. */
export function awakeAfter({ history }: Facts, { node, to }: Stop): number {
  const awake = history.filter((line) => line.node === node && line.mono > to).map(({ mono }) => mono);
  return Math.min(to + MAX_WAKING, ...awake);
}

/** Returns true for a run that a process began right after SIGCONT, ended at its abort and did not store, because other nodes have recovered it. */
export function isLeftover(facts: Facts, run: Start): boolean {
  const { id, node, mono } = run;
  if (facts.done.has(id) && !facts.refused.has(id)) return false;
  const end = endOf(facts, run);
  return facts.stops.some((stop) => stop.node === node && mono >= stop.to && end <= abortedBy(facts, stop));
}
