import { z } from 'zod';
import type { Run } from '../../api/runs';
import { RUN_OUTCOMES } from '../../domain/run';
import { interruptionView, keyView, timeView, unreadableField } from '../fields';
import type { Shown } from '../operation';
import { withKeys } from './plain';

export const outcomeField = z.enum(RUN_OUTCOMES);

const shard = z.object({ index: z.int(), count: z.int(), param: z.unknown() });

/** A run as an item of a list, without its long fields. */
export const runRow = z.object({
  ...unreadableField,
  runId: z.string().describe('Id of the run, the same while it runs and after it has ended.'),
  occurrenceId: z.string().describe('Id of the occurrence, shared by its attempts and parts.'),
  trigger: keyView,
  job: keyView,
  jobType: z.string(),
  instanceId: z.string().describe('Instance id of the node that executed the run.'),
  scheduledFireTime: timeView,
  fireTime: timeView,
  endTime: timeView,
  durationMs: z.int(),
  latenessMs: z.int(),
  attempt: z.int(),
  outcome: outcomeField,
  isDeadLetter: z.boolean(),
  error: z.string().nullable(),
  summary: z.string().nullable(),
  shard: shard.nullable(),
});

export const runWhole = runRow.extend({
  canRerun: z
    .boolean()
    .describe('True for the last run of a failed occurrence that has not been rerun. `runs.rerun` accepts it.'),
  stack: z.string().nullable(),
  metrics: z.record(z.string(), z.number()),
  lines: z.array(
    z.object({
      at: timeView,
      level: z.enum(['debug', 'info', 'warn', 'error']),
      message: z.string(),
      data: z.unknown(),
    }),
  ),
  result: z
    .unknown()
    .describe('Return value of the job as JSON; null if the job returned nothing or the value is not stored.'),
  resultOmitted: z.string().nullable().describe('Reason why the return value is not stored; null if it is stored.'),
  droppedLines: z.int().describe('Number of older log lines that were dropped.'),
  interruption: interruptionView,
});

export function runRowOf(run: Run): Shown<typeof runRow> {
  return {
    ...withKeys(run),
    durationMs: run.endTime.getTime() - run.fireTime.getTime(),
    latenessMs: run.fireTime.getTime() - run.scheduledFireTime.getTime(),
  };
}

export function runWholeOf(run: Run): Shown<typeof runWhole> {
  return { ...run, ...runRowOf(run) };
}
