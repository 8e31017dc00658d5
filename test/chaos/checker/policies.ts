import type { Noted, Start } from '../../cluster/support/history';
import { describeStart, type Facts, factsOf, grouped, type Run } from './facts';
import { judgeOverlaps } from './overlaps';
import { judgePace } from './pace';
import {
  type EndedRun,
  isOf,
  type JudgedKind,
  namesOf,
  type PolicyFacts,
  type PolicyStart,
  placeOf,
  type ScheduledKind,
} from './policy-facts';
import { judgeEvents, judgeRegistration } from './protocol';

/*
 * Checks of jobs with policies, by the lines of the jobs and the recorded outcomes of their runs.
 */

export interface PolicyVerdict {
  readonly counts: Readonly<Record<string, number>>;
  readonly violations: Readonly<Record<string, readonly string[]>>;
}

export function judgePolicies(given: PolicyFacts): PolicyVerdict {
  const facts = factsOf({ ...given.run, expected: expectedOf(given.kinds) });
  const starts = facts.starts as readonly PolicyStart[];
  const { statesRepaired, crashes } = judgeEvents(facts);
  const { overlaps, afterStop } = judgeOverlaps(facts);
  return {
    counts: {
      expected: given.kinds.reduce((sum, { jobs, times }) => sum + jobs * times.length, 0),
      started: starts.length,
      lost: given.ended.filter(({ outcome }) => outcome === 'lost').length,
      timedOut: given.ended.filter(({ outcome }) => outcome === 'timedOut').length,
      skipped: given.ended.filter(({ outcome }) => outcome === 'skipped').length,
      overlapsAfterStop: afterStop,
    },
    violations: {
      endedOtherwise: given.kinds.flatMap((kind) => endedOtherwise(kind, given.ended)),
      misplaced: misplaced(given, starts),
      foundOldData: given.kinds.flatMap((kind) => foundOther(kind, starts)),
      countsLost: given.kinds.flatMap((kind) => countsLost(kind, given)),
      overlapping: overlaps,
      notAround: notAround(facts),
      notToldOnce: given.kinds.flatMap((kind) => notToldOnce(kind, facts)),
      ...judgePace(given, facts),
      ...judgeRegistration(facts),
      statesRepaired,
      crashes,
    },
  };
}

/** Expected triggers for the checks that every scenario has: exclusive jobs and shared limits. */
function expectedOf(kinds: readonly ScheduledKind[]): Run['expected'] {
  const common = { triggers: 1, interval: 0, duration: 0, schedule: 'simple', recovers: true } as const;
  return kinds.flatMap((kind) =>
    namesOf(kind).map((job) => {
      const { name, jobs, isAlone = false, limit, times } = kind;
      const load = { ...common, name, jobs, exclusive: isAlone, ...(limit === undefined ? {} : { limit }) };
      return { load, job, trigger: job, times };
    }),
  );
}

/** Occurrences with an attempt that did not end exactly once or with the expected outcome, and occurrences that were never due. */
function endedOtherwise(kind: ScheduledKind, ended: readonly EndedRun[]): readonly string[] {
  const nameOf = ({ job, time }: { readonly job: string; readonly time: number }) => `${job} at ${time}`;
  const own = ended.filter(isOf(kind)).filter(({ outcome }) => outcome !== 'lost');
  const byOccurrence = grouped(own, nameOf);
  const due = namesOf(kind).flatMap((job) => kind.times.map((time) => nameOf({ job, time })));
  const isDue = new Set(due);
  return [
    ...due
      .map((name) => ({ name, story: storyOf(byOccurrence.get(name) ?? []) }))
      .filter(({ story }) => !isAsAsked(kind, story))
      .map(({ name, story }) => `${name}: ${story.join(', ') || 'nothing'}`),
    ...[...byOccurrence.keys()].filter((name) => !isDue.has(name)).map((name) => `${name}: never due`),
  ];
}

const storyOf = (runs: readonly EndedRun[]) =>
  [...runs].sort((a, b) => a.attempt - b.attempt).map(({ attempt, outcome }) => `${attempt} ${outcome}`);

function isAsAsked({ ends: { before, last } }: JudgedKind, story: readonly string[]): boolean {
  const count = story.length;
  if (before === null ? count !== 1 : count < 2) return false;
  const earlier = story.slice(0, -1);
  return (
    earlier.every((each, index) => each === `${index + 1} ${before}`) &&
    last.some((outcome) => story.at(-1) === `${count} ${outcome}`)
  );
}

/** Runs that began on a node without a required label, or whose minimum priority is higher. */
function misplaced({ kinds, places }: PolicyFacts, starts: readonly PolicyStart[]): readonly string[] {
  return kinds.flatMap((kind) => {
    const { runsOn = [], priority = 5 } = kind;
    return starts.filter(isOf(kind)).flatMap((start) => {
      const { labels, priorities } = placeOf(start, places);
      const isRight = runsOn.every((label) => labels.includes(label)) && priority >= (priorities?.min ?? priority);
      return isRight ? [] : [describeStart(start)];
    });
  });
}

function foundOther(kind: ScheduledKind, starts: readonly PolicyStart[]): readonly string[] {
  const { found, counts = false } = kind;
  return starts
    .filter(isOf(kind))
    .filter((start) => (found && JSON.stringify(start.found) !== JSON.stringify(found)) || (counts && !start.found))
    .map((start) => `${describeStart(start)}: ${JSON.stringify(start.found)}`);
}

/** Counters that differ from the number of successful runs, although both are stored in one transaction. */
function countsLost(kind: ScheduledKind, { counts, ended }: PolicyFacts): readonly string[] {
  if (!kind.counts) return [];
  return namesOf(kind).flatMap((name) => {
    const succeeded = ended.filter(({ job, outcome }) => job === name && outcome === 'succeeded').length;
    return counts[name] === succeeded ? [] : [`${name}: ${counts[name]} of ${succeeded}`];
  });
}

/** Runs that did not enter the middleware once before their start, or did not leave it after their end. */
function notAround({ history, starts, ends }: Facts): readonly string[] {
  const of = (line: string) => {
    const found = history.filter((each) => (each.line as string) === line) as unknown as readonly Start[];
    return grouped(found, ({ node, id }) => `${node} ${id}`);
  };
  const [before, after] = [of('before'), of('after')];
  return starts.flatMap((start) => {
    const name = `${start.node} ${start.id}`;
    const [entered, left] = [before.get(name) ?? [], after.get(name) ?? []];
    const isEntered = entered.length === 1 && (entered[0] as Start).mono <= start.mono;
    const end = ends.get(name);
    const isLeft = end === undefined || left.length === 0 || (left[0] as Start).mono >= end.mono;
    return isEntered && isLeft && left.length <= 1 ? [] : [describeStart(start)];
  });
}

/** Maximum time until a node reports an event. A node that dies within this time may not have reported it. */
const TELLING = 5_000;

function notToldOnce(kind: ScheduledKind, { events, killed, wallOffset }: Facts): readonly string[] {
  const { overdueAfter, times } = kind;
  if (overdueAfter === undefined) return [];
  const told = events.filter(({ type }) => type === 'overdue') as (Noted & {
    readonly jobKey?: { readonly name: string };
  })[];
  const due = (times[0] as number) + overdueAfter - wallOffset;
  const mayBeUntold = [...killed.values()].some((mono) => mono >= due && mono <= due + TELLING);
  return namesOf(kind).flatMap((name) => {
    const count = told.filter(({ jobKey }) => jobKey?.name === name).length;
    return count === 1 || (count === 0 && mayBeUntold) ? [] : [`${name}: ${count} times`];
  });
}
