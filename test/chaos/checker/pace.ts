import type { Noted } from '../../cluster/support/history';
import { describeStart, EARLY_TOLERANCE, endOf, type Facts, grouped } from './facts';
import { isOf, type PolicyFacts, type PolicyStart, placeOf, type ScheduledKind } from './policy-facts';

/*
 * Checks of start times: runs do not begin early, and not more often than a rate or a limit allows.
 */

/** Maximum time from firing until the job writes, on a busy node. Milliseconds. */
const FROM_FIRING = 300;

export function judgePace(given: PolicyFacts, facts: Facts): Readonly<Record<string, readonly string[]>> {
  const of = (rule: (kind: ScheduledKind, starts: readonly PolicyStart[]) => readonly string[]) =>
    given.kinds.flatMap((kind) => rule(kind, (facts.starts as readonly PolicyStart[]).filter(isOf(kind))));
  return {
    startedEarly: of((_, starts) => startedEarly(starts, facts)),
    retriedEarly: of((kind, starts) => retriedEarly(kind, starts, given)),
    takenEarly: of((kind, starts) => takenEarly(kind, starts, given)),
    startedLate: of((kind, starts) => startedLate(kind, starts, facts)),
    lateUntold: of((_, starts) => lateUntold(starts, given, facts)),
    rateExceeded: of((kind, starts) => rateExceeded(kind, starts, facts)),
    tooManyOnNode: of((kind, starts) => tooManyOnNode(kind, starts, facts)),
  };
}

const isFirst = ({ nth, recovers }: PolicyStart) => nth === 1 && recovers === null;

/** Runs that began before their fire time, or before the time that jitter gave them. */
function startedEarly(starts: readonly PolicyStart[], { events }: Facts): readonly string[] {
  const moments = new Map(
    (events as readonly (Noted & { readonly job?: string; readonly time?: number; readonly until?: number | null })[])
      .filter(({ type, reason }) => type === 'firingDeferred' && reason === 'jitter')
      .map(({ job, time, until }) => [`${job} ${time}`, until ?? 0]),
  );
  return starts
    .filter((start) => {
      const moment = isFirst(start) ? (moments.get(`${start.job} ${start.time}`) ?? 0) : 0;
      return start.wall < Math.max(start.time, moment) - EARLY_TOLERANCE;
    })
    .map(describeStart);
}

/** Retries that began before their delay had passed. */
function retriedEarly({ retryDelay }: ScheduledKind, starts: readonly PolicyStart[], { ended }: PolicyFacts) {
  if (retryDelay === undefined) return [];
  const nameOf = (job: string, time: number, attempt: number) => `${job} ${time} ${attempt}`;
  const failed = ended.filter(({ outcome }) => outcome !== 'lost');
  const ends = new Map(failed.map((run) => [nameOf(run.job, run.time, run.attempt), run.ended]));
  return starts
    .filter(({ job, time, nth, wall }) => {
      const before = ends.get(nameOf(job, time, nth - 1));
      return before !== undefined && wall < before + retryDelay - EARLY_TOLERANCE;
    })
    .map(describeStart);
}

/** Runs that a node without the preferred label began before `fallbackAfter`. */
function takenEarly({ prefers }: ScheduledKind, starts: readonly PolicyStart[], { places }: PolicyFacts) {
  if (prefers === undefined) return [];
  return starts
    .filter(isFirst)
    .filter((start) => !placeOf(start, places).labels.includes(prefers.label))
    .filter(({ wall, time }) => wall < time + prefers.fallbackAfter - EARLY_TOLERANCE)
    .map(describeStart);
}

/** Runs that began after `startWithin` although their process was not stopped. */
function startedLate({ startWithin }: ScheduledKind, starts: readonly PolicyStart[], facts: Facts) {
  if (startWithin === undefined) return [];
  return starts
    .filter(isFirst)
    .filter(({ wall, time }) => wall > time + startWithin + FROM_FIRING)
    .filter((start) => !isHeldUp(start, facts))
    .map(describeStart);
}

/** Late runs of their own trigger that were not reported as late, and runs that were wrongly reported as late. */
function lateUntold(starts: readonly PolicyStart[], { lateAfter }: PolicyFacts, { events, killed }: Facts) {
  const told = new Set(events.filter(({ type }) => type === 'firingLate').map(({ id }) => id));
  const hasTold = ({ node, mono }: PolicyStart) => (killed.get(node) ?? Number.POSITIVE_INFINITY) > mono + FROM_FIRING;
  return starts
    .filter(({ trigger, job }) => trigger === job)
    .filter((start) => {
      const lateBy = start.wall - start.time;
      if (told.has(start.id)) return lateBy <= lateAfter;
      return lateBy > lateAfter + FROM_FIRING && hasTold(start);
    })
    .map(describeStart);
}

/** Returns true for a run that was fired before its process was stopped, and began when the process continued. */
function isHeldUp({ node, mono }: PolicyStart, { stops }: Facts): boolean {
  return stops.some((stop) => stop.node === node && mono >= stop.from && mono <= stop.to + FROM_FIRING);
}

/** Runs that exceeded their rate. */
function rateExceeded({ rate }: ScheduledKind, starts: readonly PolicyStart[], facts: Facts): readonly string[] {
  if (rate === undefined) return [];
  const counted = starts.filter((start) => !isHeldUp(start, facts));
  return counted.flatMap((start, index) => {
    const before = counted[index - rate.limit];
    const isTooSoon = before !== undefined && start.mono - before.mono < rate.per - FROM_FIRING;
    return isTooSoon ? [`${describeStart(start)}, ${Math.round(start.mono - before.mono)} ms after`] : [];
  });
}

/** Runs that exceeded the limit of their node. */
function tooManyOnNode({ limitOnNode }: ScheduledKind, starts: readonly PolicyStart[], facts: Facts) {
  if (limitOnNode === undefined) return [];
  return [...grouped(starts, ({ node }) => node).values()].flatMap((own) =>
    own.flatMap((start, index) => {
      const executing = own.slice(0, index).filter((earlier) => endOf(facts, earlier) > start.mono);
      return executing.length < limitOnNode ? [] : [`${describeStart(start)} beside ${executing.length}`];
    }),
  );
}
