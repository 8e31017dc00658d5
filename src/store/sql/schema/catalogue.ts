import type { KeyText } from '../runtime/statements';

/** A column as the database describes it. */
export interface FoundColumn {
  readonly name: string;
  /** In characters; null where there is no limit, or no text. */
  readonly textLength: number | null;
  /** Null: no text, or a database with one character set. */
  readonly keyText: KeyText | null;
}

export interface FoundTable {
  readonly name: string;
  /** MySQL's storage engine; null elsewhere. */
  readonly engine: string | null;
  readonly columns: ReadonlyMap<string, FoundColumn>;
  /** Columns by name of the index, in order. */
  readonly indexes: ReadonlyMap<string, readonly string[]>;
  /** Read where they may have to be made again; none elsewhere. */
  readonly foreignKeys: readonly FoundForeignKey[];
}

export interface FoundForeignKey {
  readonly name: string;
  readonly columns: readonly string[];
  readonly referenced: string;
  readonly referencedColumns: readonly string[];
  /** ` ON UPDATE … ON DELETE …`, as the statement ends that makes it. */
  readonly rules: string;
}

/** What is there now: the tables whose names begin with the prefix. */
export interface Catalogue {
  readonly tables: ReadonlyMap<string, FoundTable>;
  /** Whether `qrtz_triggers` and `QRTZ_TRIGGERS` are one table. */
  readonly ignoresCase: boolean;
  /** For tables to be made; null: the database has no choice of them. */
  readonly exactKeyText: KeyText | null;
}

/** A row of `selectColumns`; SQLite has only the first two. */
export interface ColumnRow {
  readonly tableName: string;
  readonly columnName: string;
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

/** The tables that the rows of a catalogue describe. */
export function toTables(
  columns: readonly ColumnRow[],
  indexes: readonly IndexRow[],
  foreignKeys: readonly ForeignKeyRow[] = [],
): Catalogue['tables'] {
  const tables = new Map<string, FoundTable>();
  for (const [name, rows] of groupBy(columns, ({ tableName }) => tableName)) {
    const own = indexes.filter(({ tableName }) => tableName === name);
    tables.set(name, {
      name,
      engine: rows[0]?.engine ?? null,
      columns: new Map(rows.map((row) => [row.columnName.toUpperCase(), toColumn(row)])),
      indexes: new Map(
        [...groupBy(own, ({ indexName }) => indexName)].map(([index, parts]) => [
          index,
          parts.map(({ columnName }) => columnName.toUpperCase()),
        ]),
      ),
      foreignKeys: toForeignKeys(foreignKeys.filter(({ tableName }) => tableName === name)),
    });
  }
  return tables;
}

function toForeignKeys(rows: readonly ForeignKeyRow[]): readonly FoundForeignKey[] {
  return [...groupBy(rows, ({ constraintName }) => constraintName)].map(([name, parts]) => {
    const { referencedTable = '', updateRule = '', deleteRule = '' } = parts[0] ?? {};
    return {
      name,
      columns: parts.map(({ columnName }) => columnName),
      referenced: referencedTable,
      referencedColumns: parts.map(({ referencedColumn }) => referencedColumn),
      rules: ` ON UPDATE ${updateRule} ON DELETE ${deleteRule}`,
    };
  });
}

function toColumn({ columnName, textLength, characterSet, collation }: ColumnRow): FoundColumn {
  const keyText: KeyText | null = characterSet && collation ? { characterSet, collation } : null;
  return { name: columnName.toUpperCase(), textLength: keyText === null ? null : Number(textLength), keyText };
}

/** In the order in which the keys first come; `Map.groupBy` is younger than Node 20. */
function groupBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  return groups;
}
