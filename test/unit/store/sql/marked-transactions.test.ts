import { ManualClock } from '../../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../../src/base/yield-to-event-loop';
import { MarkedTransactions } from '../../../../src/store/sql/runtime/commit-tokens';
import {
  type SqlDriver,
  SqlError,
  type SqlTransaction,
  UnknownCommitError,
} from '../../../../src/store/sql/runtime/sql-driver';
import { Transactions } from '../../../../src/store/sql/runtime/transactions';
import { sqliteDialect } from '../../../../src/store/sql/sqlite/sqlite-dialect';

type Fate = 'stored' | 'lost' | 'unanswered';

/** A database of one mark, whose commits end as they are told to: stored, not stored, or stored and not answered. */
class OneRow implements SqlDriver {
  readonly dialect: SqlDriver['dialect'];
  readonly fates: Fate[] = [];
  readonly log: string[] = [];
  #stored: string | null = null;

  constructor(losesCommits: boolean) {
    this.dialect = { ...sqliteDialect, losesCommits };
  }

  async transaction<T>(_role: unknown, work: (tx: SqlTransaction) => Promise<T>): Promise<T> {
    let written = this.#stored;
    const result = await work({
      longestSet: Number.POSITIVE_INFINITY,
      all: async <Row>(statement: string) => {
        if (statement === 'selectLock') return [{}] as Row[];
        return (this.#stored === null ? [] : [{ META_VALUE: this.#stored }]) as Row[];
      },
      run: async (statement, { number }) => {
        this.log.push(statement === 'markCommit' ? `markCommit ${number}` : statement);
        if (statement === 'markCommit') written = `0 ${number}`;
        return { changes: statement === 'insertLocks' ? 0 : 1 };
      },
    });
    const fate = this.fates.shift() ?? 'stored';
    if (fate !== 'lost') this.#stored = written;
    if (fate !== 'stored') throw new UnknownCommitError(lost);
    return result;
  }

  async select<Row>(): Promise<Row[]> {
    return [];
  }

  async close(): Promise<void> {}
}

const lost = new SqlError({ kind: 'connectionLost', databaseCode: '0', statement: null, message: 'lost' });

describe('MarkedTransactions', () => {
  const setUp = (losesCommits = true) => {
    const clock = new ManualClock();
    const driver = new OneRow(losesCommits);
    const random = { token: (length: number) => '0'.repeat(length) };
    const marked = new MarkedTransactions(new Transactions(driver, { schedName: 's', clock, random }), 's');
    let runs = 0;
    const change = () =>
      marked.run(async (tx) => {
        await tx.run('insertJobs', {});
        return ++runs;
      });
    /** Lets every pause end until the promise has settled. */
    const settle = async <T>(promise: Promise<T>): Promise<T> => {
      let isSettled = false;
      const done = () => {
        isSettled = true;
      };
      promise.then(done, done);
      while (!isSettled) {
        await yieldToEventLoop();
        if (clock.nextWakeTime !== null) clock.advanceTo(clock.nextWakeTime);
      }
      return promise;
    };
    return { driver, marked, change, settle };
  };

  it('take the result of what was stored although its commit was not answered', async () => {
    const { driver, change, settle } = setUp();
    driver.fates.push('stored', 'unanswered');
    await expect(settle(change())).resolves.toBe(1);
    await expect(settle(change())).resolves.toBe(2);
    expect(driver.log).toEqual(['insertJobs', 'deleteOldCommitMarks', 'markCommit 1', 'insertJobs', 'markCommit 2']);
  });

  it('do what was not stored again, with another number', async () => {
    const { driver, change, settle } = setUp();
    driver.fates.push('lost', 'stored', 'lost', 'stored', 'unanswered');
    await expect(settle(change())).resolves.toBe(3);
    expect(driver.log.filter((line) => line.startsWith('markCommit'))).toEqual([1, 2, 3].map((n) => `markCommit ${n}`));
  });

  it('wait until it is known what became of the one before, and go on when that failed', async () => {
    const { driver, marked, change, settle } = setUp();
    driver.fates.push('unanswered');
    const refused = marked.run(() => Promise.reject(new RangeError('refused')));
    const all = Promise.allSettled([change(), refused, change()]);
    expect(await settle(all)).toMatchObject([{ value: 1 }, { reason: expect.any(RangeError) }, { value: 2 }]);
  });

  it('write no mark where nothing was changed', async () => {
    const { driver, marked } = setUp();
    await expect(marked.run(async (tx) => tx.run('insertLocks', {}))).resolves.toEqual({ changes: 0 });
    await marked.end();
    expect(driver.log).toEqual(['insertLocks']);
  });

  it('delete their mark in the end, and do not mind when that fails', async () => {
    const { driver, marked, change, settle } = setUp();
    await change();
    driver.fates.push(...Array.from({ length: 5 }, () => 'lost' as const));
    await settle(marked.end());
    expect(driver.log.slice(3)).toEqual(['deleteCommitMark']);
  });

  it('write none on a database that answers every commit: what failed was not stored', async () => {
    const { driver, marked, change, settle } = setUp(false);
    driver.fates.push('lost', 'stored');
    await expect(settle(change())).resolves.toBe(2);
    await marked.end();
    expect(driver.log).toEqual(['insertJobs', 'insertJobs']);
  });
});
