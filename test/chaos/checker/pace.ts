import type { Noted } from '../../cluster/support/history';
import { describeStart, EARLY_TOLERANCE, endOf, type Facts, grouped } from './facts';
import { isOf, type PolicyFacts, type PolicyStart, placeOf, type ScheduledKind } from './policy-facts';

/*
 * When runs begin: not before their time, a pause, or their turn, and not more often than may be.
 */

/** What a busy node may need from firing until its job writes. Milliseconds. */
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

/** Before its time, or before the moment to which it was put off. */
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

/** Before the pause after the attempt that failed. */
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

/** By a node without the label that is preferred, before the patience was over. */
function takenEarly({ prefers }: ScheduledKind, starts: readonly PolicyStart[], { places }: PolicyFacts) {
  if (prefers === undefined) return [];
  return starts
    .filter(isFirst)
    .filter((start) => !placeOf(start, places).labels.includes(prefers.label))
    .filter(({ wall, time }) => wall < time + prefers.fallbackAfter - EARLY_TOLERANCE)
    .map(describeStart);
}

/** Later than it may begin, although its process did not stand still. */
function startedLate({ startWithin }: ScheduledKind, starts: readonly PolicyStart[], facts: Facts) {
  if (startWithin === undefined) return [];
  return starts
    .filter(isFirst)
    .filter(({ wall, time }) => wall > time + startWithin + FROM_FIRING)
    .filter((start) => !isHeldUp(start, facts))
    .map(describeStart);
}

/** What began late by its own trigger, and its node did not say so, or said so of what did not. */
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

/** What was fired before its process was stopped, and began when it went on. */
function isHeldUp({ node, mono }: PolicyStart, { stops }: Facts): boolean {
  return stops.some((stop) => stop.node === node && mono >= stop.from && mono <= stop.to + FROM_FIRING);
}

/** Runs that began within the span although as many as the limit had begun in it. */
function rateExceeded({ rate }: ScheduledKind, starts: readonly PolicyStart[], facts: Facts): readonly string[] {
  if (rate === undefined) return [];
  const counted = starts.filter((start) => !isHeldUp(start, facts));
  return counted.flatMap((start, index) => {
    const before = counted[index - rate.limit];
    const isTooSoon = before !== undefined && start.mono - before.mono < rate.per - FROM_FIRING;
    return isTooSoon ? [`${describeStart(start)}, ${Math.round(start.mono - before.mono)} ms after`] : [];
  });
}

/** Runs that began on a node where as many executed as may. */
function tooManyOnNode({ limitOnNode }: ScheduledKind, starts: readonly PolicyStart[], facts: Facts) {
  if (limitOnNode === undefined) return [];
  return [...grouped(starts, ({ node }) => node).values()].flatMap((own) =>
    own.flatMap((start, index) => {
      const executing = own.slice(0, index).filter((earlier) => endOf(facts, earlier) > start.mono);
      return executing.length < limitOnNode ? [] : [`${describeStart(start)} beside ${executing.length}`];
    }),
  );
}
