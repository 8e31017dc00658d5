import { SystemClock } from '../base/clock';
import { systemRandom } from '../base/ids';
import type { SchedulerConfig, SqlStoreConfig } from '../config/scheduler-config';
import { openSqlStore } from '../store/sql/open-sql-store';

/** Which scheduler, and where its tables are. */
export interface ErasedSchedule extends Pick<SchedulerConfig, 'instanceName' | 'instanceId' | 'timeZone'> {
  readonly sql: SqlStoreConfig;
}

/**
 * Deletes every row that the tables of a store hold under a scheduler's name; the tables stay. All nodes of that name must
 * have ended. Rejects with STORE_FAILURE.
 */
export async function eraseSchedule({ instanceName, instanceId, timeZone, sql }: ErasedSchedule): Promise<void> {
  const { store, cluster } = await openSqlStore({
    ...sql,
    schema: 'never',
    schedName: instanceName,
    instanceId,
    timeZone,
    clock: new SystemClock(),
    random: systemRandom,
    onWarning: () => {}, // it was told when the tables were used
    onRowProblem: () => {}, // nothing is read
    onUnreadableRow: () => {},
  });
  try {
    await cluster.erase();
  } finally {
    await store.close();
  }
}
