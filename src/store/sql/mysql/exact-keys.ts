import { filledIn } from '../runtime/sql-text';
import { applyTokens, namedTexts } from '../runtime/statements';
import type { Catalogue } from '../schema/catalogue';
import type { DeclaredTable } from '../schema/schema-files';
import { findTable, isExact } from '../schema/validate-schema';

/** Tables in which each row belongs to a trigger. */
const KIND_TABLES = [
  'QRTZ_SIMPLE_TRIGGERS',
  'QRTZ_CRON_TRIGGERS',
  'QRTZ_SIMPROP_TRIGGERS',
  'QRTZ_BLOB_TRIGGERS',
] as const;

const RESPELLINGS = ['respellJobs', 'respellCalendars', 'respellFired', 'respellFiredJobs'] as const;

/**
 * Returns the statements that convert all tables to the exact (case-sensitive) collation. They must run in this order on one connection. Returns an
 * empty array if all tables already have the collation, or if the database offers no choice. Foreign keys need the same collation on both sides, so
 * they are dropped and created again under the same names.
 */
export function exactKeyStatements(declared: readonly DeclaredTable[], catalogue: Catalogue): readonly string[] {
  const { exactKeyText: keyText, tablePrefix } = catalogue;
  const found = declared.flatMap(({ name }) => findTable(catalogue, name) ?? []);
  const keyTexts = found.flatMap(({ columns }) => [...columns.values()].flatMap(({ keyText: text }) => text ?? []));
  const isOne = new Set(keyTexts.map(({ collation }) => collation)).size <= 1;
  if (keyText === null || (isOne && keyTexts.every(isExact))) return [];
  const textOf = namedTexts('mysql', 'exact-keys.sql');
  /** Returns a statement of exact-keys.sql, with each `{name}` in it replaced with the given value. */
  const texts = (name: string, words: Readonly<Record<string, string>> = {}) =>
    filledIn(applyTokens(textOf(name).text, { tablePrefix, keyText }), words);
  const schema = tablePrefix.includes('.') ? `${tablePrefix.slice(0, tablePrefix.indexOf('.'))}.` : '';
  const nameOf = (table: string) => `${schema}${quoted(table)}`;
  const kinds = KIND_TABLES.filter((name) => findTable(catalogue, name) !== undefined);
  const keys = found.flatMap(({ name, foreignKeys }) => foreignKeys.map((key) => ({ table: nameOf(name), ...key })));
  return [
    texts('forgoForeignKeys'),
    texts('lockTables', { tables: found.map(({ name }) => `${nameOf(name)} WRITE`).join(', ') }),
    // Aligns the spelling of references with the names that they refer to. These statements compare columns of several tables, which fails
    // if the collations differ. Without a common collation, foreign keys cannot exist either.
    ...(isOne ? RESPELLINGS.map((name) => texts(name)) : []),
    ...(isOne ? kinds.map((name) => texts('respellKinds', { table: applyTokens(name, catalogue) })) : []),
    ...keys.map(({ table, name }) => texts('dropForeignKey', { table, constraint: quoted(name) })),
    ...found.map(({ name }) => texts('convertTable', { table: nameOf(name) })),
    texts('mindForeignKeys'),
    ...keys.map(({ table, name, columns, referenced, referencedColumns, rules }) =>
      texts('addForeignKey', {
        table,
        constraint: quoted(name),
        columns: columns.map(quoted).join(', '),
        referenced: nameOf(referenced),
        referencedColumns: referencedColumns.map(quoted).join(', '),
        rules,
      }),
    ),
    texts('unlockTables'),
  ];
}

function quoted(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}
