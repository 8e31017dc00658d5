import { SchedulerError } from '../../../base/errors';
import type { Dialect } from '../runtime/sql-files';
import { applyTokens, type KeyText } from '../runtime/statements';
import type { Catalogue } from './catalogue';
import type { SchemaConnection } from './schema-connection';
import {
  creationMark,
  keyOf,
  loadMigrations,
  loadPriorityIndex,
  type Migration,
  type MigrationStep,
  newerWarnings,
  type RecordedMigration,
  recordOf,
  versionProblems,
} from './schema-files';
import {
  findTable,
  indexOf,
  type Missing,
  type SchemaFindings,
  sharedKeyText,
  validateSchema,
} from './validate-schema';

/** Allowed changes of the tables; see `prepareSchema`. No mode drops a table, column or row. */
export type SchemaMode = 'never' | 'validate' | 'create' | 'migrate';

interface IndexOptions {
  /** True to require the index for firing triggers in the order of their priorities. Default: false. */
  readonly orderByPriority?: boolean;
}

interface SchemaOptions extends IndexOptions {
  readonly mode: SchemaMode;
}

export interface SchemaReport {
  /** Character set and collation for `Statements`; undefined if the database offers no choice. */
  readonly keyText: KeyText | undefined;
  /** Names of the migrations that were applied. */
  readonly applied: readonly string[];
  readonly warnings: readonly string[];
}

/** Statements that create everything the tables lack, in the order in which they must run. */
export interface Plan {
  readonly statements: readonly string[];
  /** Statements that convert key columns to an exact collation. They are also in `statements`. */
  readonly exactKeys: readonly string[];
  /** Names of the migrations in the plan. The last statement of each migration records it as applied. */
  readonly migrations: readonly string[];
  readonly problems: readonly string[];
}

const META = 'QRTZ_X_META';

/**
 * Changes the tables as far as `mode` allows, and reports their character set and collation.
 * - `never`: changes and checks nothing
 * - `validate`: changes nothing; rejects if the tables cannot be used
 * - `create`: creates missing tables, also next to tables of Java nodes. If quartz-ts was never installed, or its installation was not
 *   completed, also creates everything else that it needs
 * - `migrate`: also applies missing migrations to tables of an older version of quartz-ts, and creates missing indexes, keys and columns
 *
 * Rejects with `SCHEMA_MISMATCH`, and lists all problems in one message. If several nodes start together, one changes the tables while the
 * others wait.
 */
export async function prepareSchema(connection: SchemaConnection, options: SchemaOptions): Promise<SchemaReport> {
  const mayChange = options.mode === 'create' || options.mode === 'migrate';
  const applied = mayChange ? await changeTables(connection, options) : [];
  const catalogue = await connection.readCatalogue();
  const keyText = sharedKeyText(connection.declared, catalogue);
  const warnings = options.mode === 'never' ? [] : await validate(connection, catalogue);
  const [missing] = priorityIndexStatements(connection.dialect, catalogue, options);
  if (missing === undefined) return { applied, warnings, keyText };
  throw new SchedulerError(
    'SCHEMA_MISMATCH',
    `jobStore.acquireOrder is priority, but the index for it is missing. Run this statement, or set jobStore.schema to 'migrate':\n  ${missing};`,
  );
}

export interface SchemaState extends SchemaFindings, Pick<SchemaReport, 'keyText'> {
  readonly catalogue: Catalogue;
  /** Names of the applied migrations, in order. */
  readonly recorded: readonly string[];
  /** Problems with the applied migrations, compared with the migrations of this version. */
  readonly versions: readonly string[];
}

export async function readSchemaState(connection: SchemaConnection, options: IndexOptions): Promise<SchemaState> {
  const catalogue = await connection.readCatalogue();
  const recorded = await readRecorded(connection, catalogue);
  const { problems, warnings } = validateSchema(connection.declared, catalogue);
  const byPriority = priorityIndexStatements(connection.dialect, catalogue, options);
  const { name, table } = loadPriorityIndex(connection.dialect);
  return {
    catalogue,
    keyText: sharedKeyText(connection.declared, catalogue),
    recorded: [...recorded.keys()].map((key) => key.replace('migration.', '')).sort(),
    versions: versionProblems(connection.dialect, recorded),
    warnings: [...warnings, ...newerWarnings(connection.dialect, recorded)],
    problems: [
      ...problems,
      ...byPriority.map((text) => ({
        text: `${applyTokens(table, catalogue)} has no index ${applyTokens(name, catalogue)}, which acquisition by priority needs.`,
        repair: [text],
        missing: { what: 'index', table, name } as const,
      })),
    ],
  };
}

