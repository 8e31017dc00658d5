import type { KeyText } from '../runtime/statements';

export interface FoundColumn {
  readonly name: string;
  /** Type in upper case, without length, for example `VARCHAR`. */
  readonly dataType: string;
  /** Maximum number of characters; null for columns without text or without a limit. */
  readonly textLength: number | null;
  /** Null for columns without text, and for databases with only one character set. */
  readonly keyText: KeyText | null;
}

export interface FoundTable {
  readonly name: string;
  /** Storage engine of MySQL; null for other databases. */
  readonly engine: string | null;
  readonly columns: ReadonlyMap<string, FoundColumn>;
  /** Columns of each index in order, by index name. */
  readonly indexes: ReadonlyMap<string, readonly string[]>;
  /** Foreign keys, on databases where a migration may have to recreate them; otherwise empty. */
  readonly foreignKeys: readonly FoundForeignKey[];
}

interface FoundForeignKey {
  readonly name: string;
  readonly columns: readonly string[];
  readonly referenced: string;
  readonly referencedColumns: readonly string[];
  /** End of the statement that creates the foreign key: ` ON UPDATE … ON DELETE …`. */
  readonly rules: string;
}

/** Existing tables whose names begin with the prefix. */
export interface Catalogue {
  readonly tablePrefix: string;
  readonly tables: ReadonlyMap<string, FoundTable>;
  /** True if table names ignore case, so that `qrtz_triggers` and `QRTZ_TRIGGERS` are the same table. */
  readonly ignoresCase: boolean;
  /** Character set and collation of new tables; null if the database offers no choice. */
  readonly exactKeyText: KeyText | null;
}

/** A row of `selectColumns`. SQLite returns only the first three columns. */
export interface ColumnRow {
  readonly tableName: string;
  readonly columnName: string;
  readonly dataType: string;
  readonly textLength?: number | null;
  readonly characterSet?: string | null;
  readonly collation?: string | null;
  readonly engine?: string | null;
}

/** Name of every primary key in rows of `selectIndexes`. */
export const PRIMARY_KEY = 'PRIMARY';

export interface IndexRow {
  readonly tableName: string;
  readonly indexName: string;
  readonly columnName: string;
}

export interface ForeignKeyRow {
  readonly tableName: string;
  readonly constraintName: string;
  readonly columnName: string;
  readonly referencedTable: string;
  readonly referencedColumn: string;
  readonly updateRule: string;
  readonly deleteRule: string;
}

export function toTables(
  columns: readonly ColumnRow[],
  indexes: readonly IndexRow[],
  foreignKeys: readonly ForeignKeyRow[] = [],
): Catalogue['tables'] {
  const indexesOf = groupBy(indexes, ({ tableName }) => tableName);
  const foreignKeysOf = groupBy(foreignKeys, ({ tableName }) => tableName);
  const tables = [...groupBy(columns, ({ tableName }) => tableName)].map(([name, rows]): FoundTable => {
    const columnsOfIndexes = groupBy(indexesOf.get(name) ?? [], ({ indexName }) => indexName);
    const keys = groupBy(foreignKeysOf.get(name) ?? [], ({ constraintName }) => constraintName);
    return {
      name,
      engine: rows[0]?.engine ?? null,
      columns: new Map(rows.map((row) => [row.columnName.toUpperCase(), toColumn(row)])),
      indexes: new Map([...columnsOfIndexes].map(([index, parts]) => [index, parts.map(upperName)])),
      foreignKeys: [...keys].map(([key, parts]) => toForeignKey(key, parts)),
    };
  });
  return new Map(tables.map((table) => [table.name, table]));
}

const upperName = ({ columnName }: { readonly columnName: string }) => columnName.toUpperCase();

function toForeignKey(name: string, parts: readonly ForeignKeyRow[]): FoundForeignKey {
  const { referencedTable = '', updateRule = '', deleteRule = '' } = parts[0] ?? {};
  return {
    name,
    columns: parts.map(({ columnName }) => columnName),
    referenced: referencedTable,
    referencedColumns: parts.map(({ referencedColumn }) => referencedColumn),
    rules: ` ON UPDATE ${updateRule} ON DELETE ${deleteRule}`,
  };
}

function toColumn(row: ColumnRow): FoundColumn {
  const { textLength, characterSet, collation } = row;
  const keyText = characterSet && collation ? { characterSet, collation } : null;
  const dataType = row.dataType.toUpperCase().replace(/\W.*/s, '');
  return { name: upperName(row), dataType, textLength: keyText === null ? null : Number(textLength), keyText };
}

/** Groups rows. Groups are in the order in which their keys first appear. Node 20 has no `Map.groupBy`. */
function groupBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}
