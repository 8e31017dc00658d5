import { systemRandom } from '../../src/base/ids';

import { jobKey } from '../../src/domain/keys';
import { RECOVERING_JOBS } from '../../src/domain/recovery';
import type { NodeIdentity, NodeRecord } from '../../src/store/cluster-store';
import { Transactions } from '../../src/store/sql/runtime/transactions';
import { takeApart } from '../conformance/areas/shards';
import { everyMinute, job, once } from '../conformance/samples';
import { StoreDriver } from '../conformance/store-driver';
import { allTriggers } from '../support/all-stored';
import { type SqlStoresOfNode, storesOfNode } from '../support/database/cluster-stores';
import { clock } from '../support/database/sql-fixture';
import {
  type NodeOptions,
  openSqliteNodes,
  openStores,
  type StoreDatabase,
  testNode,
} from '../support/database/sql-store';
import {
  createDatabase,
  describeOnAnyServer,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';
import { IS_LONG } from '../support/long-forms';

const OPTIONS = { maxRecoveryAttempts: 3, maxHandOvers: 10 };

/** A node with its own connections. */
class Node extends StoreDriver {
  readonly stores: SqlStoresOfNode;
  readonly identity: NodeIdentity;

  constructor(database: StoreDatabase, options: NodeOptions & { readonly instanceId: string }) {
    const stores = storesOfNode(database, options);
    super(stores.store);
    this.stores = stores;
    const { instanceId } = options;
    const pace = { checkInInterval: 1_000, checkInGrace: 2_000 };
    this.identity = { instanceId, epoch: instanceId, version: '1', host: 'h', processId: 1, ...pace };
  }

  get cluster() {
    return this.stores.cluster;
  }

  async begin(): Promise<this> {
    await this.open();
    await this.cluster.join(this.identity, null, OPTIONS);
    return this;
  }

  async record(): Promise<NodeRecord> {
    const { nodes } = await this.cluster.readNodes();
    return nodes.find(({ instanceId }) => instanceId === this.identity.instanceId) as NodeRecord;
  }
}

function transactionsOn(database: StoreDatabase, schedName: string): Transactions {
  return new Transactions(database.driver, { schedName, clock, random: systemRandom });
}

/** Holds a lock until the returned function is called. */
async function hold(transactions: Transactions, lock: 'TRIGGER_ACCESS' | 'STATE_ACCESS'): Promise<() => Promise<void>> {
  const release = deferred();
  const held = deferred();
  const ended = transactions.run(lock, async (tx) => {
    await tx.all('selectClock', {}); // answered once the lock is granted
    held.resolve();
    await release.promise;
  });
  await held.promise;
  return async () => {
    release.resolve();
    await ended;
  };
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  const settle: { resolve: () => void } = { resolve: () => undefined };
  const promise = new Promise<void>((resolve) => {
    settle.resolve = resolve;
  });
  return { promise, resolve: () => settle.resolve() };
}

function describeRecoveries(open: () => Promise<readonly StoreDatabase[]>): void {
  let databases: readonly StoreDatabase[];
  let schedName: string;
  let dead: Node;
  let survivors: readonly Node[];

  beforeAll(async () => {
    databases = await open();
  });

  beforeEach(async () => {
    schedName = testNode().schedName;
    const node = (index: number, instanceId: string) =>
      new Node(databases[index] as StoreDatabase, { schedName, instanceId }).begin();
    dead = await node(0, 'dead');
    survivors = [await node(1, 'survivor 1'), await node(2, 'survivor 2')];
  });

  afterAll(async () => {
    for (const database of databases) await database.close();
  });

  it('survivors recover a dead node concurrently, and each firing exactly once', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `t${index}`);
    const jobs = names.map((name) => job(name, { requestsRecovery: true, disallowConcurrentExecution: true }));
    for (const [index, detail] of jobs.entries()) await dead.schedule(detail, everyMinute(names[index]));
    const fired = await dead.fireDue({ maxCount: 40 });
    const acquired = await dead.acquire({ maxCount: 20 });
    expect([fired.length, acquired.length]).toEqual([40, 20]);

    const seen = await dead.record();
    const reports = await Promise.all(survivors.map(({ cluster }) => cluster.recoverInstance(seen, OPTIONS)));
    const [report] = reports.filter((each) => each !== null);
    expect(reports.filter((each) => each !== null)).toHaveLength(1);
    expect(report).toMatchObject({ released: 20, lost: 0, exhausted: [] });
    expect(report?.recovered.map(({ name }) => name).sort()).toEqual(
      fired.map(({ runId }) => `recover_${runId}`).sort(),
    );

    const again = (await Promise.all(survivors.map((node) => node.fireDue({ maxCount: 100 })))).flat();
    expect(again.filter(({ recovering }) => recovering)).toHaveLength(40);
    expect(again.filter(({ recovering }) => !recovering)).toHaveLength(20);
    const owners = new Map(again.map((firing) => [firing.runId, firing]));
    expect(owners.size).toBe(60);
    for (const node of survivors) {
      const mine = again.filter(({ runId }) => runId.startsWith(node.identity.instanceId));
      await node.store.completeTriggers(mine.map((firing) => ({ firing, instruction: 'DELETE_TRIGGER' })));
    }
    await expect(dead.cluster.getFirings()).resolves.toEqual([]);
    const states = (await allTriggers(dead.store)).items.map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(['WAITING']));
    await expect(dead.cluster.sweep(100)).resolves.toEqual({ released: 0, unblocked: 0 });
  });

  it('each firing is either completed by its node or recovered, but not both', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `t${index}`);
    await dead.schedule(job('job', { requestsRecovery: true }), ...names.map((name) => everyMinute(name)));
    const fired = await dead.fireDue({ maxCount: 40 });
    const seen = await dead.record();
    const complete = (firing: (typeof fired)[number]) => dead.store.completeTriggers([{ firing, instruction: 'NOOP' }]);
    const [outcomes, report] = await Promise.all([
      Promise.all(fired.map(complete)),
      survivors[0]?.cluster.recoverInstance(seen, OPTIONS),
    ]);
    const completed = outcomes.flat().filter(({ status }) => status === 'completed').length;
    expect(completed + (report?.recovered.length ?? 0)).toBe(40);
    const later = dead.now + 1_000; // by then, every node may fire every trigger
    const recovering = (await survivors[1]?.fireDue({ now: later, noLaterThan: later }))?.filter(
      (firing) => firing.recovering,
    );
    expect(recovering).toHaveLength(report?.recovered.length ?? 0);
  });

  it('either a check-in or a concurrent recovery of the same node succeeds, but not both', async () => {
    const seen = await dead.record();
    const [checkedIn, report] = await Promise.all([
      dead.cluster.checkIn(dead.identity, 0),
      survivors[0]?.cluster.recoverInstance(seen, OPTIONS),
    ]);
    const after = await dead.cluster.checkIn(dead.identity, 0);
    expect(after.isMember).toBe(report === null);
    if (report === null) expect(checkedIn.isMember).toBe(true);
  });

  it('a sweep repairs triggers that another program has left ACQUIRED or BLOCKED', async () => {
    await dead.schedule(
      job('serial', { disallowConcurrentExecution: true }),
      everyMinute('s1', { priority: 9 }),
      everyMinute('s2'),
    );
    await dead.schedule(job('plain'), everyMinute('p1'), once('p2'));
    await dead.store.pauseTriggers([{ name: 's2', group: 'DEFAULT' }]);
    const fired = await dead.fireDue({ maxCount: 1 });
    const acquired = await dead.acquire();
    expect([fired.length, acquired.length]).toEqual([1, 2]);
    // Rows as another program or a manual edit might leave them.
    const entries = [...fired, ...acquired].map(({ runId }) => ({ entryId: runId }));
    const params = { schedName, instanceId: 'dead', rows: JSON.stringify(entries) };
    await transactionsOn(databases[1] as StoreDatabase, schedName).run(null, (tx) => tx.run('deleteFiringsOf', params));

    const reports = await Promise.all(survivors.map(({ cluster }) => cluster.sweep(100)));
    expect(reports.reduce((sum, { released }) => sum + released, 0)).toBe(2);
    expect(reports.reduce((sum, { unblocked }) => sum + unblocked, 0)).toBe(2);
    const states = ['s1', 's2', 'p1', 'p2'].map((name) => dead.state(name));
    await expect(Promise.all(states)).resolves.toEqual(['WAITING', 'PAUSED', 'WAITING', 'WAITING']);
  });

  it('an occurrence whose parts were deleted by another program ends exactly once', async () => {
    await dead.schedule(job('job', { policy: { spread: { shards: 2 } } }), everyMinute());
    const firing = await dead.fireOne();
    dead.now = firing.fireTime;
    await dead.store.completeTriggers([takeApart(firing)]);
    await transactionsOn(databases[1] as StoreDatabase, schedName).run(null, async (tx) => {
      await tx.run('deleteAllSimpleTriggers', { schedName });
      await tx.run('deleteAllTriggers', { schedName });
    });
    const request = { after: null, maxCount: 100, now: dead.now };
    const sweeps = await Promise.all(survivors.map(({ store }) => store.endOccurrences(request)));
    expect(sweeps.flatMap(({ ended }) => ended)).toMatchObject([{ id: firing.runId, failed: 2 }]);
  });

  it('a sweep repairs at most the requested number of triggers', async () => {
    await dead.scheduleAll(everyMinute('t1'), everyMinute('t2'), everyMinute('t3'));
    const entries = (await dead.acquire()).map(({ runId }) => ({ entryId: runId }));
    const params = { schedName, instanceId: 'dead', rows: JSON.stringify(entries) };
    await transactionsOn(databases[1] as StoreDatabase, schedName).run(null, (tx) => tx.run('deleteFiringsOf', params));
    await expect(dead.cluster.sweep(2)).resolves.toEqual({ released: 2, unblocked: 0 });
    await expect(dead.cluster.sweep(2)).resolves.toEqual({ released: 1, unblocked: 0 });
  });
}

