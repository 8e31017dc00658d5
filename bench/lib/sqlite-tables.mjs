import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLEAR } from './rows.mjs';

const require = createRequire(import.meta.url);

/** The tables of ours in a SQLite file. There is no server: no counters, and its CPU time is ours. */
export class SqliteTables {
  #folder = mkdtempSync(join(tmpdir(), 'quartz-bench-'));
  #connection;

  /** What a node of ours has to be told to find them. */
  get settings() {
    return { path: join(this.#folder, 'quartz.db') };
  }

  async query(text) {
    const { DatabaseSync } = require('@photostructure/sqlite');
    this.#connection ??= new DatabaseSync(this.settings.path, { timeout: 5_000 });
    return this.#connection.prepare(text).all();
  }

  async clear() {
    for (const statement of CLEAR) await this.query(statement);
  }

  async load(statements) {
    await this.query('BEGIN');
    for (const statement of statements) await this.query(statement);
    await this.query('COMMIT');
  }

  /** No ANALYZE: hardly anyone runs it on such a file. */
  async settle() {
    await this.query('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  async counters() {
    return { cpuMs: null };
  }

  async drop() {
    this.#connection?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