/** Creates only the missing indexes. Returns the statements that were run. Nodes that call this at the same time run one after the other. */
export async function createMissingIndexes(
  connection: SchemaConnection,
  options: IndexOptions,
): Promise<readonly string[]> {
  return connection.exclusively(async () => {
    const { problems, catalogue } = await readSchemaState(connection, options);
    const statements = problems
      .filter(({ missing }) => missing?.what === 'index')
      .flatMap(({ repair }) => repair.map((text) => applyTokens(text, catalogue)));
    for (const statement of statements) await connection.define(statement);
    return statements;
  });
}

/** Returns the statements that `migrate` would run now, so that they can be run manually, and the problems that they do not fix. */
export function printMigration(connection: SchemaConnection, options: IndexOptions = {}): Promise<Plan> {
  return planChanges(connection, { ...options, mode: 'migrate' });
}

/** Changes the tables. Takes the migration lock only if a change is needed, so a node with complete tables starts while another node holds it. */
async function changeTables(connection: SchemaConnection, options: SchemaOptions): Promise<readonly string[]> {
  const planned = await planChanges(connection, options);
  if (planned.statements.length === 0) return [];
  await assertComplete(connection, planned);
  return connection.exclusively(async () => {
    const plan = await planChanges(connection, options);
    await assertComplete(connection, plan);
    const { statements, exactKeys, migrations } = plan;
    for (const statement of statements) await connection.define(statement);
    const applied = [...(exactKeys.length > 0 ? ['exact-keys'] : []), ...migrations];
    if (applied.length > 0) return applied;
    return statements.map((statement) => statement.split('\n', 1)[0]?.replace(/ \($/, '') ?? '');
  });
}

/** Rejects with `SCHEMA_MISMATCH` before the first change if the tables could not be used after the last one, so that nothing is left half changed. */
async function assertComplete(connection: SchemaConnection, { problems, migrations }: Plan): Promise<void> {
  // A migration that this node must not apply often explains what is missing.
  const recorded = await readRecorded(connection, await connection.readCatalogue());
  const versions = migrations.length > 0 ? [] : versionProblems(connection.dialect, recorded);
  const all = [...problems, ...versions];
  if (all.length > 0) throw await unusable(connection, all, 'Nothing was changed. ');
}

/** Returns the error for tables with problems. Its advice depends on whether a migration can repair them all. */
async function unusable(
  connection: SchemaConnection,
  texts: readonly string[],
  introduction = '',
): Promise<SchedulerError> {
  const { statements, problems } = await printMigration(connection);
  const { tablePrefix } = await connection.readCatalogue();
  const advice = statements.length > 0 && problems.length === 0 ? MIGRATE : CANNOT_REPAIR;
  const list = texts.map((text) => `  - ${text}`).join('\n');
  return new SchedulerError(
    'SCHEMA_MISMATCH',
    `The tables with the prefix '${tablePrefix}' cannot be used:\n${list}\n${introduction}${advice}`,
  );
}

const MIGRATE =
  "Set jobStore.schema to 'migrate', or run `quartz migrate --apply`; `quartz migrate --print` shows the statements.";
const CANNOT_REPAIR =
  '`quartz migrate` cannot repair this: it only adds missing tables, columns, keys and indexes, and converts collations. Fix the tables manually, or restore them from a backup.';

/**
 * Plans the changes. The exact collation comes first, because new tables get the collation of the existing tables. Missing tables come next, because
 * a migration may change such a table. Other missing objects come last, because a migration may create them.
 */
async function planChanges(connection: SchemaConnection, options: SchemaOptions): Promise<Plan> {
  const { mode } = options;
  const { declared } = connection;
  const catalogue = await connection.readCatalogue();
  const { unapplied, creation, isOlder } = await readProgress(connection, catalogue);
  // Only the mode `migrate` changes tables of an older version of quartz-ts.
  const onlyTables = mode === 'create' && isOlder;
  const pending = onlyTables ? [] : unapplied;
  const exactKeys = mode === 'migrate' ? connection.exactKeyStatements(catalogue) : [];
  const shared = exactKeys.length > 0 ? undefined : sharedKeyText(declared, catalogue);
  const { tablePrefix, exactKeyText } = catalogue;
  const tokens = { tablePrefix, keyText: shared ?? exactKeyText ?? undefined };

  const { problems } = validateSchema(declared, catalogue);
  const isMended = (missing: Missing) =>
    missing.what === 'exact keys' ? exactKeys.length > 0 : isMadeBy(pending, missing);
  const ours = problems.filter(({ missing }) => missing === null || !isMended(missing));
  const tables = ours.filter(({ missing }) => missing?.what === 'table');
  const parts = ours.filter(({ missing, repair }) => missing?.what !== 'table' && repair.length > 0 && !onlyTables);
  const made = new Set(tables.map(({ missing }) => missing?.table));
  const steps = pending.flatMap((migration, at) => [
    ...migration.steps
      .filter((step) => !made.has(step.unless?.table) && isNeeded(step, catalogue))
      .map(({ text }) => text),
    ...(at === 0 ? creation.begin : []), // the first migration creates the table in which it is recorded
    recordOf(connection.dialect, migration),
  ]);
  const texts = [...tables.flatMap(({ repair }) => repair), ...steps, ...parts.flatMap(({ repair }) => repair)];
  return {
    statements: [
      ...exactKeys,
      ...[...texts, ...creation.end].map((text) => applyTokens(text, tokens)),
      ...priorityIndexStatements(connection.dialect, catalogue, options),
    ],
    exactKeys,
    migrations: pending.map(({ name }) => name),
    problems: ours.filter((problem) => !tables.includes(problem) && !parts.includes(problem)).map(({ text }) => text),
  };
}

/** Returns an array with the statement for the index that only firing by priority needs. The array is empty if the index exists or is not needed. */
function priorityIndexStatements(
  dialect: Dialect,
  catalogue: Catalogue,
  { orderByPriority = false }: IndexOptions,
): readonly string[] {
  if (!orderByPriority) return [];
  const { name, table, text } = loadPriorityIndex(dialect);
  const found = findTable(catalogue, table);
  const isThere = found !== undefined && indexOf(found, applyTokens(name, catalogue)) !== undefined;
  return isThere ? [] : [applyTokens(text, catalogue)];
}

async function readRecorded(connection: SchemaConnection, catalogue: Catalogue) {
  const isThere = findTable(catalogue, META) !== undefined;
  return isThere ? connection.readMigrations() : new Map<string, RecordedMigration>();
}

/**
 * Reads the progress of the migrations. On databases where each definition commits separately, a node that creates the tables may die
 * between any two statements. The node therefore stores a mark before it records the first migration, and removes the mark when the tables
 * are complete. The mark tells the next node that the tables are incomplete, not from an older version, and the next node continues.
 */
async function readProgress(connection: SchemaConnection, catalogue: Catalogue) {
  const recorded = await readRecorded(connection, catalogue);
  const isMarked = findTable(catalogue, META) !== undefined && (await connection.hasStartedCreation());
  const known = loadMigrations(connection.dialect);
  const unapplied = known.filter((migration) => !recorded.has(keyOf(migration)));
  // If a newer version began the creation, the migrations of this version cannot complete it.
  const isNewer = known.length - unapplied.length < recorded.size;
  const isCreation = recorded.size === 0 || (isMarked && !isNewer);
  const { begin, end } = creationMark(connection.dialect);
  return {
    unapplied,
    creation: { begin: isCreation && !isMarked ? [begin] : [], end: isCreation ? [end] : [] },
    isOlder: !isCreation,
  };
}

function isMadeBy(pending: readonly Migration[], { what, table, name }: Missing): boolean {
  return pending.some(({ steps }) =>
    steps.some(({ text, unless }) => {
      const creates = /^CREATE TABLE IF NOT EXISTS ([A-Z0-9_]+)/.exec(text)?.[1] === table;
      return creates ? what !== 'column' : unless !== null && unless.table === table && unless.name === name;
    }),
  );
}

/** True if a step must run. Existing columns and indexes are not created again. An index on a missing table is created together with the table. */
function isNeeded({ unless }: MigrationStep, catalogue: Catalogue): boolean {
  if (unless === null) return true;
  const table = findTable(catalogue, unless.table);
  if (unless.what === 'column') return table?.columns.has(unless.name) !== true;
  return table !== undefined && indexOf(table, applyTokens(unless.name, catalogue)) === undefined;
}

async function validate(connection: SchemaConnection, catalogue: Catalogue): Promise<readonly string[]> {
  const { problems, warnings } = validateSchema(connection.declared, catalogue);
  const recorded = await readRecorded(connection, catalogue);
  const all = [...problems.map(({ text }) => text), ...versionProblems(connection.dialect, recorded)];
  if (all.length === 0) return [...warnings, ...newerWarnings(connection.dialect, recorded)];
  throw await unusable(connection, all);
}