describe('recoveries on SQLite', () => describeRecoveries(() => openSqliteNodes(3)));

for (const isolation of IS_LONG ? (['READ COMMITTED', 'REPEATABLE READ'] as const) : (['READ COMMITTED'] as const))
  describeOnAnyServer(`recoveries on MySQL or MariaDB, ${isolation}`, () => {
    let database: TestDatabase;

    beforeAll(async () => {
      database = await createDatabase(await sharedServer());
    });

    afterAll(() => database.drop());

    const openOne = () => openStores(database.url, { isolation });

    describe('between nodes with separate connections:', () => {
      describeRecoveries(async () => [await openOne(), await openOne(), await openOne()]);
    });

    describe('a recovery that waits for the lock', () => {
      let stores: readonly StoreDatabase[];
      let schedName: string;
      let dead: Node;
      let survivor: Node;
      let problems: NonNullable<NodeOptions['problems']>;

      beforeAll(async () => {
        stores = [await openOne(), await openOne(), await openOne()];
      });

      beforeEach(async () => {
        schedName = testNode().schedName;
        problems = [];
        dead = await new Node(stores[0] as StoreDatabase, { schedName, instanceId: 'dead' }).begin();
        survivor = await new Node(stores[1] as StoreDatabase, { schedName, instanceId: 'survivor', problems }).begin();
      });

      afterAll(async () => {
        for (const each of stores) await each.close();
      });

      const untilSomebodyWaits = async () => {
        // Not INNODB_TRX: queries that are repeated within 0.1 s get the same cached answer.
        const isWaiting = async () => {
          const [status] = await database.query<{ Status: string }>('SHOW ENGINE INNODB STATUS');
          return status?.Status.split('LIST OF TRANSACTIONS')[1]?.includes('LOCK WAIT') === true;
        };
        while (!(await isWaiting()));
      };

      it('does not repeat a run that completes during the wait (Q4: it decided by rows read before the lock)', async () => {
        await dead.schedule(job('job', { requestsRecovery: true }), everyMinute());
        const firing = await dead.fireOne();
        const seen = await dead.record();
        const release = await hold(transactionsOn(stores[2] as StoreDatabase, schedName), 'TRIGGER_ACCESS');
        const recovery = survivor.cluster.recoverInstance(seen, OPTIONS);
        await untilSomebodyWaits();
        await expect(dead.complete(firing)).resolves.toMatchObject({ status: 'completed' });
        await release();
        await expect(recovery).resolves.toMatchObject({ recovered: [], lost: 0 });
        await expect(survivor.fireDue()).resolves.toEqual([]);
      });

      it('includes a firing that begins during the wait', async () => {
        await dead.schedule(job('job', { requestsRecovery: true }), everyMinute());
        const seen = await dead.record();
        const release = await hold(transactionsOn(stores[2] as StoreDatabase, schedName), 'STATE_ACCESS');
        const recovery = survivor.cluster.recoverInstance(seen, OPTIONS);
        await untilSomebodyWaits();
        const firing = await dead.fireOne();
        await release();
        await expect(recovery).resolves.toMatchObject({ recovered: [{ name: `recover_${firing.runId}` }] });
        await expect(dead.complete(firing)).resolves.toMatchObject({ status: 'fenced' });
      });

      it('does not block the check-ins of any node', async () => {
        const release = await hold(transactionsOn(stores[2] as StoreDatabase, schedName), 'TRIGGER_ACCESS');
        const recovery = survivor.cluster.recoverOrphan('nobody', OPTIONS);
        await untilSomebodyWaits();
        for (const node of [dead, survivor]) {
          await expect(node.cluster.checkIn(node.identity, 0)).resolves.toMatchObject({ isMember: true });
        }
        await release();
        await recovery;
      });

      it('applies the check-in grace of Quartz to a Java node, and recovers its runs', async () => {
        await dead.schedule(job('job', { requestsRecovery: true }), everyMinute());
        const text = 'INSERT INTO QRTZ_SCHEDULER_STATE VALUES (?, ?, 1, 7500)';
        await database.query(text, [schedName, 'java']);
        const java = new StoreDriver(storesOfNode(stores[0] as StoreDatabase, { schedName, instanceId: 'java' }).store);
        await java.fireOne();
        const { nodes } = await survivor.cluster.readNodes();
        const record = nodes.find(({ instanceId }) => instanceId === 'java') as NodeRecord;
        expect(record).toMatchObject({ epoch: null, checkInGrace: 7_500, checkInInterval: 7_500, host: null });
        await expect(survivor.cluster.recoverInstance(record, OPTIONS)).resolves.toMatchObject({ recovered: [{}] });
      });

      it('lets a node join again after a Java node has deleted its check-in row', async () => {
        await database.query('DELETE FROM QRTZ_SCHEDULER_STATE WHERE SCHED_NAME = ? AND INSTANCE_NAME = ?', [
          schedName,
          'dead',
        ]);
        await expect(dead.cluster.checkIn(dead.identity, 0)).resolves.toMatchObject({ isMember: false });
        const again = { ...dead.identity, epoch: 'again' };
        await expect(dead.cluster.join(again, null, OPTIONS)).resolves.toMatchObject({ status: 'joined' });
        await expect(dead.cluster.checkIn(again, 0)).resolves.toMatchObject({ isMember: true });
      });

      it('drops unreadable trigger data from a recovered run, and reports the row', async () => {
        await dead.schedule(
          job('job', { requestsRecovery: true }),
          everyMinute('bad'),
          everyMinute('good', { data: { a: 1 } }),
        );
        await dead.fireDue();
        const text = "UPDATE QRTZ_TRIGGERS SET JOB_DATA = X'ACED0005FF' WHERE SCHED_NAME = ? AND TRIGGER_NAME = 'bad'";
        await database.query(text, [schedName]);
        await expect(survivor.cluster.recoverInstance(await dead.record(), OPTIONS)).resolves.toMatchObject({
          lost: 0,
        });
        const again = await survivor.fireDue();
        expect(again.filter(({ recovering }) => recovering)).toHaveLength(2);
        expect(again.map(({ trigger }) => trigger.data.a).sort()).toEqual([1, undefined]);
        expect(problems.map(({ name }) => name)).toContain('DEFAULT/bad');
      });

      it('stores the data of a recovery in the format of the original trigger', async () => {
        const text = new Node(stores[0] as StoreDatabase, { schedName, instanceId: 'text', newDataForm: 'properties' });
        await text.begin();
        await text.schedule(job('job', { requestsRecovery: true }), everyMinute('t', { data: { to: 'ops' } }));
        await text.fireOne();
        await survivor.cluster.recoverInstance(await text.record(), OPTIONS);
        const select =
          'SELECT CAST(JOB_DATA AS CHAR) AS data FROM QRTZ_TRIGGERS WHERE SCHED_NAME = ? AND TRIGGER_GROUP = ?';
        const [row] = await database.query<{ data: string }>(select, [schedName, RECOVERING_JOBS]);
        expect(row?.data).toMatch(/^to=ops$/m);
        expect(row?.data).toMatch(/^QRTZ_FAILED_JOB_ORIG_TRIGGER_NAME=t$/m);
        await expect(survivor.fireOne()).resolves.toMatchObject({
          trigger: { jobKey: jobKey('job'), data: { to: 'ops' } },
        });
      });
    });
  });
