import type { EpochMs } from '../../../base/clock';
import type { CompletionOutcome } from '../../job-store';

/** What a batch of completions did. */
export interface CompletedBatch {
  readonly outcomes: readonly CompletionOutcome[];
  /** The earliest fire time that came within reach; undefined: none did. */
  readonly earliest: EpochMs | undefined;
}

/** The rows are not what this way of completing expects: the batch is rolled back, and completed in the next, more careful way. */
export class UnexpectedRows extends Error {
  constructor() {
    super('The completions must be run in another way.');
  }
}
