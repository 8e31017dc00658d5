import type { KeyText } from '../runtime/statements';

/** A column as the database describes it. */
export interface FoundColumn {
  readonly name: string;
  /** In upper case, without length: `VARCHAR`. */
  readonly dataType: string;
  /** Number of characters; null if there is no limit, or the column holds no text. */
  readonly textLength: number | null;
  /** Null if the column holds no text, or the database has one character set. */
  readonly keyText: KeyText | null;
}

export interface FoundTable {
  readonly name: string;
  /** MySQL's storage engine; null for other databases. */
  readonly engine: string | null;
  readonly columns: ReadonlyMap<string, FoundColumn>;
  /** Columns by index name, in order. */
  readonly indexes: ReadonlyMap<string, readonly string[]>;
  /** Foreign keys, if they may have to be created again; otherwise empty. */
  readonly foreignKeys: readonly FoundForeignKey[];
}

export interface FoundForeignKey {
  readonly name: string;
  readonly columns: readonly string[];
  readonly referenced: string;
  readonly referencedColumns: readonly string[];
  /** ` ON UPDATE … ON DELETE …`: the end of the statement that creates it. */
  readonly rules: string;
}

/** Tables that exist and whose names begin with the prefix. */
export interface Catalogue {
  readonly tables: ReadonlyMap<string, FoundTable>;
  /** True if `qrtz_triggers` and `QRTZ_TRIGGERS` are the same table. */
  readonly ignoresCase: boolean;
  /** Character set and collation of new tables; null if the database has no choice. */
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

/** A row of `selectIndexes`. */
export interface IndexRow {
  readonly tableName: string;
  readonly indexName: string;
  readonly columnName: string;
}

/** A row of `selectForeignKeys`. */
export interface ForeignKeyRow {
  readonly tableName: string;
  readonly constraintName: string;
  readonly columnName: string;
  readonly referencedTable: string;
  readonly referencedColumn: string;
  readonly updateRule: string;
  readonly deleteRule: string;
}

/** Builds the tables from the rows of a catalogue. */
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

/** Groups rows in the order in which the keys first appear. Node 20 has no `Map.groupBy`. */
function groupBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}
