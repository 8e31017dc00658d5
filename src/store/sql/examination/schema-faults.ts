import { type DatabaseFact, type DatabaseFault, listed } from '../../database-examiner';
import type { TypeRules } from '../engine/engine';
import { applyTokens } from '../runtime/statements';
import type { Catalogue, FoundColumn } from '../schema/catalogue';
import type { SchemaState } from '../schema/migrate';
import type { DeclaredColumn, DeclaredTable } from '../schema/schema-files';
import { findTable, type Missing, type SchemaProblem } from '../schema/validate-schema';

const BY_MIGRATING =
  "Run `quartz migrate --apply`, or set jobStore.schema to 'migrate'; `quartz migrate --print` shows the statements.";
const BY_HAND = 'No repair exists for this. Fix it manually, or restore the tables from a backup.';

/** Returns the faults of the tables: missing migrations, and differences from schema.sql. */
export function schemaFaults(
  declared: readonly DeclaredTable[],
  state: SchemaState,
  types: TypeRules,
): readonly DatabaseFault[] {
  const { problems, warnings, versions, catalogue } = state;
  const altered = declared.flatMap((table) => alteredColumns(table, catalogue, types));
  const of = (what: Missing['what']) => textsOf(problems, what);
  return [
    ...faultOf('schemaVersion', versions, 'exactly the migrations of this version'),
    ...faultOf('missingTables', of('table'), 'every table of schema.sql'),
    ...faultOf('missingColumns', of('column'), 'every column of schema.sql'),
    ...faultOf('missingKeys', of('primary key'), 'a primary key in each table'),
    ...faultOf('missingIndexes', of('index'), 'every index of schema.sql', { advice: indexAdvice(problems) }),
    ...faultOf('keyText', of('exact keys'), 'key columns with one case-sensitive collation'),
    ...faultOf('alteredTables', textsOf(problems, null), 'tables as defined in schema.sql', { advice: BY_HAND }),
    ...faultOf('alteredColumns', altered, 'columns with the types of schema.sql', { advice: BY_HAND }),
    ...faultOf(
      'schemaWarnings',
      warnings,
      'columns long enough for every valid value, and a collation that distinguishes all keys',
      {
        severity: 'warning',
        advice:
          'Widen the columns, or change the key columns to the collation of new tables (docs/guides/database.md).',
      },
    ),
  ];
}

/** Returns the advice for missing indexes. An index with the right name but other columns must be dropped before the right one can be created. */
function indexAdvice(problems: readonly SchemaProblem[]): string {
  const isInTheWay = problems.some(({ missing, repair }) => missing?.what === 'index' && repair.length === 0);
  return `A repair creates them.${isInTheWay ? ' First drop existing indexes that have the same name but other columns.' : ''}`;
}

export function schemaFacts({ recorded, catalogue, keyText }: SchemaState): readonly DatabaseFact[] {
  return [
    { section: 'schema', name: 'tables', value: String(catalogue.tables.size) },
    { section: 'schema', name: 'last migration', value: recorded.at(-1) ?? 'none' },
    ...(keyText ? [{ section: 'schema', name: 'collation of the keys', value: keyText.collation } as const] : []),
  ];
}

function textsOf(problems: readonly SchemaProblem[], what: Missing['what'] | null): readonly string[] {
  return problems.filter(({ missing }) => (missing?.what ?? null) === what).map(({ text }) => text);
}

function faultOf(
  id: DatabaseFault['id'],
  texts: readonly string[],
  expected: string,
  { severity = 'problem', advice = BY_MIGRATING }: Partial<Pick<DatabaseFault, 'severity' | 'advice'>> = {},
): readonly DatabaseFault[] {
  return texts.length === 0 ? [] : [{ id, severity, expected, found: listed(texts), advice }];
}

function alteredColumns(table: DeclaredTable, catalogue: Catalogue, types: TypeRules): readonly string[] {
  const found = findTable(catalogue, table.name);
  return table.columns.flatMap((column) => {
    const there = found?.columns.get(column.name);
    if (there === undefined || holds(there, column, types)) return [];
    return [`${applyTokens(table.name, catalogue)}.${column.name} is ${there.dataType}, not ${column.dataType}.`];
  });
}

function holds(found: FoundColumn, declared: DeclaredColumn, { synonyms, families }: TypeRules): boolean {
  const [there, wanted] = [found.dataType, declared.dataType].map((type) => synonyms[type] ?? type);
  if (there === wanted) return true;
  return families.some((family) => {
    const [at, from] = [family.indexOf(there ?? ''), family.indexOf(wanted ?? '')];
    return from >= 0 && at > from;
  });
}
