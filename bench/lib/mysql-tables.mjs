import { setTimeout as pause } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { cpuMs } from './cpu.mjs';
import { CLEAR } from './rows.mjs';

/** The server's own counters that are compared before and after. */
const COUNTERS = [
  'Questions',
  'Com_select',
  'Com_insert',
  'Com_insert_select',
  'Com_update',
  'Com_update_multi',
  'Com_delete',
  'Com_delete_multi',
  'Com_commit',
  'Com_rollback',
  'Handler_commit',
  'Bytes_received',
  'Bytes_sent',
  'Innodb_row_lock_waits',
  'Innodb_row_lock_time',
  'Innodb_os_log_written',
];

const TABLES = 'QRTZ_JOB_DETAILS, QRTZ_TRIGGERS, QRTZ_SIMPLE_TRIGGERS, QRTZ_FIRED_TRIGGERS';

/** Undo records that the server has still to clean up when it counts as settled, and how long that is waited for. */
const SETTLED = 200;
const PATIENCE = 20_000;

/** The tables of one side: a database of its own on a MySQL or MariaDB server. */
export class MysqlTables {
  #server;
  #connection;
  #name;
  #asked = 0;

  /** In a new database; `charset`: its default. */
  static async create(server, side, charset = 'utf8mb4') {
    const name = `quartz_bench_${process.pid}_${side}`;
    const connection = await createConnection({ uri: server.url, multipleStatements: true });
    await connection.query(
      `DROP DATABASE IF EXISTS ${name}; CREATE DATABASE ${name} CHARACTER SET ${charset}; USE ${name}`,
    );
    return new MysqlTables(server, connection, name);
  }

  constructor(server, connection, name) {
    this.#server = server;
    this.#connection = connection;
    this.#name = name;
  }

  /** What a node of ours has to be told to find them. */
  get settings() {
    return { url: this.url };
  }

  get url() {
    return new URL(`/${this.#name}`, this.#server.url).href;
  }

  async query(text) {
    this.#asked++;
    const [rows] = await this.#connection.query(text);
    return rows;
  }

  /** Whatever the round before has left; not the template and the far triggers. */
  async clear() {
    for (const statement of CLEAR) await this.query(statement);
  }

  async load(statements) {
    for (const statement of statements) await this.query(statement);
  }

  /** Statistics are up to date, and nothing of what was loaded or deleted keeps the server busy. */
  async settle() {
    await this.query(`ANALYZE TABLE ${TABLES}`);
    for (const end = Date.now() + PATIENCE; Date.now() < end; await pause(50)) {
      const [row] = await this.query("SHOW GLOBAL STATUS LIKE 'Innodb_history_list_length'");
      if (row === undefined || Number(row.Value) < SETTLED) break; // MySQL does not say
    }
    await pause(300);
  }

  /** Counters of the server now, without what was asked here. */
  async counters() {
    const rows = await this.query(`SHOW GLOBAL STATUS WHERE Variable_name IN ('${COUNTERS.join("', '")}')`);
    const values = Object.fromEntries(rows.map(({ Variable_name, Value }) => [Variable_name, Number(Value)]));
    return { ...values, Questions: values.Questions - this.#asked, cpuMs: cpuMs(this.#server.pid) };
  }

  async drop() {
    await this.query(`DROP DATABASE ${this.#name}`);
    await this.#connection.end();
  }
}
