import { DatabaseSync } from '../../support/sqlite';

/* Replaces values that differ between runs of a test: current times and generated ids. All other values are compared unchanged. */

const NOW = Date.now();
const HOUR = 3_600_000;
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|[+-]\d\d:\d\d)/g;
/** Generated ids: of a manual firing, a backfill, a firing, and a command on a store. */
const CHANCE = /\b(MT_|BACKFILL_|command-)[a-z0-9]+\b|\b[a-z0-9]{10}\.[a-z0-9]{1,3}\b/g;
/** Columns that contain only generated ids. */
const CHANCE_COLUMNS = ['ACTION_ID'];

const isOfToday = (time: number) => Math.abs(time - NOW) < HOUR;

/** The value with `<now>` for each time within an hour of this test, and `<id>` for each generated id. */
export function plain(value: unknown): unknown {
  if (typeof value === 'number') return isOfToday(value) ? '<now>' : value;
  if (typeof value === 'string') return plainText(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      plainText(name),
      CHANCE_COLUMNS.includes(name) ? '<id>' : plain(each),
    ]),
  );
}

function plainText(text: string): string {
  return text
    .replace(/^-?\d+ ms$/, '<ms>') // the difference of two clocks
    .replace(INSTANT, (each) => (isOfToday(Date.parse(each)) ? '<now>' : each))
    .replace(/\b1\d{12}\b/g, (each) => (isOfToday(Number(each)) ? '<now>' : each))
    .replace(CHANCE, (_, prefix: string | undefined) => `${prefix ?? ''}<id>`);
}

type Row = Readonly<Record<string, unknown>>;

export interface Contents {
  /** Every row of every table, except the action log and the sessions. */
  readonly tables: Readonly<Record<string, readonly unknown[]>>;
  /** The action log, the oldest entry first. */
  readonly actions: readonly Row[];
}

/** Contents of a database. */
export function contentsOf(file: string): Contents {
  const database = new DatabaseSync(file);
  try {
    const all = (query: string) => database.prepare(query).all() as readonly Row[];
    const names = all("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").map(({ name }) => `${name}`);
    const rowsOf = (name: string) =>
      all(`SELECT * FROM ${name}`).map((row) =>
        Object.fromEntries(Object.entries(row).map(([column, value]) => [column, textOf(value)])),
      );
    const tables = names
      .filter((name) => name !== ACTIONS && name !== SESSIONS)
      .map((name) => [name, sorted(rowsOf(name).map(plain))]);
    return { tables: Object.fromEntries(tables), actions: rowsOf(ACTIONS) };
  } finally {
    database.close();
  }
}

const ACTIONS = 'QRTZ_X_ACTIONS';
/** Only the page stores sessions, and they do not affect results. */
const SESSIONS = 'QRTZ_X_SESSIONS';

const textOf = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString() : value);

const sorted = (rows: readonly unknown[]) => [...rows].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
