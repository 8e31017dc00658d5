import { SystemClock } from '../base/clock';
import { toError } from '../base/errors';
import { systemRandom } from '../base/ids';
import { addAll } from '../base/lists';
import type { SchedulerConfig, SqlStoreConfig } from '../config/scheduler-config';
import type { Schedule } from '../definitions/parse-schedule-file';
import { triggersNamedIn } from '../domain/declaration';
import { distinctKeys, type TriggerKey } from '../domain/keys';
import type { PlannedChange } from '../domain/plan-changes';
import { withRules } from '../domain/rules';
import type { ScheduleChange } from '../domain/schedule-change';
import type { UnreadableRow } from '../domain/scheduler-event';
import { openSchemaConnection } from '../store/sql/open-database';
import { openSqlStore } from '../store/sql/open-sql-store';
import { type Plan, prepareSchema, printMigration, type SchemaReport } from '../store/sql/schema/migrate';
import type { SchemaConnection } from '../store/sql/schema/schema-connection';
import { loadSqlite } from '../store/sql/sqlite/sqlite-module';
import { declaredChanges, type Orphan, orphansOf } from './declared-set';

/* Database functions of the commands `migrate`, `validate` and `demo`. These functions do not join the cluster. */

type OnWarning = (warning: string) => void;

/** Returns the statements that create or update a store's tables, for manual execution, and the defects that these statements do not repair. */
export function printSchema(config: SqlStoreConfig, onWarning: OnWarning): Promise<Plan> {
  return connected(config, { purpose: 'readOnly', onWarning }, (connection) => printMigration(connection, config));
}

/** Creates or updates the tables of a store. Rejects with SCHEMA_MISMATCH if the tables are still not as required. */
export function applySchema(config: SqlStoreConfig, onWarning: OnWarning): Promise<SchemaReport> {
  return connected(config, { purpose: 'change', onWarning }, (connection) =>
    prepareSchema(connection, { ...config, mode: 'migrate' }),
  );
}

/** Names of the schedulers with rows in a store's tables; null if the tables are missing. Rejects with STORE_FAILURE. */
export function storedSchedulers(config: SqlStoreConfig): Promise<readonly string[] | null> {
  const onWarning = () => undefined; // the scheduler that is opened next reports the same warnings
  return connected(config, { purpose: 'readOnly', onWarning }, (connection) => connection.readSchedulerNames());
}

/** Returns the reason why SQLite cannot be loaded, with the command to run, or null if it can. */
export function problemOfSqlite(): string | null {
  try {
    loadSqlite();
    return null;
  } catch (error) {
    return toError(error).message;
  }
}

async function connected<T>(
  { dataSource, tablePrefix }: SqlStoreConfig,
  { purpose, onWarning }: { readonly purpose: 'readOnly' | 'change'; readonly onWarning: OnWarning },
  work: (connection: SchemaConnection) => Promise<T>,
): Promise<T> {
  const surroundings = { clock: new SystemClock(), random: systemRandom, onWarning };
  const connection = await openSchemaConnection({ dataSource, tablePrefix, ...surroundings }, purpose);
  return connection.use(work);
}

export interface StoredSchedule extends Pick<SchedulerConfig, 'instanceName' | 'instanceId' | 'timeZone' | 'policy'> {
  readonly sql: SqlStoreConfig;
}

/** Finds stored rows that this version on this machine cannot read. Changes nothing. Rejects with STORE_FAILURE or SCHEMA_MISMATCH. */
export async function examineStored(stored: StoredSchedule, onWarning: OnWarning): Promise<readonly UnreadableRow[]> {
  return withStoredRules(stored, onWarning, ({ store }) => store.examineSchedule());
}

export interface FilesPlan {
  readonly changes: readonly PlannedChange[];
  /** Triggers in the files' sets that no file names any more. They stay stored, because the file of their set does not enable pruning. */
  readonly undeclared: readonly TriggerKey[];
  /** Stored definitions that no set declares any more, in sets that have probably been renamed. */
  readonly orphaned: readonly Orphan[];
}

/** Computes the changes of applying these files now by the stored rules, without writing. Rejects as applying would, or with STORE_FAILURE or SCHEMA_MISMATCH. */
export async function planFiles(
  stored: StoredSchedule,
  files: readonly Schedule[],
  { misfireThreshold, onWarning }: { readonly misfireThreshold: number; readonly onWarning: OnWarning },
): Promise<FilesPlan> {
  return withStoredRules(stored, onWarning, async ({ store }) => {
    const namedElsewhere = files.flatMap(({ changes }) => triggersNamedIn(changes));
    const steps: ScheduleChange[] = [];
    const undeclared: TriggerKey[] = [];
    const orphaned: Orphan[] = [];
    for (const { changes, declared } of files) {
      const resolved = await declaredChanges(store, changes, { ...declared, namedElsewhere });
      addAll(steps, resolved.changes);
      addAll(orphaned, await orphansOf(store, changes, { ...declared, namedElsewhere }));
      if (declared.prune === false) addAll(undeclared, resolved.undeclared);
    }
    const left = await store.getTriggers(distinctKeys(undeclared));
    const planned = await store.planSchedule(steps, { now: new SystemClock().now(), misfireThreshold });
    return { changes: planned, undeclared: left.map(({ trigger }) => trigger.key), orphaned };
  });
}

/** Deletes all rows of a scheduler from its tables, but keeps the tables. All nodes of the scheduler must have ended. Rejects with STORE_FAILURE. */
export async function eraseSchedule(stored: StoredSchedule): Promise<void> {
  // Earlier steps on the same tables have already shown these warnings.
  await withStored(stored, { schema: 'never', onWarning: () => {} }, ({ cluster }) => cluster.erase());
}

type OpenedStore = Awaited<ReturnType<typeof openSqlStore>>;

/** Opens the store of a stored schedule with the rules for fire times that its nodes have, whatever `policy` says. */
async function withStoredRules<T>(
  stored: StoredSchedule,
  onWarning: OnWarning,
  work: (opened: OpenedStore) => Promise<T>,
): Promise<T> {
  const rules = await withStored(stored, { schema: 'validate', onWarning }, ({ store }) => store.readRules());
  const policy = rules === null ? stored.policy : withRules(stored.policy, rules);
  // The first step has already checked the tables and shown the warnings.
  return withStored({ ...stored, policy }, { schema: 'never', onWarning: () => {} }, work);
}

async function withStored<T>(
  { instanceName, instanceId, timeZone, policy, sql }: StoredSchedule,
  { schema, onWarning }: { readonly schema: 'validate' | 'never'; readonly onWarning: OnWarning },
  work: (opened: OpenedStore) => Promise<T>,
): Promise<T> {
  const opened = await openSqlStore({
    ...sql,
    schema,
    schedName: instanceName,
    instanceId,
    timeZone,
    policy,
    clock: new SystemClock(),
    random: systemRandom,
    onWarning,
    onRowProblem: () => {},
    onUnreadableRow: () => {}, // `examineSchedule` returns these rows
  });
  try {
    return await work(opened);
  } finally {
    await opened.store.close();
  }
}
