import { loadSqlite, type SqliteDatabase } from '../../../src/store/sql/sqlite/sqlite-module';

/** Reads rows of a store's file, on a separate connection. */
export function rowsIn<Row = Readonly<Record<string, unknown>>>(file: string, text: string): readonly Row[] {
  return on(file, (database) => database.prepare(text).all() as Row[]);
}

/** Changes the file of a store as soon as no other connection has an open transaction. */
export async function changeIn(file: string, text: string): Promise<void> {
  for (;;) {
    try {
      return on(file, (database) => database.exec(text));
    } catch (error) {
      if (!String(error).includes('locked')) throw error;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

function on<T>(file: string, work: (database: SqliteDatabase) => T): T {
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(file);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** The tables of a file. */
export const tablesIn = (file: string): readonly string[] =>
  rowsIn<{ name: string }>(file, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").map(
    ({ name }) => name,
  );
