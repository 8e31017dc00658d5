import { ManualClock } from '../../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../../src/base/yield-to-event-loop';
import { CommitTokens } from '../../../../src/store/sql/runtime/commit-tokens';
import {
  type SqlDriver,
  SqlError,
  type SqlParams,
  type SqlTransaction,
  UnknownCommitError,
} from '../../../../src/store/sql/runtime/sql-driver';
import { Transactions } from '../../../../src/store/sql/runtime/transactions';
import { sqliteDialect } from '../../../../src/store/sql/sqlite/sqlite-driver';

type Fate = 'stored' | 'lost' | 'unanswered';

/** A database of one token whose commits end as scripted: stored, lost, or stored without an answer. */
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
    let hasWritten = false;
    const result = await work({
      maxSetBytes: Number.POSITIVE_INFINITY,
      get hasWritten() {
        return hasWritten;
      },
      all: async <Row>(statement: string) => {
        if (statement === 'selectLock') return [{}] as Row[];
        return (this.#stored === null ? [] : [{ META_VALUE: this.#stored }]) as Row[];
      },
      run: async (statement, params) => {
        const { number } = params as SqlParams;
        this.log.push(statement === 'writeCommitToken' ? `writeCommitToken ${number}` : statement);
        if (statement === 'writeCommitToken') written = `0 ${number}`;
        hasWritten = statement !== 'insertLocks';
        return { changes: hasWritten ? 1 : 0 };
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

  readActivity() {
    return { connections: [] };
  }

  async close(): Promise<void> {}
}

const lost = new SqlError({ kind: 'connectionLost', databaseCode: '0', statement: null, message: 'lost' });

describe('CommitTokens', () => {
  const setUp = (losesCommits = true) => {
    const clock = new ManualClock();
    const driver = new OneRow(losesCommits);
    const random = { token: (length: number) => '0'.repeat(length) };
    const tokens = new CommitTokens(new Transactions(driver, { schedName: 's', clock, random }));
    let runs = 0;
    const change = () =>
      tokens.run(async (tx) => {
        await tx.run('insertJobs', {});
        return ++runs;
      });
    /** Advances the clock over all pauses until the promise has settled. */
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
    return { driver, tokens, change, settle };
  };

  it('return the result of a stored transaction even if its commit was not answered', async () => {
    const { driver, change, settle } = setUp();
    driver.fates.push('stored', 'unanswered');
    await expect(settle(change())).resolves.toBe(1);
    await expect(settle(change())).resolves.toBe(2);
    expect(driver.log).toEqual([
      'insertJobs',
      'deleteOldCommitTokens',
      'writeCommitToken 1',
      'insertJobs',
      'writeCommitToken 2',
    ]);
  });

  it('are written with work that always changes rows, and omitted if nothing changes', async () => {
    const { driver, tokens } = setUp();
    await tokens.run(async (tx) => tx.run('insertJobs', {}), { alwaysChanges: true });
    await tokens.run(async () => undefined);
    expect(driver.log).toEqual(['deleteOldCommitTokens', 'writeCommitToken 1', 'insertJobs']);
  });

  it('repeat a transaction that was not stored, with a new number', async () => {
    const { driver, change, settle } = setUp();
    driver.fates.push('lost', 'stored', 'lost', 'stored', 'unanswered');
    await expect(settle(change())).resolves.toBe(3);
    expect(driver.log.filter((line) => line.startsWith('writeCommitToken'))).toEqual(
      [1, 2, 3, 4, 5].map((n) => `writeCommitToken ${n}`),
    );
  });

  it('wait until the outcome of the previous transaction is known, and continue if it failed', async () => {
    const { driver, tokens, change, settle } = setUp();
    driver.fates.push('unanswered');
    const refused = tokens.run(() => Promise.reject(new RangeError('refused')));
    const all = Promise.allSettled([change(), refused, change()]);
    expect(await settle(all)).toMatchObject([{ value: 1 }, { reason: expect.any(RangeError) }, { value: 2 }]);
  });

  it('are deleted when the node ends, and a failure of this is ignored', async () => {
    const { driver, tokens, change, settle } = setUp();
    await change();
    driver.fates.push(...Array.from({ length: 5 }, () => 'lost' as const));
    await settle(tokens.end());
    expect(driver.log.slice(3)).toEqual(['deleteCommitToken']);
  });

  it('are not needed for a database that never stores a failed commit', async () => {
    const { driver, tokens, change, settle } = setUp(false);
    driver.fates.push('lost', 'stored');
    await expect(settle(change())).resolves.toBe(2);
    await tokens.end();
    expect(driver.log).toEqual(['insertJobs', 'insertJobs']);
  });
});
