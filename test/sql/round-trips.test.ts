import { ManualClock } from '../../src/base/manual-clock';
import { jobKey } from '../../src/domain/keys';
import type {
  ConnectionRole,
  SqlDriver,
  SqlTransaction,
  TransactionOptions,
} from '../../src/store/sql/runtime/sql-driver';
import type { StatementName } from '../../src/store/sql/runtime/statement-names';
import { retryOf } from '../conformance/areas/retries';
import { everyMinute, HOUR, job, NOW, once, ran, SECOND } from '../conformance/samples';
import { namesOf, StoreDriver } from '../conformance/store-driver';
import { storesOfNode } from '../support/database/cluster-stores';
import { openSqliteStores, openStores, type StoreDatabase, storeOn, testNode } from '../support/database/sql-store';
import { SteppedDriver } from '../support/database/stepped-driver';
import { createDatabase, describeOnServer, sharedServer, type TestDatabase } from '../support/database/test-database';

/** Statements of one transaction, grouped by round trip, in order. The commit is sent separately. */
type Trips = readonly (readonly StatementName[])[];

/** A driver that records for each transaction which statements were sent together, without an answer in between. */
function noting(driver: SqlDriver, transactions: Trips[]): SqlDriver {
  return {
    dialect: driver.dialect,
    select: (...args) => driver.select(...args),
    readActivity: () => driver.readActivity(),
    close: async () => undefined,
    transaction: <T>(role: ConnectionRole, work: (tx: SqlTransaction) => Promise<T>, options?: TransactionOptions) => {
      const working = (tx: SqlTransaction) => {
        const trips: StatementName[][] = [];
        let unanswered = 0;
        transactions.push(trips);
        const noted = async <Answer>(name: StatementName, send: () => Promise<Answer>) => {
          if (unanswered++ === 0) trips.push([]);
          trips.at(-1)?.push(name);
          return send().finally(() => unanswered--);
        };
        return work({
          maxSetBytes: tx.maxSetBytes,
          get hasWritten() {
            return tx.hasWritten;
          },
          all: (name, params) => noted(name, () => tx.all(name, params)),
          run: (name, params) => noted(name, () => tx.run(name, params)),
        });
      };
      return driver.transaction(role, working, options);
    },
  };
}

/** Jobs that keep data and must not overlap, with two triggers each. Their firings and completions need the most statements. */
const exclusive = (name: string) =>
  job(name, { disallowConcurrentExecution: true, persistJobDataAfterExecution: true, requestsRecovery: true });

