import type { Start } from '../../cluster/support/history';
import { describeStart, endOf, type Facts, grouped } from './facts';
import { abortedBy, awakeAfter, isLeftover } from './stops';

/** Executions of one job overlap only with some that began shortly before. */
const LOOK_BACK = 6;

/** I2: an exclusive job runs once at a time, and of jobs that share a limit no more than that. */
export interface Overlaps {
  readonly overlaps: readonly string[];
  /** Those of processes that were stopped while others took over, and have not yet been told. */
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

/** As many of a load whose jobs share a limit began before a run, and might still execute. */
const LIMITED_LOOK_BACK = 100;

/** The runs that began although as many executed as their limit allows. */
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

/** The test that made the run says itself what such a node may do. */
function isDeclared({ fenced }: Facts, earlier: Start, later: Start): boolean {
  return fenced !== 'all' && (fenced.has(earlier.node) || fenced.has(later.node));
}

/**
 * The earlier process stood still while the later one began, and ended its job as soon as it ran again and could; or the later one stood
 * still between having looked at its lease and its job, and ended that as soon.
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

/** With what tells a late signal from a firing that must not have been: how long both ran, and what was done to the process. */
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
