import type { EpochMs } from '../base/clock';
import { readJson } from '../base/read-json';
import type { Interruption } from './interruption';
import type { RunLine } from './run';

export interface RunProgress {
  /** Completed fraction, from 0 to 1. */
  readonly fraction: number;
  /** Message of the report; null if the job gave none. */
  readonly message: string | null;
  /** Time of the report, by the clock of the node that runs the job. */
  readonly at: EpochMs;
}

export interface RunTail {
  /** Number of earlier lines that `lines` does not contain. */
  readonly skipped: number;
  readonly lines: readonly RunLine[];
}

/** Progress and log lines of an executing run, as stored for other nodes. */
export interface RunningNote {
  readonly runId: string;
  /** Last reported progress; null if the job has not reported any. */
  readonly progress: RunProgress | null;
  readonly tail: RunTail;
  /** First request to interrupt the run; null if there was none. */
  readonly interruption: Interruption | null;
}

/** Maximum size of a run's log lines that are stored for other nodes. Bytes of JSON. */
export const MAX_TAIL_BYTES = 16 * 1024;

export const NO_TAIL: RunTail = { skipped: 0, lines: [] };

/** Parses stored log lines. Returns `NO_TAIL` if there are none or they are unreadable. */
export function parseTail(text: string | null): RunTail {
  const { skipped, lines } = (readJson(text ?? '') ?? {}) as Partial<RunTail>;
  return Number.isSafeInteger(skipped) && Array.isArray(lines) ? { skipped: skipped as number, lines } : NO_TAIL;
}
