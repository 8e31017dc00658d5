import type { RunOutcome, RunRecord } from './run';

/** Values in milliseconds that a share of all do not exceed. */
export interface Percentiles {
  /** Half of all are at most so many milliseconds; null: there are none. */
  readonly p50: number | null;
  /** 95 of 100 are at most so many milliseconds; null: there are none. */
  readonly p95: number | null;
  /** 99 of 100 are at most so many milliseconds; null: there are none. */
  readonly p99: number | null;
}

/** What the newest runs of a job say about it. */
export interface RunStatistics {
  readonly failuresInARow: number;
  readonly durationMs: Percentiles;
  readonly latenessMs: Percentiles;
}

/** Outcomes that say that something is wrong; `succeeded` says that all is well, and the others neither. */
export const FAILED_OUTCOMES: readonly RunOutcome[] = ['failed', 'timedOut', 'interrupted', 'lost'];

/** The job ran to its end: how long it took says something. */
const HAS_RUN: ReadonlySet<RunOutcome> = new Set(['succeeded', 'failed', 'timedOut', 'interrupted']);

/** `runs`: newest first. */
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

/** Nearest rank. Clocks that are set make differences below 0, which count as 0. */
function percentilesOf(differences: readonly number[]): Percentiles {
  const sorted = differences.map((each) => Math.max(0, each)).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? null;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
