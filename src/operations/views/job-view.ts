import { z } from 'zod';
import type { JobStatus } from '../../api/runs';
import type { JobDetail } from '../../domain/job-detail';
import { instant, keyView } from '../fields';
import { instantOf } from './plain';
import { runRow, runRowOf } from './run-view';

export const jobRow = z.object({
  key: keyView,
  type: z.string(),
  description: z.string().nullable(),
  durable: z.boolean(),
  disallowConcurrentExecution: z.boolean(),
  persistJobDataAfterExecution: z.boolean(),
  requestsRecovery: z.boolean(),
  unreadable: z.string().nullable().describe('Reason why this node cannot read the definition; null if it can.'),
});

export function jobRowOf({ key, jobType, unreadable, ...job }: JobDetail): z.input<typeof jobRow> {
  const { description, durable, disallowConcurrentExecution, persistJobDataAfterExecution, requestsRecovery } = job;
  return {
    key: { ...key },
    type: jobType,
    ...{ description, durable, disallowConcurrentExecution, persistJobDataAfterExecution, requestsRecovery },
    unreadable: unreadable ?? null,
  };
}

const percentiles = z.object({
  p50: z.number().nullable(),
  p95: z.number().nullable(),
  p99: z.number().nullable(),
});

export const statusView = z.object({
  lastRun: runRow.nullable(),
  lastSuccess: runRow.nullable(),
  failuresInARow: z.int(),
  runs: z.int().describe('Number of runs in these statistics: the newest, at most 200.'),
  durationMs: percentiles,
  latenessMs: percentiles,
  nextFireTime: instant.nullable(),
});

export function statusOfJob({ lastRun, lastSuccess, nextFireTime, ...status }: JobStatus): z.input<typeof statusView> {
  const { failuresInARow, runs, durationMs, latenessMs } = status;
  return {
    lastRun: lastRun && runRowOf(lastRun),
    lastSuccess: lastSuccess && runRowOf(lastSuccess),
    ...{ failuresInARow, runs, durationMs: { ...durationMs }, latenessMs: { ...latenessMs } },
    nextFireTime: instantOf(nextFireTime),
  };
}
