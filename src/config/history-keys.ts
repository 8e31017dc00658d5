import { z } from 'zod';
import { DEFAULT_CONFIG } from './default-config';
import type { HistoryConfig } from './scheduler-config';
import { duration, durationOfOutcomes, history, historyOfGroups, readFromTexts, wholeNumber } from './schema-values';

const MAX_RETENTION = '3660d';

/** Keys of `jobStore` that determine which runs are recorded, and how long recorded runs and the action log are kept. */
export const HISTORY_KEYS = {
  history: readFromTexts(history())
    .default(DEFAULT_CONFIG.policy.history)
    .describe(
      'Runs to record, unless their trigger or job sets it: `all`, `failures` (runs that did not succeed), or `none`.',
    ),
  historyGroups: historyOfGroups()
    .optional()
    .describe('Runs to record per job group. Overrides `jobStore.history`: `{ noisy: none, billing: all }`.'),
  historyRetention: duration(MAX_RETENTION, 1).prefault('P30D').describe('Retention of recorded runs.'),
  historyRetentionOf: durationOfOutcomes(MAX_RETENTION)
    .optional()
    .describe(
      'Retention of recorded runs per outcome. Overrides `jobStore.historyRetention`: `{ succeeded: P1D, skipped: PT1H }`.',
    ),
  historyMaxCount: wholeNumber(0, 1_000_000_000)
    .default(DEFAULT_CONFIG.jobStore.history.maxCount)
    .describe('Maximum number of recorded runs to keep; the oldest are deleted first. Dead letters do not count.'),
  historyMaxBytes: wholeNumber(1_048_576, 1_099_511_627_776)
    .default(DEFAULT_CONFIG.jobStore.history.maxBytes)
    .describe(
      'Memory store: approximate number of bytes that recorded runs use, dead letters included. The oldest are dropped first, dead letters last; a ' +
        'warning reports it once.',
    ),
  deadLetterRetention: duration(MAX_RETENTION, 1)
    .prefault('P365D')
    .describe('Retention of dead letters (runs that exhausted their retries) that are neither rerun nor discarded.'),
  actionRetention: duration(MAX_RETENTION, 1)
    .prefault('P90D')
    .describe('Retention of the action log (who did what on the command line, over HTTP or in the console).'),
};

const historySchema = z.object(HISTORY_KEYS);

export function historyOf(jobStore: z.output<typeof historySchema>): HistoryConfig {
  return {
    retentionMs: jobStore.historyRetention,
    ...(jobStore.historyRetentionOf !== undefined && { retentionOfOutcomes: jobStore.historyRetentionOf }),
    maxCount: jobStore.historyMaxCount,
    maxBytes: jobStore.historyMaxBytes,
    deadLetterRetentionMs: jobStore.deadLetterRetention,
    actionRetentionMs: jobStore.actionRetention,
  };
}
