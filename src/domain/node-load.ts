import type { EpochMs } from '../base/clock';
import { maxOf } from '../base/lists';
import { readJson } from '../base/read-json';

/** Length of a step in milliseconds, and the number of steps that are kept: 15 minutes in total. Work is counted per step. */
export const STEP_MS = 30_000;
export const STEPS = 30;

/** Work of a node or cluster within one step (half a minute). */
export interface LoadStep {
  readonly begin: EpochMs;
  readonly started: number;
  readonly ended: number;
  readonly failed: number;
  /** Median and 99th percentile of the lateness of the started jobs, in milliseconds. Null if no jobs, or only recoveries, started. */
  readonly p50: number | null;
  readonly p99: number | null;
}

/** Period in which a node leaves due triggers to other nodes, because its event loop was blocked. */
export interface HoldBack {
  readonly since: EpochMs;
  readonly until: EpochMs;
}

/** Job type whose triggers a node does not acquire for now, because it could not create the job object. */
export interface RefusedJobType {
  readonly jobType: string;
  /** Time of the first failure since the last job object of this type was created. */
  readonly since: EpochMs;
  /** Time at which the node tries again. */
  readonly until: EpochMs;
}

export interface NodeLoad {
  /** Number of running jobs (`running`), and the number of jobs that may run at the same time (`workers`). */
  readonly running: number;
  readonly workers: number;
  /** Steps of the last 15 minutes, oldest first. Steps without work may be missing. */
  readonly steps: readonly LoadStep[];
  /** Last period in which the node left due triggers to other nodes, which may have ended. Null if there was none, or if the node cancelled it. */
  readonly holdBack: HoldBack | null;
  readonly refusedTypes: readonly RefusedJobType[];
}

/** Load of a node at its last check-in. A node checks in three times per `jobStore.clusterCheckinInterval`. */
export interface NodeLoadInfo {
  /** Number of jobs that are running on the node. */
  readonly running: number;
  /** Maximum number of jobs that the node runs concurrently. */
  readonly workers: number;
  /** Number of jobs started per minute, including retries and recoveries. Averaged over the last 60 to 90 seconds before the check-in. */
  readonly firingsPerMinute: number;
  /** Number of failed runs per minute, over the same period. */
  readonly failedPerMinute: number;
  /**
   * Lateness of jobs started in the same period: actual minus scheduled start, in milliseconds, accurate to 10 %. Recoveries do not count. Null if
   * no job started. Percentiles are computed for each half minute of the period. `p99` is the largest p99. `p50` is the mean of the p50s, weighted
   * by the number of started jobs.
   */
  readonly latenessMs: { readonly p50: number | null; readonly p99: number | null };
}

/** Number of steps over which rates are computed: the current step and the two before it. Enough for a stable rate that is still current. */
const RATE_STEPS = 3;

/** Computes the load. `at`: time of the node's report. */
export function figuresOf({ running, workers, steps }: NodeLoad, at: EpochMs): NodeLoadInfo {
  const begin = beginOf(at) - (RATE_STEPS - 1) * STEP_MS;
  const recent = addUp(steps.filter((step) => step.begin >= begin && step.begin <= at));
  const perMinute = (count: number) => Math.round((count * 60_000 * 10) / (at - begin)) / 10;
  return {
    running,
    workers,
    firingsPerMinute: perMinute(recent.started),
    failedPerMinute: perMinute(recent.failed),
    latenessMs: { p50: recent.p50, p99: recent.p99 },
  };
}

/** Returns the combined work of all nodes in the last 15 minutes: 30 steps of half a minute, oldest first. */
export function stepsOfCluster(loads: readonly NodeLoad[], now: EpochMs): readonly LoadStep[] {
  const steps = loads.flatMap((load) => load.steps);
  return Array.from({ length: STEPS }, (_, at) => {
    const begin = beginOf(now) - (STEPS - 1 - at) * STEP_MS;
    return { ...addUp(steps.filter((step) => step.begin === begin)), begin };
  });
}

