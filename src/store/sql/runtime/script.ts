import type { ScriptStep, SqlTransaction, SqlValues } from './sql-driver';
import type { StatementName } from './statement-names';

/** Thrown if a statement of a script fails, finds other rows than expected, or must be answered first. Nothing is stored then. */
export class ScriptRefused extends Error {}

/**
 * Writes whose results are known in advance, with queries that check the assumptions of the writes. No statement waits for the answer to an earlier
 * one. With a transaction, sends each statement immediately; without one, collects them for `Transactions.runScript`.
 */
export class Script implements SqlTransaction {
  readonly steps: ScriptStep[] = [];
  /** Epochs of the nodes to ring before the commit, so that they wake while it runs. They wait for the lock. */
  rings: readonly string[] = [];
  readonly hasWritten = true;
  readonly maxSetBytes: number;
  readonly #tx: SqlTransaction | null;
  readonly #counts: Promise<number>[] = [];

  constructor(tx: SqlTransaction | null) {
    this.#tx = tx;
    this.maxSetBytes = tx?.maxSetBytes ?? Number.POSITIVE_INFINITY;
  }

  async all<Row>(): Promise<Row[]> {
    throw new ScriptRefused();
  }

  async run(statement: StatementName, params?: SqlValues, rows?: number): Promise<{ changes: number }> {
    this.#add({ statement, params, isQuery: false, rows: rows ?? null });
    return { changes: rows ?? 0 };
  }

  /** Requires that a query finds nothing. */
  requireNone(statement: StatementName, params: SqlValues): void {
    this.#add({ statement, params, isQuery: true, rows: 0 });
  }

  /** Resolves when every statement has been answered as expected. Throws the first error, or `ScriptRefused`. */
  async answered(): Promise<void> {
    const counts = await Promise.all(this.#counts);
    if (this.steps.some(({ rows }, index) => rows !== null && rows !== counts[index])) throw new ScriptRefused();
  }

  #add(step: ScriptStep): void {
    this.steps.push(step);
    if (this.#tx === null) return;
    const count = countOf(this.#tx, step);
    count.catch(() => undefined); // reported by `answered`
    this.#counts.push(count);
  }
}

async function countOf(tx: SqlTransaction, { statement, params, isQuery }: ScriptStep): Promise<number> {
  return isQuery ? (await tx.all(statement, params)).length : (await tx.run(statement, params)).changes;
}
