import type { EpochMs } from '../base/clock';
import type { RunLine } from './run';

/** How far a run is, as its job said it. */
export interface RunProgress {
  /** From 0 to 1. */
  readonly fraction: number;
  /** Null: it has not said. */
  readonly message: string | null;
  /** When it said so, by the clock of its node. */
  readonly at: EpochMs;
}

/** The newest lines that a run has logged. */
export interface RunTail {
  /** How many it has logged before the first of these. */
  readonly skipped: number;
  readonly lines: readonly RunLine[];
}

/** What a run that goes on has said, for the other nodes. */
export interface RunningNote {
  readonly runId: string;
  /** Null: it has not said how far it is. */
  readonly progress: RunProgress | null;
  readonly tail: RunTail;
}

/** Of the lines that others see, as JSON: the newest. Bytes. */
export const MAX_TAIL_BYTES = 16 * 1024;

export const NO_TAIL: RunTail = { skipped: 0, lines: [] };

/** A tail as it is stored. */
export function parseTail(text: string | null): RunTail {
  try {
    const { skipped, lines } = JSON.parse(text ?? '') as Partial<RunTail>;
    return Number.isSafeInteger(skipped) && Array.isArray(lines) ? { skipped: skipped as number, lines } : NO_TAIL;
  } catch {
    return NO_TAIL; // there is none, or somebody else wrote it
  }
}
