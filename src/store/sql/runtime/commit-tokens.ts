import type { SqlTransaction, TransactionOptions } from './sql-driver';
import { repeat, type Transactions, type Work } from './transactions';

/** Older tokens are of processes that ended without deleting theirs: nobody waits a week for an answer. */
const TOKEN_TTL_MS = 7 * 24 * 3_600_000;

interface TokenOptions extends TransactionOptions {
  /** The work changes something whenever it succeeds: the token is sent with it. Default: after it, and only if it changed something. */
  readonly alwaysChanges?: boolean;
}

/**
 * Transactions that leave no trace of their commit, and must not be done twice: each writes a token beside what it changes, the next
 * number in one row of this process. After a commit without an answer the token is looked up under the same lock: either the result
 * holds, or all of it is done again.
 */
export class CommitTokens {
  readonly #transactions: Transactions;
  readonly #row: { readonly schedName: string; readonly tokenKey: string };
  #last: Promise<unknown> = Promise.resolve();
  #number = 0;
  #hasSwept = false;

  constructor(transactions: Transactions, schedName: string) {
    this.#transactions = transactions;
    this.#row = { schedName, tokenKey: `commit.${transactions.processId}` };
  }

  /** Runs `work` under TRIGGER_ACCESS and commits, as `Transactions.run` does; it is stored once if this resolves. */
  run<T>(work: Work<T>, options: TokenOptions = {}): Promise<T> {
    const { pausesLong = false } = options;
    // A commit that failed on such a database was not stored.
    if (!this.#transactions.losesCommits)
      return this.#transactions.run('TRIGGER_ACCESS', work, { pausesLong, resolveUnknown: repeat });
    // One after the other, as they are on their connection: the next number would hide whether this one was stored.
    const turn = this.#last.then(() => this.#runWithToken(work, options));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Deletes the token, if there is one. To be called before the connections are closed; never rejects. */
  async end(): Promise<void> {
    if (this.#number === 0) return;
    await this.#transactions.run(null, (tx) => tx.run('deleteCommitToken', this.#row)).catch(() => undefined);
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
    const { schedName } = this.#row;
    const sweeping = this.#hasSwept ? null : tx.run('deleteOldCommitTokens', { schedName, age: TOKEN_TTL_MS });
    await Promise.all([sweeping, tx.run('writeCommitToken', { ...this.#row, number })]);
  }

  async #isStored(tx: SqlTransaction): Promise<boolean> {
    const [found] = await tx.all<{ META_VALUE: string }>('selectCommitToken', this.#row);
    return found?.META_VALUE.split(' ')[1] === `${this.#number}`;
  }
}
