import { StoreClosedError } from '../../../../src/base/errors';
import { ManualClock } from '../../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../../src/base/yield-to-event-loop';
import {
  type ConnectionRole,
  type SqlDriver,
  SqlError,
  type SqlErrorKind,
  type SqlTransaction,
  UnknownCommitError,
} from '../../../../src/store/sql/runtime/sql-driver';
import { Transactions } from '../../../../src/store/sql/runtime/transactions';
import { sqliteDialect } from '../../../../src/store/sql/sqlite/sqlite-driver';

const sqlError = (kind: SqlErrorKind) => new SqlError({ kind, databaseCode: '0', statement: null, message: kind });

/** A driver that grants every lock and fails with the entries of `failures`, each once. */
class FakeDriver implements SqlDriver {
  readonly dialect = sqliteDialect;
  readonly log: string[] = [];
  readonly failures: (Error | null)[] = [];
  lockWait = () => {};
  isClosed = false;

  async transaction<T>(role: ConnectionRole, work: (tx: SqlTransaction) => Promise<T>): Promise<T> {
    this.log.push(role);
    const result = await work({
      maxSetBytes: Number.POSITIVE_INFINITY,
      hasWritten: false,
      all: async <Row>(statement: string, params?: object) => {
        this.log.push(`${statement} ${Object.values(params ?? {}).join(' ')}`);
        if (statement === 'selectLock') this.lockWait();
        return [{}] as Row[];
      },
      run: async (statement) => {
        this.log.push(statement);
        return { changes: 1 };
      },
    });
    const failure = this.failures.shift();
    if (failure) throw failure;
    return result;
  }

  async select<Row>(): Promise<Row[]> {
    const failure = this.failures.shift();
    if (failure) throw failure;
    return [];
  }

