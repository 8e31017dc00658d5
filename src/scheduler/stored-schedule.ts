import { SystemClock } from '../base/clock';
import { systemRandom } from '../base/ids';
import type { SchedulerConfig, SqlStoreConfig } from '../config/scheduler-config';
import type { UnreadableRow } from '../domain/scheduler-event';
import { openSqlStore } from '../store/sql/open-sql-store';

/** Which scheduler, and where its tables are. */
export interface StoredSchedule extends Pick<SchedulerConfig, 'instanceName' | 'instanceId' | 'timeZone'> {
  readonly sql: SqlStoreConfig;
}

type OnWarning = (warning: string) => void;

/**
 * What this version and machine cannot understand of a stored schedule. Reads all of it, joins no cluster and changes
 * nothing. Rejects with STORE_FAILURE or SCHEMA_MISMATCH.
 */
export async function examineStored(stored: StoredSchedule, onWarning: OnWarning): Promise<readonly UnreadableRow[]> {
  const { store } = await openStored(stored, 'validate', onWarning);
  try {
    return await store.examineSchedule();
  } finally {
    await store.close();
  }
}

/**
 * Deletes every row that the tables of a store hold under a scheduler's name; the tables stay. All nodes of that name must
 * have ended. Rejects with STORE_FAILURE.
 */
export async function eraseSchedule(stored: StoredSchedule): Promise<void> {
  // Warnings were given when the tables were used.
  const { store, cluster } = await openStored(stored, 'never', () => {});
  try {
    await cluster.erase();
  } finally {
    await store.close();
  }
}

function openStored(
  { instanceName, instanceId, timeZone, sql }: StoredSchedule,
  schema: 'validate' | 'never',
  onWarning: OnWarning,
) {
  return openSqlStore({
    ...sql,
    schema,
    schedName: instanceName,
    instanceId,
    timeZone,
    clock: new SystemClock(),
    random: systemRandom,
    onWarning,
    onRowProblem: () => {},
    onUnreadableRow: () => {}, // `examineSchedule` returns them
  });
}
