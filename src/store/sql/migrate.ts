import { SchedulerError } from '../../base/errors';
import { exactKeyStatements } from './schema/exact-keys';
import type { Catalogue, SchemaConnection } from './schema/schema-connection';
import {
  type DeclaredTable,
  keyOf,
  loadDeclaredTables,
  loadMigrations,
  type Migration,
  type MigrationStep,
  recordOf,
} from './schema/schema-files';
import { findTable, indexOf, sharedKeyText, validateSchema } from './schema/validate-schema';
import { applyTokens, type KeyText } from './statements';

/** What may be done to the tables. Nothing is ever dropped. */
export type SchemaMode = 'never' | 'validate' | 'create' | 'migrate';

export interface SchemaOptions {
  readonly mode: SchemaMode;
  readonly tablePrefix: string;
}

/** What was found and done. */
export interface SchemaReport {
  /** For `Statements`; absent where the database has no choice of character sets. */
  readonly keyText?: KeyText;
  /** Names of the migrations applied now. */
  readonly applied: readonly string[];
  readonly warnings: readonly string[];
}

/** What the tables lack, as statements to run in this order; the last of each migration records it. */
interface Plan {
  /** Before all others: what comes then has the collation of what is there. */
  readonly exactKeys: readonly string[];
  readonly migrations: readonly { readonly migration: Migration; readonly statements: readonly string[] }[];
}

const META = 'QRTZ_X_META';

/**
 * Brings the tables to where `mode` allows, and says how to talk to them.
 * - `never`: touches nothing, checks nothing
 * - `validate`: changes nothing; rejects if the tables cannot be used
 * - `create`: makes what is missing where no version of ours was ever installed, beside a Java fleet's tables too
 * - `migrate`: besides, applies the migrations that an older version of ours lacks
 *
 * Rejects with `SCHEMA_MISMATCH`, all problems in one message. Nodes that start together wait for each other.
 */
export async function prepareSchema(connection: SchemaConnection, options: SchemaOptions): Promise<SchemaReport> {
  const declared = loadDeclaredTables(connection.dialect);
  const mayChange = options.mode === 'create' || options.mode === 'migrate';
  const applied = mayChange ? await connection.exclusively(() => bringUpToDate(connection, options, declared)) : [];
  const catalogue = await connection.readCatalogue();
  const keyText = sharedKeyText(declared, catalogue, options.tablePrefix);
  const warnings = options.mode === 'never' ? [] : await validate(connection, catalogue, options, declared);
  return { applied, warnings, ...(keyText === undefined ? {} : { keyText }) };
}

/** The statements that `migrate` would run now, for someone else to run. Empty: nothing to do. */
export async function printMigration(connection: SchemaConnection, tablePrefix: string): Promise<readonly string[]> {
  const declared = loadDeclaredTables(connection.dialect);
  return statementsOf(await planMigrations(connection, { mode: 'migrate', tablePrefix }, declared));
}

async function bringUpToDate(
  connection: SchemaConnection,
  options: SchemaOptions,
  declared: readonly DeclaredTable[],
): Promise<readonly string[]> {
  const plan = await planMigrations(connection, options, declared);
  for (const statement of statementsOf(plan)) await connection.define(statement);
  const names = plan.migrations.map(({ migration }) => migration.name);
  return plan.exactKeys.length === 0 ? names : ['exact-keys', ...names];
}

const statementsOf = ({ exactKeys, migrations }: Plan) => [
  ...exactKeys,
  ...migrations.flatMap(({ statements }) => statements),
];

async function planMigrations(
  connection: SchemaConnection,
  { mode, tablePrefix }: SchemaOptions,
  declared: readonly DeclaredTable[],
): Promise<Plan> {
  const catalogue = await connection.readCatalogue();
  const recorded = await readRecorded(connection, catalogue, tablePrefix);
  const pending = loadMigrations(connection.dialect).filter((migration) => !recorded.has(keyOf(migration)));
  // Tables of an older version of ours are changed only when asked for.
  if (mode === 'create' && recorded.size > 0) return { exactKeys: [], migrations: [] };
  const exactKeys = mode === 'migrate' ? exactKeyStatements(declared, catalogue, tablePrefix) : [];
  const shared = exactKeys.length > 0 ? undefined : sharedKeyText(declared, catalogue, tablePrefix);
  const keyText = shared ?? catalogue.exactKeyText ?? undefined;
  const tokens = keyText === undefined ? { tablePrefix } : { tablePrefix, keyText };
  const toStatements = (steps: readonly MigrationStep[]) =>
    steps.filter((step) => isNeeded(step, catalogue, tablePrefix)).map(({ text }) => applyTokens(text, tokens));
  return {
    exactKeys,
    migrations: pending.map((migration) => ({
      migration,
      statements: [
        ...toStatements(migration.steps),
        applyTokens(recordOf(connection.dialect, migration), { tablePrefix }),
      ],
    })),
  };
}

async function readRecorded(connection: SchemaConnection, catalogue: Catalogue, tablePrefix: string) {
  const isThere = findTable(catalogue, META, tablePrefix) !== undefined;
  return isThere ? connection.readMigrations() : new Map<string, string>();
}

/** An index that is there already is not made again; one on a table that is not there yet comes with the table. */
function isNeeded({ unlessIndex }: MigrationStep, catalogue: Catalogue, tablePrefix: string): boolean {
  if (unlessIndex === null) return true;
  const table = findTable(catalogue, unlessIndex.table, tablePrefix);
  return table !== undefined && indexOf(table, applyTokens(unlessIndex.index, { tablePrefix })) === undefined;
}

async function validate(
  connection: SchemaConnection,
  catalogue: Catalogue,
  { tablePrefix }: SchemaOptions,
  declared: readonly DeclaredTable[],
): Promise<readonly string[]> {
  const { problems, warnings } = validateSchema(declared, catalogue, tablePrefix);
  const versions = versionProblems(connection, await readRecorded(connection, catalogue, tablePrefix));
  const all = [...problems, ...versions];
  if (all.length === 0) return warnings;
  throw new SchedulerError(
    'SCHEMA_MISMATCH',
    `The tables with the prefix '${tablePrefix}' cannot be used:\n${all.map((text) => `  - ${text}`).join('\n')}\n` +
      "Set jobStore.schema to 'migrate', or run `quartz migrate --apply`; `quartz migrate --print` shows the statements.",
  );
}

function versionProblems(connection: SchemaConnection, recorded: ReadonlyMap<string, string>): string[] {
  const known = new Map(loadMigrations(connection.dialect).map((migration) => [keyOf(migration), migration.checksum]));
  const newer = [...recorded.keys()].filter((name) => !known.has(name));
  const missing = [...known.keys()].filter((name) => !recorded.has(name));
  const changed = [...recorded].filter(([name, checksum]) => known.has(name) && known.get(name) !== checksum);
  return [
    ...newer.map((name) => `${name} was applied by a newer version of quartz-ts; run that version here too.`),
    ...missing.map((name) => `${name} has not been applied.`),
    ...changed.map(([name]) => `${name} was applied with other statements than this version has.`),
  ];
}