  readActivity() {
    return { connections: [] };
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

describe('transactions', () => {
  let driver: FakeDriver;
  let clock: ManualClock;
  let transactions: Transactions;

  beforeEach(() => {
    driver = new FakeDriver();
    clock = new ManualClock();
    transactions = new Transactions(driver, {
      schedName: 's',
      clock,
      random: { token: (length) => '0'.repeat(length) },
    });
  });

  /** Advances the clock over all pauses until the promise has settled. */
  async function settle<T>(promise: Promise<T>): Promise<{ readonly value: T } | { readonly error: unknown }> {
    let outcome: { readonly value: T } | { readonly error: unknown } | undefined;
    promise.then(
      (value) => (outcome = { value }),
      (error) => (outcome = { error }),
    );
    for (let turns = 0; outcome === undefined && turns < 1_000; turns++) {
      await yieldToEventLoop();
      if (clock.nextWakeTime !== null) clock.advanceTo(clock.nextWakeTime);
    }
    return outcome ?? { error: new Error('never settled') };
  }

  it('take STATE_ACCESS before TRIGGER_ACCESS, in whatever order they are requested', async () => {
    await transactions.run(['TRIGGER_ACCESS', 'STATE_ACCESS'], async () => driver.log.push('work'), {
      role: 'checkIn',
    });
    expect(driver.log).toEqual(['checkIn', 'selectLock STATE_ACCESS', 'selectLock TRIGGER_ACCESS', 'work']);
  });

  it('report a long wait for TRIGGER_ACCESS, but not for other locks', async () => {
    let told = 0;
    const watched = new Transactions(driver, {
      schedName: 's',
      clock,
      random: { token: (length) => '0'.repeat(length) },
      onLongWait: () => told++,
    });
    driver.lockWait = () => clock.advanceBy(500);
    await watched.run(['TRIGGER_ACCESS', 'STATE_ACCESS'], async () => undefined);
    expect(told).toBe(0);
    driver.lockWait = () => clock.advanceBy(1_000);
    await watched.run('STATE_ACCESS', async () => undefined);
    expect(told).toBe(0);
    await watched.run('TRIGGER_ACCESS', async () => undefined);
    expect(told).toBe(1);
  });

  it('run without a lock if none is requested', async () => {
    await transactions.run(null, async () => driver.log.push('work'));
    expect(driver.log).toEqual(['scheduler', 'work']);
  });

  it.each<[SqlErrorKind, number]>([
    ['deadlock', 5],
    ['connectionLost', 5],
    ['readOnly', 5],
    ['lockTimeout', 3],
    ['interrupted', 2],
    ['duplicateKey', 1],
    ['full', 1],
    ['schema', 1],
  ])('that fail with %s are tried %d times', async (kind, attempts) => {
    driver.failures.push(...Array.from({ length: 10 }, () => sqlError(kind)));
    const outcome = await settle(transactions.run(null, async () => undefined));
    expect(outcome).toMatchObject({ error: { code: 'STORE_FAILURE', cause: { kind } } });
    expect(driver.log.length).toBe(attempts);
  });

  it('are tried less often after conflicts if a smaller batch will follow', async () => {
    driver.failures.push(...Array.from({ length: 10 }, () => sqlError('deadlock')));
    await settle(transactions.run(null, async () => undefined, { attempts: 2 }));
    expect(driver.log.length).toBe(2);
  });

  it('wait between attempts, longer each time', async () => {
    driver.failures.push(sqlError('deadlock'), sqlError('deadlock'), sqlError('deadlock'));
    const running = transactions.run(null, async () => 'done');
    const waits: number[] = [];
    for (let at = 0; at < 3; at++) {
      await yieldToEventLoop();
      waits.push((clock.nextWakeTime ?? 0) - clock.now());
      clock.advanceTo(clock.nextWakeTime ?? 0);
    }
    expect(waits).toEqual([10, 20, 40]);
    await expect(running).resolves.toBe('done');
  });

  it('fail with an unknown outcome if there is no way to resolve a lost commit', async () => {
    driver.failures.push(new UnknownCommitError(sqlError('connectionLost')));
    const outcome = await settle(transactions.run(null, async () => 'x'));
    expect(outcome).toMatchObject({ error: { code: 'STORE_FAILURE', cause: expect.any(UnknownCommitError) } });
  });

  it('resolve a lost commit under the same locks until the database answers', async () => {
    const unknown = new UnknownCommitError(sqlError('connectionLost'));
    driver.failures.push(unknown, sqlError('connectionLost'), unknown, sqlError('deadlock'), null);
    const asked: string[] = [];
    const outcome = await settle(
      transactions.run<string>('TRIGGER_ACCESS', async () => 'first', {
        resolveUnknown: async (_tx, result) => {
          asked.push(result);
          return { status: 'committed', result: `${result} found` };
        },
      }),
    );
    expect(outcome).toEqual({ value: 'first found' });
    expect(asked).toEqual(['first', 'first', 'first', 'first']);
    expect(driver.log.filter((line) => line.startsWith('selectLock'))).toHaveLength(5);
  });

  it('whose commits are lost and not stored have as many attempts as lost connections', async () => {
    driver.failures.push(
      ...Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? new UnknownCommitError(null) : null)),
    );
    let runs = 0;
    const running = transactions.run(null, async () => ++runs, {
      resolveUnknown: async () => ({ status: 'notCommitted' }),
    });
    expect(await settle(running)).toMatchObject({ error: { code: 'STORE_FAILURE' } });
    expect(runs).toBe(5);
  });

  it('that were not stored fail with the error of their commit', async () => {
    driver.failures.push(new UnknownCommitError(sqlError('full')), null);
    const running = transactions.run(null, async () => 1, { resolveUnknown: async () => ({ status: 'notCommitted' }) });
    expect(await settle(running)).toMatchObject({ error: { code: 'STORE_FAILURE', cause: { kind: 'full' } } });
  });

  it('stop resolving a lost commit if the resolver itself fails', async () => {
    driver.failures.push(new UnknownCommitError(null));
    const mistake = new TypeError('mistake');
    const running = transactions.run(null, async () => 1, { resolveUnknown: () => Promise.reject(mistake) });
    expect(await settle(running)).toEqual({ error: mistake });
  });

  it('delay the close of the store until their outcome is known', async () => {
    driver.failures.push(...Array.from({ length: 5 }, () => new UnknownCommitError(null)));
    const running = transactions.run(null, async () => 1, {
      resolveUnknown: async () => ({ status: 'committed', result: 1 }),
    });
    await yieldToEventLoop();
    const closed = transactions.close();
    expect(await settle(running)).toEqual({ value: 1 });
    await closed;
    expect(driver.isClosed).toBe(true);
  });

  it('end with an unknown outcome when the store is aborted', async () => {
    driver.failures.push(...Array.from({ length: 100 }, () => new UnknownCommitError(null)));
    const running = transactions.run(null, async () => 1, {
      resolveUnknown: async () => ({ status: 'committed', result: 1 }),
    });
    await yieldToEventLoop();
    transactions.abort();
    await expect(running).rejects.toMatchObject({
      code: 'STORE_FAILURE',
      message: expect.stringContaining('unknown whether the transaction was stored'),
    });
    await transactions.close();
    expect(driver.isClosed).toBe(true);
  });

  it('that are aborted fail with StoreClosedError instead of a database error', async () => {
    driver.failures.push(sqlError('connectionLost'), sqlError('connectionLost'));
    const asked = [transactions.run(null, async () => 1), transactions.all('selectLock', {})];
    transactions.abort();
    for (const each of asked) await expect(each).rejects.toBeInstanceOf(StoreClosedError);
    const mistake = new TypeError('mistake');
    await expect(transactions.run(null, () => Promise.reject(mistake))).rejects.toBe(mistake);
  });

  it('repeat reads as well while the database is unavailable', async () => {
    driver.failures.push(sqlError('connectionLost'), sqlError('connectionLimit'));
    expect(await settle(transactions.all('selectLock', {}))).toEqual({ value: [] });
    driver.failures.push(sqlError('connectionLost'));
    expect(await settle(transactions.read(async () => 'read'))).toEqual({ value: 'read' });
  });
});
