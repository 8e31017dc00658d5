import type { Start } from '../../cluster/support/history';
import { describeStart, endOf, type Facts, grouped } from './facts';
import { abortedBy, awakeAfter, isLeftover } from './stops';

/** Number of earlier executions that are compared, because only executions that began shortly before can overlap. */
const LOOK_BACK = 6;

/** Violations of: an exclusive job runs once at a time, and jobs with a limit at most that often. */
export interface Overlaps {
  readonly overlaps: readonly string[];
  /** Number of overlaps with stopped processes whose abort had not arrived yet. */
  readonly afterStop: number;
}

export function judgeOverlaps(facts: Facts): Overlaps {
  const exclusive = new Set(facts.expected.filter(({ load }) => load.exclusive).map(({ job }) => job));
  const byJob = grouped(
    facts.starts.filter(({ job }) => exclusive.has(job)),
    ({ job }) => job,
  );
  const limits = judgeLimits(facts);
  const pairs = [...byJob.values()].flatMap((runs) =>
    runs.flatMap((later, index) =>
      runs.slice(Math.max(0, index - LOOK_BACK), index).map((earlier) => [earlier, later]),
    ),
  ) as [Start, Start][];
  const overlapping = pairs.filter(
    ([earlier, later]) => later.mono < endOf(facts, earlier) && !isDeclared(facts, earlier, later),
  );
  const real = overlapping.filter(([earlier, later]) => !isAfterStop(facts, earlier, later));
  return {
    overlaps: [...real.map((pair) => describeOverlap(facts, ...pair)), ...limits],
    afterStop: overlapping.length - real.length,
  };
}

/** Number of earlier executions that are compared for jobs with a limit. */
const LIMITED_LOOK_BACK = 100;

/** Runs that began although their limit was reached. */
function judgeLimits(facts: Facts): readonly string[] {
  const limits = new Map(facts.expected.flatMap(({ job, load }) => (load.limit ? [[job, load] as const] : [])));
  const byLoad = grouped(
    facts.starts.filter(({ job }) => limits.has(job)),
    ({ job }) => limits.get(job)?.name ?? '',
  );
  return [...byLoad.values()].flatMap((runs) =>
    runs.flatMap((later, index) => {
      const executing = runs
        .slice(Math.max(0, index - LIMITED_LOOK_BACK), index)
        .filter((earlier) => later.mono < endOf(facts, earlier))
        .filter((earlier) => !isDeclared(facts, earlier, later) && !isAfterStop(facts, earlier, later));
      const { limit = 0 } = limits.get(later.job) ?? {};
      return executing.length < limit
        ? []
        : [`${describeStart(later)} beside ${executing.length}, of which ${limit} may run`];
    }),
  );
}

/** Returns true if the test itself checks one of the nodes, because it stops it on purpose. */
function isDeclared({ fenced }: Facts, earlier: Start, later: Start): boolean {
  return fenced !== 'all' && (fenced.has(earlier.node) || fenced.has(later.node));
}

/**
 * Returns true if the process of the earlier run was stopped while the later one began, and ended its run as soon as it could; or if the later
 * process was stopped between the check of its lease and its job, and ended the job as soon.
 */
function isAfterStop(facts: Facts, earlier: Start, later: Start): boolean {
  if (isLeftover(facts, later)) return true;
  const end = endOf(facts, earlier);
  return facts.stops.some(
    (stop) =>
      stop.node === earlier.node &&
      stop.from <= later.mono &&
      stop.to >= earlier.mono &&
      end <= abortedBy(facts, stop, later.mono),
  );
}

/** Describes an overlap with the durations of both runs and the stops of their processes, which distinguish a late abort from a defect. */
function describeOverlap(facts: Facts, earlier: Start, later: Start): string {
  const since = (mono: number) => `${Math.round(mono - earlier.mono)} ms`;
  const near = facts.stops.filter(
    ({ node, from, to }) => [earlier.node, later.node].includes(node) && from <= later.mono && to >= earlier.mono,
  );
  const told = near.map(
    (stop) =>
      `${stop.node} stopped after ${since(stop.from)} until ${since(stop.to)}, awake after ${since(awakeAfter(facts, stop))}`,
  );
  const times = [`ended after ${since(endOf(facts, earlier))}`, ...told].join(', ');
  return `${describeStart(earlier)}, which ${times}, and ${describeStart(later)}, which began after ${since(later.mono)}`;
}
