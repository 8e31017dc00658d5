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

/** A connection of its own for looking at the tables and making them. */
export interface SchemaConnection {
  readonly dialect: 'mysql' | 'sqlite';
  readCatalogue(): Promise<Catalogue>;
  /** Checksums of the migrations applied, by name; only after the table of them was found. */
  readMigrations(): Promise<ReadonlyMap<string, string>>;
  /** Runs one statement of a migration. */
  define(text: string): Promise<void>;
  /** Runs `work` while no other node does the same, however many start together. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
