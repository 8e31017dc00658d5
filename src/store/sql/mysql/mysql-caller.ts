import type { Connection, FieldPacket, QueryError } from 'mysql2';
import { describeValue, unmet } from '../../../domain/check-text';
import type { Caller } from '../engine/engine';
import type { PartialSession, StatementResult } from '../runtime/session';
import type { SqlValue } from '../runtime/sql-driver';
import type { Statement } from '../runtime/statements';
import { isMissingSavepoint, toMysqlSqlError } from './mysql-errors';
import { PACKET_OVERHEAD_BYTES, toResult } from './mysql-session';
import { sessionText } from './session-texts';

type CallbackConnection = Pick<Connection, 'query' | 'execute'>;

/** Column types that the caller's connection settings may return in another form: BIGINT and JSON. */
const LONGLONG = 8;
const JSON_TYPE = 245;

/** Maximum size of a set of rows in bytes, for each connection that was checked. */
const checked = new WeakMap<object, number>();

/** A mysql2 connection that the caller opened and configured, used within the caller's transaction. Its settings are not changed. */
export class MysqlCaller implements Caller, PartialSession {
  /** The callback connection, which callback and promise connections share. */
  readonly connection: CallbackConnection;

  /** Accepts a callback or promise connection. Throws INVALID_ARGUMENT for other values. */
  constructor(given: unknown) {
    const connection = callbackConnectionOf(given);
    if (connection === null) {
      const found = isPool(given) ? 'a pool' : describeValue(given);
      throw unmet('one connection of mysql2 with an open transaction', found);
    }
    this.connection = connection;
  }

  get maxSetBytes(): number {
    return checked.get(this.connection) ?? 0;
  }

  /** Checks the connection on its first use. Rejects with INVALID_ARGUMENT unless its character set is utf8mb4: any other would alter text. */
  async open(): Promise<PartialSession> {
    if (checked.has(this.connection)) return this;
    const { rows } = await this.#query('selectCaller');
    const [found] = rows as readonly { readonly characterSet: string; readonly maxPacketBytes: number }[];
    if (found?.characterSet !== 'utf8mb4') {
      const remedy = 'Set the option charset';
      throw unmet('a connection with the character set utf8mb4', `${found?.characterSet}. ${remedy}`);
    }
    checked.set(this.connection, (Number(found.maxPacketBytes) - PACKET_OVERHEAD_BYTES) / 2);
    return this;
  }

  execute(statement: Statement, values: readonly SqlValue[]): Promise<StatementResult> {
    return this.#send(statement, (done) => {
      // These options override the caller's settings that affect the form of rows.
      const options = { sql: statement.text, values: values as SqlValue[], rowsAsArray: false, nestTables: false };
      this.connection.execute({ ...options, typeCast: true, namedPlaceholders: false }, done);
    });
  }

  /** Sets a savepoint. Rejects with INVALID_ARGUMENT if no transaction is open: the server then discards the savepoint immediately. */
  async savepoint(): Promise<void> {
    await this.#query('savepoint');
    try {
      await this.#query('rollbackTo');
    } catch (error) {
      if (!isMissingSavepoint(error)) throw error;
      throw unmet('a connection with an open transaction', 'one without. Call beginTransaction() first');
    }
  }

  async release(): Promise<void> {
    await this.#query('release');
  }

  async rollbackTo(): Promise<void> {
    await this.#query('rollbackTo');
    await this.release();
  }

  #query(name: string): Promise<StatementResult> {
    const options = { sql: sessionText(name), rowsAsArray: false, nestTables: false as const, typeCast: true };
    return this.#send(null, (done) => this.connection.query(options, done));
  }

  #send(
    statement: Statement | null,
    send: (done: (error: QueryError | null, answer: unknown, fields: FieldPacket[]) => void) => void,
  ): Promise<StatementResult> {
    return new Promise((resolve, reject) => {
      send((error, answer, fields) => {
        if (error) return reject(toMysqlSqlError(error, statement?.name ?? null));
        const { rows, changes } = toResult(answer);
        resolve({ rows: asOurs(rows, fields), changes: statement?.countsTwice ? changes / 2 : changes });
      });
    });
  }
}

/** Returns the callback connection behind a promise connection, or the given callback connection. Null for other values. */
function callbackConnectionOf(given: unknown): CallbackConnection | null {
  const { connection: inner } = (given ?? {}) as { readonly connection?: unknown };
  return isPool(given) ? null : ([inner, given].find(isConnection) ?? null);
}

function isConnection(value: unknown): value is CallbackConnection {
  const { query, execute, config } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return typeof query === 'function' && typeof execute === 'function' && typeof config === 'object';
}

function isPool(value: unknown): boolean {
  return typeof (value as { readonly getConnection?: unknown } | null)?.getConnection === 'function';
}

/** Converts rows to the store's form. The caller may have configured large numbers as strings, and JSON as parsed values. */
function asOurs(rows: readonly unknown[], fields: readonly FieldPacket[] | undefined): readonly unknown[] {
  for (const field of fields ?? []) {
    const { name, columnType, extendedFormat } = field as FieldPacket & { readonly extendedFormat?: unknown };
    const isJson = columnType === JSON_TYPE || extendedFormat === 'json';
    if (!isJson && columnType !== LONGLONG) continue;
    for (const row of rows as Record<string, unknown>[]) {
      const value = row[name];
      if (isJson && value !== null && typeof value !== 'string') row[name] = JSON.stringify(value);
      else if (!isJson && typeof value === 'string') row[name] = Number(value);
    }
  }
  return rows;
}
