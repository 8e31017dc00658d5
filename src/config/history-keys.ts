import { z } from 'zod';
import { DEFAULT_CONFIG } from './default-config';
import type { HistoryConfig } from './scheduler-config';
import { duration, durationOfOutcomes, history, historyOfGroups, readFromTexts, wholeNumber } from './schema-values';

const LONGEST_RETENTION = '3660d';

/** The keys of `jobStore` that say which runs are recorded, and how long they and the log of actions are kept. */
export const HISTORY_KEYS = {
  history: readFromTexts(history())
    .default(DEFAULT_CONFIG.policy.history)
    .describe(
      'Which runs are recorded, where neither their trigger nor their job says it: `all`, `failures` (those that did not succeed), or `none`.',
    ),
  historyGroups: historyOfGroups()
    .optional()
    .describe(
      'The same for the jobs of single groups, by their names, before `jobStore.history`: `{ noisy: none, billing: all }`.',
    ),
  historyRetention: duration(LONGEST_RETENTION, 1).prefault('P30D').describe('How long recorded runs are kept.'),
  historyRetentionOf: durationOfOutcomes(LONGEST_RETENTION)
    .optional()
    .describe(
      'The same for runs with single outcomes, before `jobStore.historyRetention`: `{ succeeded: P1D, skipped: PT1H }`.',
    ),
  historyMaxCount: wholeNumber(0, 1_000_000_000)
    .default(DEFAULT_CONFIG.jobStore.history.maxCount)
    .describe('Most recorded runs that are kept, the newest ones; dead letters are not counted.'),
  deadLetterRetention: duration(LONGEST_RETENTION, 1)
    .prefault('P365D')
    .describe('How long a dead letter is kept: a run whose retries are used up, until it is run again or discarded.'),
  actionRetention: duration(LONGEST_RETENTION, 1)
    .prefault('P90D')
    .describe('How long the log of actions is kept: who did what from a command line, over HTTP or in the console.'),
};

const historySchema = z.object(HISTORY_KEYS);

/** What is kept, out of the section. */
export function historyOf(jobStore: z.output<typeof historySchema>): HistoryConfig {
  return {
    retentionMs: jobStore.historyRetention,
    ...(jobStore.historyRetentionOf !== undefined && { retentionOfOutcomes: jobStore.historyRetentionOf }),
    maxCount: jobStore.historyMaxCount,
    deadLetterRetentionMs: jobStore.deadLetterRetention,
    actionRetentionMs: jobStore.actionRetention,
  };
}