/** The combined p50 is the mean of the steps' p50, weighted by started jobs. The combined p99 is the maximum. */
function addUp(steps: readonly LoadStep[]): Omit<LoadStep, 'begin'> {
  const sum = (of: (step: LoadStep) => number) => steps.reduce((total, step) => total + of(step), 0);
  const timed = steps.filter(({ p50 }) => p50 !== null);
  const weight = timed.reduce((total, { started }) => total + started, 0);
  const middle = timed.reduce((total, { started, p50 }) => total + started * (p50 ?? 0), 0);
  return {
    started: sum(({ started }) => started),
    ended: sum(({ ended }) => ended),
    failed: sum(({ failed }) => failed),
    p50: weight === 0 ? null : Math.round(middle / weight),
    p99: timed.length === 0 ? null : maxOf(timed.map(({ p99 }) => p99 ?? 0)),
  };
}

function beginOf(at: EpochMs): EpochMs {
  return Math.floor(at / STEP_MS) * STEP_MS;
}

/** Encodes a load as compact JSON of at most 3,100 characters: running, workers, number of the first step, the steps, the hold-back and the refused types if any. */
export function encodeLoad({ running, workers, steps, holdBack, refusedTypes }: NodeLoad): string {
  const first = (steps[0]?.begin ?? 0) / STEP_MS;
  const encoded = steps.map(({ begin, started, ended, failed, p50, p99 }) => [
    begin / STEP_MS - first,
    ...[started, ended, failed, p50, p99],
  ]);
  return JSON.stringify([
    running,
    workers,
    first,
    encoded,
    ...(holdBack === null && refusedTypes.length === 0 ? [] : [holdBack?.since ?? 0, holdBack?.until ?? 0]),
    ...(refusedTypes.length === 0 ? [] : [encodeRefused(refusedTypes)]),
  ]);
}

/** Decodes the output of `encodeLoad`. Returns null for any other string. */
export function decodeLoad(text: string): NodeLoad | null {
  const parsed = readJson(text);
  if (!Array.isArray(parsed)) return null;
  const [running, workers, first, encoded, since = 0, until = 0, refused = []] = parsed as unknown[];
  if (!isCount(running) || !isCount(workers) || !isCount(first) || !Array.isArray(encoded)) return null;
  if (!isCount(since) || !isCount(until)) return null;
  const steps = encoded.map((step) => decodeStep(step, first));
  const holdBack = until === 0 ? null : { since, until };
  const refusedTypes = decodeRefused(refused);
  return steps.every((step) => step !== null) ? { running, workers, steps, holdBack, refusedTypes } : null;
}

/** Returns refused job types as lists of numbers and texts, for JSON. */
export function encodeRefused(types: readonly RefusedJobType[]): readonly (readonly [string, EpochMs, EpochMs])[] {
  return types.map(({ jobType, since, until }) => [jobType, since, until]);
}

/** Decodes the output of `encodeRefused`. Leaves out any other value. */
export function decodeRefused(encoded: unknown): readonly RefusedJobType[] {
  if (!Array.isArray(encoded)) return [];
  return encoded.flatMap((each) => {
    const [jobType, since, until] = Array.isArray(each) ? (each as unknown[]) : [];
    return typeof jobType === 'string' && isCount(since) && isCount(until) ? [{ jobType, since, until }] : [];
  });
}

function decodeStep(encoded: unknown, first: number): LoadStep | null {
  if (!Array.isArray(encoded)) return null;
  const [after, started, ended, failed, p50, p99] = encoded as unknown[];
  if (![after, started, ended, failed].every(isCount)) return null;
  if (![p50, p99].every((late) => late === null || isCount(late))) return null;
  const [at, startedCount, over, lost] = [after, started, ended, failed] as [number, number, number, number];
  const lateness = { p50: p50 as number | null, p99: p99 as number | null };
  return { begin: (first + at) * STEP_MS, started: startedCount, ended: over, failed: lost, ...lateness };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
