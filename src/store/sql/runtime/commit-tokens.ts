import type { SqlTransaction } from './sql-driver';
import type { CommitResolution, RunOptions, Transactions, Work } from './transactions';
import { repeat } from './transactions';

/** Marks older than this are of processes that ended without deleting theirs: nobody waits so long for an answer. A week. */
const OLD = 7 * 24 * 3_600_000;

interface Marked<T> {
  readonly result: T;
  readonly number: number;
}

interface MarkedOptions extends Pick<RunOptions<unknown>, 'startsAtOnce' | 'pausesLong'> {
  /** The work changes something whenever it succeeds: the number is sent before it, and nobody waits for that. Default false. */
  readonly alwaysChanges?: boolean;
}

/**
 * Transactions that leave no trace by which it could be told whether their commit arrived, and must not be done twice: each
 * writes its number beside what it changes, in one row of this process. What got no answer is looked up there under the
 * same lock; then either its result holds, or all of it is done again.
 */
export class MarkedTransactions {
  readonly #transactions: Transactions;
  readonly #who: { readonly schedName: string; readonly markKey: string };
  #last: Promise<unknown> = Promise.resolve();
  #number = 0;
  #hasSwept = false;

  constructor(transactions: Transactions, schedName: string) {
    this.#transactions = transactions;
    this.#who = { schedName, markKey: `commit.${transactions.mark}` };
  }

  /** Runs `work` under TRIGGER_ACCESS and commits, as `Transactions.run` does; it is stored once if this resolves. */
  run<T>(work: Work<T>, { alwaysChanges = false, ...options }: MarkedOptions = {}): Promise<T> {
    // A commit that failed on such a database was not stored.
    if (!this.#transactions.losesCommits)
      return this.#transactions.run('TRIGGER_ACCESS', work, { ...options, resolveUnknown: repeat });
    // One after the other, as they are on their connection: the next number would hide whether this one was stored.
    const turn = this.#last.then(() =>
      this.#runMarked(alwaysChanges ? this.#markedFirst(work) : this.#markedLast(work), options),
    );
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Deletes the mark, if there is one. To be called before the connections are closed; never rejects. */
  async end(): Promise<void> {
    if (this.#number === 0) return;
    await this.#transactions.run(null, (tx) => tx.run('deleteCommitMark', this.#who)).catch(() => undefined);
  }

  async #runMarked<T>(work: Work<Marked<T>>, options: Omit<MarkedOptions, 'alwaysChanges'>): Promise<T> {
    const { result } = await this.#transactions.run('TRIGGER_ACCESS', work, {
      ...options,
      resolveUnknown: (tx, marked) => this.#resolve(tx, marked),
    });
    this.#hasSwept = true;
    return result;
  }

  #markedFirst<T>(work: Work<T>): Work<Marked<T>> {
    return async (tx) => {
      const marking = this.#mark(tx);
      const [result] = await Promise.all([work(tx), marking]);
      return { result, number: this.#number };
    };
  }

  /** Only if anything is changed. */
  #markedLast<T>(work: Work<T>): Work<Marked<T>> {
    return async (tx) => {
      let changes = 0;
      const counted: SqlTransaction = {
        longestSet: tx.longestSet,
        all: (statement, params) => tx.all(statement, params),
        async run(statement, params) {
          const answer = await tx.run(statement, params);
          changes += answer.changes;
          return answer;
        },
      };
      const result = await work(counted);
      if (changes > 0) await this.#mark(tx);
      return { result, number: this.#number };
    };
  }

  async #mark(tx: SqlTransaction): Promise<void> {
    const number = `${++this.#number}`;
    const { schedName } = this.#who;
    const sweeping = this.#hasSwept ? null : tx.run('deleteOldCommitMarks', { schedName, age: OLD });
    await Promise.all([sweeping, tx.run('markCommit', { ...this.#who, number })]);
  }

  async #resolve<T>(tx: SqlTransaction, marked: Marked<T>): Promise<CommitResolution<Marked<T>>> {
    const [found] = await tx.all<{ META_VALUE: string }>('selectCommitMark', this.#who);
    const isCommitted = found?.META_VALUE.split(' ')[1] === `${marked.number}`;
    return isCommitted ? { status: 'committed', result: marked } : { status: 'notCommitted' };
  }
}
