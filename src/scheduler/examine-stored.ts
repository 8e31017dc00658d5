import { SystemClock } from '../base/clock';
import { systemRandom } from '../base/ids';
import type { SchedulerConfig, SqlStoreConfig } from '../config/scheduler-config';
import type { UnreadableRow } from '../domain/scheduler-event';
import { openSqlStore } from '../store/sql/open-sql-store';

/** Which scheduler, and where its tables are. */
export interface StoredSchedule extends Pick<SchedulerConfig, 'instanceName' | 'instanceId' | 'timeZone'> {
  readonly sql: SqlStoreConfig;
}

/**
 * What this version and machine cannot understand of a stored schedule. Reads all of it, joins no cluster and changes
 * nothing. Rejects with STORE_FAILURE or SCHEMA_MISMATCH.
 */
export async function examineStored(
  { instanceName, instanceId, timeZone, sql }: StoredSchedule,
  onWarning: (warning: string) => void,
): Promise<readonly UnreadableRow[]> {
  const { store } = await openSqlStore({
    ...sql,
    schema: 'validate',
    schedName: instanceName,
    instanceId,
    timeZone,
    clock: new SystemClock(),
    random: systemRandom,
    onWarning,
    onRowProblem: () => {},
    onUnreadableRow: () => {}, // all of them are the answer
  });
  try {
    return await store.examineSchedule();
  } finally {
    await store.close();
  }
}
