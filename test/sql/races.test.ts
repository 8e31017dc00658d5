import type { TriggerFiring } from '../../src/domain/firing';
import type { JobDetail } from '../../src/domain/job-detail';
import { jobKey } from '../../src/domain/keys';
import { everyMinute, job, NOW, once, SECOND } from '../conformance/samples';
import { expectFired, StoreDriver, storing } from '../conformance/store-driver';
import { allTriggers } from '../support/all-stored';
import { openSqliteNodes, openStores, type StoreDatabase, storeOn, testNode } from '../support/database/sql-store';
import {
  createDatabase,
  describeOnAnyServer,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';

/** Concurrent nodes with a connection each. One transaction may change what another one has read before it writes. */
function describeRaces(open: (count: number) => Promise<StoreDatabase[]>, close: () => Promise<void>) {
  let databases: StoreDatabase[];
  let nodes: StoreDriver[];
  let first: StoreDriver;

  beforeAll(async () => {
    databases = await open(3);
  });

  beforeEach(async () => {
    const { schedName } = testNode();
    nodes = databases.map(
      (database, index) => new StoreDriver(storeOn(database, testNode({ schedName, instanceId: `node ${index}` }))),
    );
    for (const node of nodes) await node.open();
    first = nodes[0] as StoreDriver;
  });

  afterAll(async () => {
    for (const database of databases) await database.close();
    await close();
  });

  const idsOf = (firings: readonly TriggerFiring[]) => firings.map(({ trigger }) => trigger.key.name);

  it('every fire time fires once, on one of the nodes', async () => {
    const count = 300;
    await first.scheduleAll(...Array.from({ length: count }, (_, index) => once(`t${index}`)));
    const drain = async (node: StoreDriver) => {
      const fired: TriggerFiring[] = [];
      for (;;) {
        const firings = await node.fireDue({ maxCount: 7 });
        if (firings.length === 0) return fired;
        fired.push(...firings);
        await node.store.completeTriggers(firings.map((firing) => ({ firing, instruction: 'DELETE_TRIGGER' })));
      }
    };
    const all = (await Promise.all(nodes.map(drain))).flatMap(idsOf);
    expect(all).toHaveLength(count);
    expect(new Set(all).size).toBe(count);
    expect((await allTriggers(first.store)).total).toBe(0);
    expect(await first.job()).toBeNull();
  });

  it('a non-concurrent job never executes twice, and no trigger of it stays blocked', async () => {
    await first.schedule(
      job('serial', { disallowConcurrentExecution: true }),
      ...['a', 'b', 'c', 'd'].map((name) =>
        everyMinute(name, { repeatInterval: SECOND, misfireInstruction: 'IGNORE_MISFIRE_POLICY' }),
      ),
    );
    let executing = 0;
    let most = 0;
    let fired = 0;
    const run = async (node: StoreDriver) => {
      // Each node runs at least 25 turns, and continues until the job has run often enough for a clear result.
      for (let turn = 0; turn < 25 || (fired < 12 && turn < 1_000); turn++) {
        const acquired = await node.acquire({ noLaterThan: NOW + 60 * SECOND, maxCount: 2 });
        if (turn % 5 === 4) {
          await node.store.releaseTriggers(acquired);
          continue;
        }
        for (const result of await node.fire(...acquired)) {
          if (result.status !== 'fired') continue;
          fired += 1;
          executing += 1;
          most = Math.max(most, executing);
          await node.find('a');
          executing -= 1;
          await node.complete(expectFired(result));
        }
      }
    };
    await Promise.all(nodes.map(run));
    expect(fired).toBeGreaterThan(10);
    expect(most).toBe(1);
    const { items } = await allTriggers(first.store);
    expect(items.map(({ state }) => state)).toEqual(['WAITING', 'WAITING', 'WAITING', 'WAITING']);
  });

  it('the last trigger of a job can be deleted while another one is stored for the job', async () => {
    for (let round = 0; round < 20; round++) {
      await first.schedule(job('job'), once(`old ${round}`));
      const firing = await first.fireOne();
      const [completed, stored] = await Promise.allSettled([
        first.complete(firing, 'DELETE_TRIGGER'),
        (nodes[1] as StoreDriver).apply(storing(once(`new ${round}`, { startTime: NOW + SECOND }))),
      ]);
      expect(completed).toMatchObject({ status: 'fulfilled', value: { status: 'completed', deletedTrigger: true } });
      const isStored = stored.status === 'fulfilled';
      if (!isStored) expect(stored.reason).toMatchObject({ code: 'JOB_NOT_FOUND' });
      expect((await first.job()) !== null).toBe(isStored);
      await first.applyOne({ type: 'deleteJob', key: jobKey('job') });
    }
  });

  it('a job can become non-concurrent while its executions end, and blocks nothing afterwards', async () => {
    const become = (disallowConcurrentExecution: boolean): JobDetail => job('job', { disallowConcurrentExecution });
    await first.schedule(
      become(false),
      ...['a', 'b', 'c'].map((name) => everyMinute(name, { repeatInterval: SECOND })),
    );
    for (let round = 0; round < 20; round++, first.now += SECOND) {
      const firings = await first.fireDue();
      expect(firings).toHaveLength(3);
      const change = { type: 'storeJob', ifExists: 'replace', requireTrigger: false } as const;
      await Promise.all([
        first.store.completeTriggers(firings.map((firing) => ({ firing, instruction: 'NOOP' }))),
        (nodes[1] as StoreDriver).applyOne({ ...change, job: become(true) }),
      ]);
      const { items } = await allTriggers(first.store);
      expect(items.map(({ state }) => state)).toEqual(['WAITING', 'WAITING', 'WAITING']);
      await first.applyOne({ ...change, job: become(false) });
    }
  });
}

describeOnAnyServer('races between nodes on a real server', () => {
  let database: TestDatabase;
  describeRaces(
    async (count) => {
      database = await createDatabase(await sharedServer());
      const opened: StoreDatabase[] = [];
      for (let index = 0; index < count; index++) opened.push(await openStores(database.url));
      return opened;
    },
    () => database.drop(),
  );
});

describe('races between nodes on SQLite', () => {
  describeRaces(openSqliteNodes, async () => undefined);
});
