import { jobKey, triggerKey } from '../../../src/domain/keys';
import type { RunRecord } from '../../../src/domain/run';

/** A successful run of the job `report`, with the given values. */
export function aRun(values: Partial<RunRecord> = {}): RunRecord {
  return {
    runId: 'r1',
    triggerKey: triggerKey('nightly'),
    jobKey: jobKey('report'),
    jobType: 'noop',
    instanceId: 'node-1',
    occurrenceId: 'o1',
    scheduledTime: 1_000,
    fireTime: 1_010,
    endTime: 1_500,
    attempt: 1,
    outcome: 'succeeded',
    isDeadLetter: false,
    error: null,
    detail: null,
    ...values,
  };
}
