import { Script } from './script';
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
 * the result is returned; otherwise the transaction is repeated.
 */
export class CommitTokens {
  readonly #transactions: Transactions;
  readonly #row: { readonly tokenKey: string };
  #last: Promise<unknown> = Promise.resolve();
  #number = 0;
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
      return this.#transactions.run('TRIGGER_ACCESS', work, { pausesLong, resolveUnknown: repeat });
    return this.#inTurn(() => this.#runWithToken(work, options));
  }

  /** Runs a script like `run`, and returns its result. `build` is called when all earlier transactions have ended. */
  runScript<T>(build: () => Promise<{ readonly script: Script; readonly result: T }>): Promise<T> {
    this.#count++;
    return this.#inTurn(async () => {
      const { script, result } = await build();
      const token = new Script(null);
      await this.#write(token);
      await this.#transactions.runScript([...token.steps, ...script.steps], script.rings, (tx) => this.#isStored(tx));
      this.#hasSwept = true;
      return result;
    });
  }

  /** Deletes this process's token, if one was written. Must be called before the connections are closed. Never rejects. */
  async end(): Promise<void> {
    if (this.#number === 0) return;
    await this.#transactions.run(null, (tx) => tx.run('deleteCommitToken', this.#row)).catch(() => undefined);
  }

  /** Tokens are written one at a time, like the transactions on their connection, because a later number would hide whether this one was stored. */
  #inTurn<T>(transaction: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(transaction);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #runWithToken<T>(work: Work<T>, { alwaysChanges = false, pausesLong = false }: TokenOptions): Promise<T> {
    const workWithToken = async (tx: SqlTransaction) => {
      if (alwaysChanges) return (await Promise.all([this.#write(tx), work(tx)]))[1];
      const result = await work(tx);
      if (tx.hasWritten) await this.#write(tx);
      return result;
    };
    const result = await this.#transactions.run('TRIGGER_ACCESS', workWithToken, {
      pausesLong,
      resolveUnknown: async (tx, stored) =>
        (await this.#isStored(tx)) ? { status: 'committed', result: stored } : { status: 'notCommitted' },
    });
    this.#hasSwept = true;
    return result;
  }

  async #write(tx: SqlTransaction): Promise<void> {
    const number = `${++this.#number}`;
    const sweeping = this.#hasSwept ? null : tx.run('deleteOldCommitTokens', { age: TOKEN_TTL_MS });
    await Promise.all([sweeping, tx.run('writeCommitToken', { ...this.#row, number })]);
  }

  async #isStored(tx: SqlTransaction): Promise<boolean> {
    const [found] = await tx.all<{ META_VALUE: string }>('selectCommitToken', this.#row);
    return found?.META_VALUE.split(' ')[1] === `${this.#number}`;
  }
}
