import type { Start } from '../../cluster/support/history';
import { endOf, type Facts } from './facts';

/*
 * What a process may still do that stood still for so long that others have taken over what it held.
 */

/** How long a job may go on when its process runs again after SIGCONT, until the signal that aborts it has reached it. Milliseconds. */
const ABORT_DELAY = 400;
/** The same where others use the processors. */
const BUSY_ABORT_DELAY = 1_600;
/** Until a process that got SIGCONT writes its first line, on a machine whose processors others use. Milliseconds. */
const MAX_WAKING = 2_000;

type Stop = Facts['stops'][number];

/** When the signal that aborts them has reached the jobs of a stopped process, which lost them at `since`, or while it stood still. */
export function abortedBy(facts: Facts, stop: Stop, since = stop.to): number {
  return Math.max(awakeAfter(facts, stop), since) + (facts.isBusy ? BUSY_ABORT_DELAY : ABORT_DELAY);
}

/** When the process ran again: it writes down whatever happens to it, an aborted job before anything else. */
export function awakeAfter({ history }: Facts, { node, to }: Stop): number {
  const awake = history.filter((line) => line.node === node && line.mono > to).map(({ mono }) => mono);
  return Math.min(to + MAX_WAKING, ...awake);
}

/** Begun by a process that had just been let go on, ended as soon as that could be told, and stored by nobody: others have taken it over. */
export function isLeftover(facts: Facts, run: Start): boolean {
  const { id, node, mono } = run;
  if (facts.done.has(id) && !facts.refused.has(id)) return false;
  const end = endOf(facts, run);
  return facts.stops.some((stop) => stop.node === node && mono >= stop.to && end <= abortedBy(facts, stop));
}
