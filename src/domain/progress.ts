import type { EpochMs } from '../base/clock';
import type { RunLine } from './run';

/** Progress of a run, as reported by its job. */
export interface RunProgress {
  /** Fraction, from 0 to 1. */
  readonly fraction: number;
  /** Message; null if the job has not given one. */
  readonly message: string | null;
  /** Time of the report, by the clock of its node. */
  readonly at: EpochMs;
}

/** The newest lines that a run has logged. */
export interface RunTail {
  /** Number of lines logged before the first of these. */
  readonly skipped: number;
  readonly lines: readonly RunLine[];
}

/** Output of an executing run, for the other nodes. */
export interface RunningNote {
  readonly runId: string;
  /** Progress; null if the job has not reported any. */
  readonly progress: RunProgress | null;
  readonly tail: RunTail;
}

/** Maximum size of the newest log lines that other nodes see, as JSON. Bytes. */
export const MAX_TAIL_BYTES = 16 * 1024;

export const NO_TAIL: RunTail = { skipped: 0, lines: [] };

/** Parses a stored tail. */
export function parseTail(text: string | null): RunTail {
  try {
    const { skipped, lines } = JSON.parse(text ?? '') as Partial<RunTail>;
    return Number.isSafeInteger(skipped) && Array.isArray(lines) ? { skipped: skipped as number, lines } : NO_TAIL;
  } catch {
    return NO_TAIL; // none is stored, or another program wrote it
  }
}
