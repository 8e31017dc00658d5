import type { Script } from './script';
import type { SqlTransaction, TransactionOptions } from './sql-driver';
import { repeat, type Transactions, type Work } from './transactions';

/** Age at which tokens are deleted. Their processes ended without deleting them: no process waits a week for an answer. */
const TOKEN_TTL_MS = 7 * 24 * 3_600_000;

interface TokenOptions extends TransactionOptions {
  /** True if the transaction always changes something; the token is then sent with the changes. Default: it is sent after the changes, if any. */
  readonly alwaysChanges?: boolean;
}

/**
 * Runs transactions that must take effect exactly once, and whose changes do not show whether a commit succeeded. Each transaction also writes a
 * token: the next number, in one row per process. After a commit without an answer, the token is read under the same lock. If the token is stored,
 * the result is returned. Otherwise the look-up writes another number, which refuses the transaction, and the transaction is repeated.
 *
 * The refusal matters to what commits in the packet that carries its changes. The network may deliver this packet after the look-up, from a connection
 * that holds no lock yet. Such a packet advances the token from the number that its sender has seen; if another number is stored, nothing is.
 */
export class CommitTokens {
  readonly #transactions: Transactions;
  readonly #row: { readonly tokenKey: string };
  #last: Promise<unknown> = Promise.resolve();
  /** Last number that was used. No number is used twice, so a late packet never finds the number from which it advances. */
  #number = 0;
  /** Number that is stored, as far as this process knows. Null if it must be written before a script can advance it. */
  #stored: number | null = null;
  #count = 0;
  #hasSwept = false;

  constructor(transactions: Transactions) {
    this.#transactions = transactions;
    this.#row = { tokenKey: `commit.${transactions.processId}` };
  }

  /** Number of transactions that were requested so far. */
  get count(): number {
    return this.#count;
  }

  get runsScripts(): boolean {
    return this.#transactions.runsScripts;
  }

  /** Runs `work` under TRIGGER_ACCESS and commits, like `Transactions.run`. Resolves only if the changes were stored exactly once. */
  run<T>(work: Work<T>, options: TokenOptions = {}): Promise<T> {
    this.#count++;
    const { pausesLong = false } = options;
    // If the answer to a commit cannot be lost, a failed commit has stored nothing, and no token is needed.
    if (!this.#transactions.losesCommits)
      return this.#transactions.run('TRIGGER_ACCESS', work, { pausesLong, yields: true, resolveUnknown: repeat });
    return this.#inTurn(() => this.#runWithToken(work, options));
  }

  /** Runs a script like `run`, and returns its result. `build` is called when all earlier transactions have ended. */
  runScript<T>(build: () => Promise<{ readonly script: Script; readonly result: T }>): Promise<T> {
    this.#count++;
    return this.#inTurn(async () => {
      if (this.#stored === null) await this.#open();
      const { script, result } = await build();
      let number = 0;
      const steps = () => {
        number = ++this.#number;
        const params = { ...this.#row, before: `% ${this.#stored}`, number: `${number}` };
        return [{ statement: 'advanceCommitToken', params, isQuery: false, rows: 1 } as const, ...script.steps];
      };
      this.#stored = await this.#transactions
        .runScript<never>({
          stepsOf: steps,
          rings: script.rings,
          resolveUnknown: async (tx) =>
            (await this.#isStored(tx, number)) ? { status: 'committed', result: [] } : { status: 'notCommitted' },
        })
        .then(
          () => number,
          (error: unknown) => {
            this.#stored = null; // perhaps it was refused because the row is not as expected: deleted after a week, or lost in a failover
            throw error;
          },
        );
      return result;
    });
  }

  /**
   * Deletes this process's token, if one was written, when all transactions have ended. A packet that arrives later is refused. Must be called before
   * the connections are closed. Never rejects: the next process deletes the token after a week.
   */
  async end(): Promise<void> {
    const deleted = this.#inTurn(async () => {
      if (this.#number > 0) await this.#transactions.run(null, (tx) => tx.run('deleteCommitToken', this.#row));
    });
    await deleted.catch(() => undefined);
  }

  /** Tokens are written one at a time, like the transactions on their connection, because a later number would hide whether this one was stored. */
  #inTurn<T>(transaction: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(transaction);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #runWithToken<T>(work: Work<T>, { alwaysChanges = false, pausesLong = false }: TokenOptions): Promise<T> {
    let number: number | null = null;
    const write = (tx: SqlTransaction) => {
      number = ++this.#number;
      return this.#write(tx, number);
    };
    const workWithToken = async (tx: SqlTransaction) => {
      number = null;
      if (alwaysChanges) return (await Promise.all([write(tx), work(tx)]))[1];
      const result = await work(tx);
      if (tx.hasWritten) await write(tx);
      return result;
    };
    const result = await this.#transactions.run('TRIGGER_ACCESS', workWithToken, {
      pausesLong,
      yields: true,
      resolveUnknown: async (tx, stored) =>
        (await this.#isStored(tx, number)) ? { status: 'committed', result: stored } : { status: 'notCommitted' },
    });
    if (number !== null) this.#hasWritten(number);
    return result;
  }

  /** Writes the row that scripts advance. */
  async #open(): Promise<void> {
    const number = ++this.#number;
    await this.#transactions.run(null, (tx) => this.#write(tx, number), { resolveUnknown: repeat });
    this.#hasWritten(number);
  }

  #hasWritten(number: number): void {
    this.#stored = number;
    this.#hasSwept = true;
  }

  async #write(tx: SqlTransaction, number: number): Promise<void> {
    const sweeping = this.#hasSwept ? null : tx.run('deleteOldCommitTokens', { age: TOKEN_TTL_MS });
    await Promise.all([sweeping, tx.run('writeCommitToken', { ...this.#row, number: `${number}` })]);
  }

  /** True if the token `number` is stored. Otherwise refuses it: from the commit of `tx` on, its transaction stores nothing, even if it arrives later. */
  async #isStored(tx: SqlTransaction, number: number | null): Promise<boolean> {
    const [found] = await tx.all<{ META_VALUE: string }>('selectCommitToken', this.#row);
    if (found?.META_VALUE.split(' ')[1] === `${number}`) return true;
    const refusal = ++this.#number;
    await this.#write(tx, refusal);
    this.#stored = refusal; // if this commit fails, the outcome is looked up again, and this number is replaced
    return false;
  }
}
