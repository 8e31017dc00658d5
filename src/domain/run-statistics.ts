import type { RunOutcome, RunRecord } from './run';

/** Percentiles of a duration or lateness, in milliseconds. */
export interface Percentiles {
  /** Median, in milliseconds; null if there are no values. */
  readonly p50: number | null;
  /** 95th percentile, in milliseconds; null if there are no values. */
  readonly p95: number | null;
  /** 99th percentile, in milliseconds; null if there are no values. */
  readonly p99: number | null;
}

interface RunStatistics {
  readonly failuresInARow: number;
  readonly durationMs: Percentiles;
  readonly latenessMs: Percentiles;
}

/** Outcomes that count as failures. `succeeded` counts as a success. Other outcomes count as neither. */
export const FAILED_OUTCOMES: readonly RunOutcome[] = ['failed', 'timedOut', 'interrupted', 'lost'];

/** Outcomes of runs whose job was executed. Only these runs have a meaningful duration. */
const HAS_RUN: ReadonlySet<RunOutcome> = new Set(['succeeded', 'failed', 'timedOut', 'interrupted']);

/** Computes statistics of runs. `runs` must be sorted newest first. */
export function statisticsOf(runs: readonly RunRecord[]): RunStatistics {
  const ran = runs.filter(({ outcome }) => HAS_RUN.has(outcome));
  const firstAttempts = ran.filter(({ attempt }) => attempt === 1);
  return {
    failuresInARow: failuresInARow(runs),
    durationMs: percentilesOf(ran.map(({ fireTime, endTime }) => endTime - fireTime)),
    latenessMs: percentilesOf(firstAttempts.map(({ scheduledTime, fireTime }) => fireTime - scheduledTime)),
  };
}

function failuresInARow(runs: readonly RunRecord[]): number {
  const firstSuccess = runs.findIndex(({ outcome }) => outcome === 'succeeded');
  const since = firstSuccess === -1 ? runs : runs.slice(0, firstSuccess);
  return since.filter(({ outcome }) => FAILED_OUTCOMES.includes(outcome)).length;
}

/** Computes percentiles by the nearest-rank method. Negative values, which a clock change can cause, count as 0. */
function percentilesOf(differences: readonly number[]): Percentiles {
  const sorted = differences.map((each) => Math.max(0, each)).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? null;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
