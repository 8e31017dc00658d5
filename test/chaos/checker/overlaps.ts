import type { Start } from '../../cluster/support/history';
import { describeStart, endOf, type Facts, grouped } from './facts';

/** How long a job may go on when its process runs again after SIGCONT, until the signal that aborts it has reached it. Milliseconds. */
const ABORT_DELAY = 400;
/** The same where others use the processors. */
const BUSY_ABORT_DELAY = 1_600;
/** Until a process that got SIGCONT writes its first line, on a machine whose processors others use. Milliseconds. */
const LONGEST_WAKING = 2_000;
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

/** The earlier process stood still while the later one began, and ended its job as soon as it ran again and could. */
function isAfterStop(facts: Facts, earlier: Start, later: Start): boolean {
  const end = endOf(facts, earlier);
  return facts.stops.some(
    (stop) =>
      stop.node === earlier.node &&
      stop.from <= later.mono &&
      stop.to >= earlier.mono &&
      end <= abortedBy(facts, stop, later.mono),
  );
}

/** When the signal that aborts them has reached the jobs of a stopped process, which lost them at `since`, or while it stood still. */
export function abortedBy(facts: Facts, stop: Facts['stops'][number], since = stop.to): number {
  return Math.max(awakeAfter(facts, stop), since) + (facts.isBusy ? BUSY_ABORT_DELAY : ABORT_DELAY);
}

/** When the process ran again: it writes down whatever happens to it, an aborted job before anything else. */
function awakeAfter({ history }: Facts, { node, to }: Facts['stops'][number]): number {
  const awake = history.filter((line) => line.node === node && line.mono > to).map(({ mono }) => mono);
  return Math.min(to + LONGEST_WAKING, ...awake);
}

/** With what tells a late signal from a firing that must not have been: how long both ran, and what was done to the process. */
function describeOverlap(facts: Facts, earlier: Start, later: Start): string {
  const since = (mono: number) => `${Math.round(mono - earlier.mono)} ms`;
  const stops = facts.stops.filter(({ node }) => node === earlier.node);
  const near = stops.filter(({ from, to }) => from <= later.mono && to >= earlier.mono);
  const told = near.map(
    (stop) =>
      `stopped after ${since(stop.from)} until ${since(stop.to)}, awake after ${since(awakeAfter(facts, stop))}`,
  );
  const times = [`ended after ${since(endOf(facts, earlier))}`, ...told].join(', ');
  return `${describeStart(earlier)}, which ${times}, and ${describeStart(later)}, which began after ${since(later.mono)}`;
}