describeOnServer('round trips to the database while the lock is held', () => {
  let database: TestDatabase;
  let stores: StoreDatabase;
  let driver: StoreDriver;
  const transactions: Trips[] = [];

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
    stores = await openStores(database.url);
  });

  beforeEach(async () => {
    driver = new StoreDriver(storeOn({ driver: noting(stores.driver, transactions), close: async () => undefined }));
    await driver.open();
    for (const name of ['a', 'b']) {
      const key = { jobKey: jobKey(name) };
      await driver.schedule(exclusive(name), everyMinute(`${name}1`, key), everyMinute(`${name}2`, key));
    }
    transactions.length = 0;
  });

  afterAll(async () => {
    await stores.close();
    await database.drop();
  });

  const tripsOf = () => transactions.map((trips) => trips.length);

  it('are two for firing due triggers: one read and one write', async () => {
    expect(namesOf((await driver.fireDue()).map(({ trigger }) => ({ trigger })))).toEqual(['a1', 'b1']);
    expect(tripsOf()).toEqual([2]);
    expect(transactions[0]?.[1]).toEqual(expect.arrayContaining(['insertFirings', 'blockTriggers']));
  });

  it('are two for reserving, and two for firing the reserved triggers', async () => {
    const reserved = await driver.acquire();
    expect(reserved).toHaveLength(2);
    await driver.fire(...reserved);
    expect(tripsOf()).toEqual([2, 2]);
  });

  it('are one for a check-in on MariaDB, unless the incarnation has ended', async () => {
    if (stores.driver.script === undefined) return;
    const scripts: string[] = [];
    const script: SqlDriver['script'] = async (role, steps, options) => {
      scripts.push(steps.map(({ statement }) => statement).join());
      return (await stores.driver.script?.(role, steps, options)) ?? [];
    };
    const { cluster } = storesOfNode({ ...stores, driver: { ...noting(stores.driver, transactions), script } }, {});
    const facts = { version: '1', host: 'h', processId: 1, checkInInterval: SECOND, checkInGrace: SECOND };
    const identity = { ...facts, instanceId: 'a', epoch: 'first' };
    await cluster.join(identity, null, { maxRecoveryAttempts: 1, maxHandOvers: 10 });
    transactions.length = 0;
    expect(await cluster.checkIn(identity, 0)).toMatchObject({ isMember: true, nodes: [{ epoch: 'first' }] });
    expect([scripts, transactions]).toEqual([['updateCheckIn,selectNodes'], []]);
    expect(await cluster.checkIn({ ...identity, epoch: 'other' }, 0)).toMatchObject({ isMember: false });
    expect(transactions).toEqual([[['updateCheckIn'], ['selectNodes']]]);
  });

  it('are two for completions of non-concurrent jobs, whatever else they store', async () => {
    const firings = await driver.fireDue();
    transactions.length = 0;
    const ends = firings.map((firing) => ({ firing, instruction: 'NOOP', jobData: { ran: true } }) as const);
    const outcomes = await driver.store.completeTriggers(ends);
    expect(outcomes.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(tripsOf()).toEqual([2]);
    expect(transactions[0]?.[0]?.slice(0, 2)).toEqual(['selectLock', 'deleteFirings']);
    expect(transactions[0]?.[1]).toEqual(expect.arrayContaining(['updateJobData', 'unblockTriggers']));
  });

  it('are two if completions also record runs and store retries, the retries before jobs are deleted', async () => {
    await driver.schedule(job('c'), once('c', { priority: 9 }));
    const firing = await driver.fireOne();
    transactions.length = 0;
    const retry = retryOf(firing, driver.now);
    await driver.complete(firing, 'DELETE_TRIGGER', { run: ran(firing.runId), further: [retry] });
    expect(tripsOf()).toEqual([2]);
    const written = transactions[0]?.[1] ?? [];
    expect(written).toEqual(expect.arrayContaining(['insertTriggers', 'insertRuns', 'deleteOrphanJobs']));
    expect(written.indexOf('insertTriggers')).toBeLessThan(written.indexOf('deleteOrphanJobs'));
  });
});

describe('a batch that has waited for the lock', () => {
  let stores: StoreDatabase;
  let clock: ManualClock;
  let steps: SteppedDriver;
  let driver: StoreDriver;

  beforeEach(async () => {
    clock = new ManualClock(NOW);
    stores = await openSqliteStores();
    steps = new SteppedDriver(stores.driver);
    driver = new StoreDriver(storeOn({ driver: steps, close: async () => undefined }, testNode({ clock })));
    await driver.open();
    const at = (name: string, time: number) => once(name, { startTime: time });
    await driver.scheduleAll(at('due', NOW), at('meanwhile', NOW + 3 * SECOND), at('later', NOW + 6 * SECOND));
  });

  afterEach(async () => {
    steps.release();
    await stores.close();
  });

  async function acquiredAfter(waiting: number) {
    const { reached, go } = steps.holdAt('selectDueTriggers');
    const asked = driver.store.acquireTriggers(driver.request({ fireWithin: 0, noLaterThan: NOW + HOUR }));
    await reached;
    clock.advanceBy(waiting);
    go();
    return asked;
  }

  it('contains every trigger that became due during the wait, and fires none early', async () => {
    const { fired } = await acquiredAfter(5 * SECOND);
    expect(
      fired.map((each) => each.status === 'fired' && [each.firing.trigger.key.name, each.firing.fireTime - NOW]),
    ).toEqual([
      ['due', 5 * SECOND],
      ['meanwhile', 5 * SECOND],
    ]);
  });

  it('fires a trigger that became due during the wait instead of reserving it', async () => {
    await driver.fireDue(); // what was due
    const { acquired, fired } = await acquiredAfter(4 * SECOND);
    expect([acquired, fired.length]).toEqual([[], 1]);
  });
});
