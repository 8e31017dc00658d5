import { toError } from '../../../base/errors';
import type { JobData } from '../../../domain/job-data';
import { formatKey } from '../../../domain/keys';
import {
  FAILED_JOB_ORIGINAL_TRIGGER_FIRETIME_IN_MILLISECONDS,
  FAILED_JOB_ORIGINAL_TRIGGER_GROUP,
  FAILED_JOB_ORIGINAL_TRIGGER_NAME,
  FAILED_JOB_ORIGINAL_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS,
  type PlannedRecovery,
  RECOVERED_FIRE_INSTANCE_ID,
  RECOVERY_ATTEMPT,
} from '../../../domain/recovery';
import { triggerColumns } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';

const ORIGIN: ReadonlySet<string> = new Set([
  FAILED_JOB_ORIGINAL_TRIGGER_NAME,
  FAILED_JOB_ORIGINAL_TRIGGER_GROUP,
  FAILED_JOB_ORIGINAL_TRIGGER_FIRETIME_IN_MILLISECONDS,
  FAILED_JOB_ORIGINAL_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS,
  RECOVERED_FIRE_INSTANCE_ID,
  RECOVERY_ATTEMPT,
]);

/**
 * The row of a recovery trigger, its data in the form in which the recovered trigger's is kept. Data that does not fit any
 * more with what recovery adds is left out, and reported: the job runs all the same.
 */
export function recoveryRow(
  { trigger, state }: PlannedRecovery,
  node: SqlNode,
  storedData: ReadonlyMap<string, Uint8Array | null>,
) {
  const stored = storedData.get(trigger.key.name.slice('recover_'.length)) ?? null;
  try {
    return triggerColumns(trigger, state, stored, node);
  } catch (thrown) {
    node.onRowProblem({ what: 'trigger', name: formatKey(trigger.key), error: toError(thrown) });
    return triggerColumns({ ...trigger, data: originOnly(trigger.data) }, state, null, node);
  }
}

function originOnly(data: JobData): JobData {
  return Object.fromEntries(Object.entries(data).filter(([key]) => ORIGIN.has(key)));
}
