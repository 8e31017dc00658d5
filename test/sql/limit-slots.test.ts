import { deferBehind } from '../../src/domain/admission';
import type { Completion } from '../../src/domain/completion';
import type { TriggerFiring } from '../../src/domain/firing';
import { jobKey } from '../../src/domain/keys';
import { overlapKey } from '../../src/domain/limit-claims';
import { deferredTriggerKey, occurrenceOf, RETRYING_JOBS } from '../../src/domain/occurrence';
import type { SqlDriver } from '../../src/store/sql/runtime/sql-driver';
import { retryOf } from '../conformance/areas/retries';
import { job, MINUTE, NOW, once, SECOND } from '../conformance/samples';
import { namesOf, StoreDriver } from '../conformance/store-driver';
import { allTriggers } from '../support/all-stored';
import {
  keptOpen,
  openSqliteNodes,
  openStores,
  type StoreDatabase,
  storeOn,
  testNode,
} from '../support/database/sql-store';
import {
  createDatabase,
  describeOnAnyServer,
  describeOnServer,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';

const LIMIT = 2;
const short = { runsPerSlot: { sample: 3 } };

const limited = (limit = LIMIT) => job('job', { policy: { concurrency: { key: 'mail', limit } } });
const due = (count: number) =>
  Array.from({ length: count }, (_, at) => once(`t${at}`, { startTime: NOW - SECOND + at }));
const ended = (firing: TriggerFiring): Completion => ({ firing, instruction: 'DELETE_TRIGGER' });
/** Completion of a firing that waits in its slot and is deferred to run later. */
const deferred = (firing: TriggerFiring, running: TriggerFiring): Completion => {
  const { further, passesTo } = deferBehind(firing, running);
  return { ...ended(firing), further, ...(passesTo !== undefined && { passesTo }) };
};

/** Nodes with a connection each. */
function describeSlots(open: (count: number) => Promise<StoreDatabase[]>, close: () => Promise<void>) {
  let databases: StoreDatabase[];
  let nodes: StoreDriver[];
  let first: StoreDriver;
  let other: StoreDriver;
  let schedName: string;

  beforeAll(async () => {
    databases = await open(3);
  });

  beforeEach(async () => {
    schedName = testNode().schedName;
    nodes = databases.map(
      (database, index) => new StoreDriver(storeOn(database, testNode({ schedName, instanceId: `node ${index}` }))),
    );
    for (const node of nodes) await node.open();
    [first, other] = nodes as [StoreDriver, StoreDriver];
  });

  afterAll(async () => {
    for (const database of databases) await database.close();
    await close();
  });

  it('short runs share slots, and only the last run of a slot counts', async () => {
    await first.schedule(limited(), ...due(9));
    const fired = await first.fireDue({ ...short, maxCount: 4 });
    expect(fired.map(({ slot, holds }) => [slot, holds])).toEqual([
      [0, undefined],
      [0, undefined],
      [0, ['mail']],
      [1, ['mail']],
    ]);
    expect(await other.fireDue()).toEqual([]);
  });

  it('a slot is free after its last run, and as many triggers are released as can use it', async () => {
    await first.schedule(limited(), ...due(9));
    const [a, b, c, d] = (await first.fireDue({ ...short, maxCount: 4 })) as [
      TriggerFiring,
      TriggerFiring,
      TriggerFiring,
      TriggerFiring,
    ];
    expect(await first.fireDue(short)).toEqual([]);
    await first.store.completeTriggers([ended(a), ended(b)]);
    expect(await first.fireDue(short)).toEqual([]);
    first.announced = [];
    await first.store.completeTriggers([ended(c)]);
    expect(first.announced).toEqual([NOW - SECOND + 4]);
    expect(namesOf(await first.fireDue(short))).toEqual(['t4', 't5', 't6']);
    expect(await other.fireDue(short)).toEqual([]);
    await first.store.completeTriggers([ended(d)]);
    expect(namesOf(await other.fireDue(short))).toEqual(['t7', 't8']);
  });

  it('a long run keeps its slot for the firings that are deferred behind it', async () => {
    await first.schedule(limited(1), ...due(4));
    const [slow, ...waiting] = (await first.fireDue({ ...short, maxCount: 3 })) as [TriggerFiring, ...TriggerFiring[]];
    await first.store.completeTriggers(waiting.map((firing) => deferred(firing, slow)));
    expect(await other.fireDue(short)).toEqual([]);
    await first.store.completeTriggers([{ ...ended(slow), tookOver: ['mail'] }]);
    const next = await other.fireDue({ maxCount: 1 });
    expect(next.map(({ trigger }) => trigger.key)).toEqual([
      { group: 'DEFERRED_JOBS', name: `deferred_${waiting[0]?.runId}` },
    ]);
  });

  it('refused or deferred retries keep their attempt number and remain retries', async () => {
    await first.schedule(limited(1), ...due(4));
    const failed = await first.fireDue({ ...short, maxCount: 4 });
    expect(failed).toHaveLength(3);
    const retried = failed.map((firing) => ({ ...ended(firing), further: [retryOf(firing, NOW - MINUTE, 0)] }));
    await first.store.completeTriggers(retried);
    const [slow, ...waiting] = (await first.fireDue({ ...short, maxCount: 3 })) as [TriggerFiring, ...TriggerFiring[]];
    expect(new Set([slow, ...waiting].map(({ slot, trigger }) => `${slot} ${trigger.key.group}`)).size).toBe(1);
    await first.store.completeTriggers(waiting.map((firing) => deferred(firing, slow)));
    expect(await other.fireDue()).toEqual([]); // refuses the deferred retries
    await first.store.completeTriggers([{ ...ended(slow), tookOver: ['mail'] }]);
    for (const { runId, trigger } of waiting) {
      const again = await other.fireOne();
      expect(again.trigger.key).toEqual(deferredTriggerKey(runId, RETRYING_JOBS));
      const { triggerKey, scheduledTime, id } = occurrenceOf({ ...again, trigger });
      expect(occurrenceOf(again)).toEqual({ id, triggerKey, scheduledTime, attempt: 2 });
      expect(occurrenceOf({ ...again, trigger: retryOf(again, NOW) })).toMatchObject({ id, attempt: 3 });
      await other.store.completeTriggers([ended(again)]);
    }
    expect(namesOf(await other.fireDue())).toEqual(['t3']);
  });

  it('rows left by runs of a dead node count for no limit and no overlap rule', async () => {
    const keys = ['mail', overlapKey(jobKey('alone'))];
    const rows = JSON.stringify(keys.map((key) => [key, 'gone']));
    await databases[0]?.driver.transaction('scheduler', (tx) => tx.run('insertHeld', { schedName, rows }));
    await first.schedule(limited(1), ...due(1));
    await first.schedule(job('alone', { policy: { overlap: 'skip' } }), once('one', { startTime: NOW }));
    const fired = await first.fireDue();
    expect(fired.map(({ trigger, finding }) => [trigger.key.name, finding])).toEqual([
      ['t0', undefined],
      ['one', undefined],
    ]);
  });

  it('no node exceeds the limit, and every trigger fires, when ends and refusals interleave', async () => {
    const count = 120;
    await first.schedule(limited(), ...due(count));
    let used = 0;
    let most = 0;
    const seen = new Set<string>();
    const drain = async (node: StoreDriver, index: number) => {
      for (let empty = 0; seen.size < count && empty < 1_000; ) {
        const fired = await node.fireDue({ maxCount: 5, ...(index > 0 && short) });
        empty = fired.length === 0 ? empty + 1 : 0;
        for (const { trigger } of fired) seen.add(trigger.key.name);
        const holders = fired.filter(({ holds }) => holds !== undefined);
        used += holders.length;
        most = Math.max(most, used);
        await node.find('t0');
        const others = fired.filter(({ holds }) => holds === undefined);
        if (others.length > 0) await node.store.completeTriggers(others.map(ended));
        used -= holders.length;
        await node.store.completeTriggers(holders.map(ended));
      }
    };
    await Promise.all(nodes.map(drain));
    expect([seen.size, most]).toEqual([count, LIMIT]);
    expect((await allTriggers(first.store)).total).toBe(0);
    const ofDeferred = { prefix: 'deferred_', deferredGroup: 'DEFERRED_JOBS' };
    const left = await databases[0]?.driver.select('selectEndedHeld', { schedName, limit: 10, ...ofDeferred });
    expect(left).toEqual([]);
  });
}

/** A node whose transaction is delayed: another node completes a firing after the decision what to fire, and before the commit. */
function describeMissedEnds(database: () => StoreDatabase) {
  let other: StoreDriver;
  let node: StoreDriver;
  let beforeCommit: (() => Promise<unknown>) | null;

  beforeEach(async () => {
    const { driver } = database();
    const { schedName } = testNode();
    const transaction: SqlDriver['transaction'] = (role, work, options) => {
      const andThen: typeof work = async (tx) => {
        const result = await work(tx);
        const then = role === 'scheduler' ? beforeCommit : null;
        if (then !== null) beforeCommit = null;
        await then?.();
        return result;
      };
      return driver.transaction(role, andThen, options);
    };
    const late = { driver: { ...keptOpen(driver), transaction }, close: async () => {} };
    other = new StoreDriver(storeOn(database(), testNode({ schedName, instanceId: 'other' })));
    node = new StoreDriver(storeOn(late, testNode({ schedName, instanceId: 'node' })));
    beforeCommit = null;
    await other.open();
    await node.open();
    await other.schedule(limited(1), ...due(2));
  });

  it('a trigger is released if the run that blocks it ends before the refusal is committed', async () => {
    const running = await other.fireOne();
    beforeCommit = () => other.store.completeTriggers([ended(running)]);
    expect(namesOf(await node.fireDue())).toEqual(['t1']);
  });

  it('a trigger is also released if its batch fires other triggers', async () => {
    const running = await other.fireOne();
    await other.schedule(job('plain'), once('plain', { startTime: NOW - 1 }));
    beforeCommit = () => other.store.completeTriggers([ended(running)]);
    node.announced = [];
    expect(namesOf(await node.fireDue())).toEqual(['plain']);
    expect(node.announced).toEqual([NOW - SECOND + 1]);
    expect(namesOf(await other.fireDue())).toEqual(['t1']);
  });
}

describeOnAnyServer('slots of concurrency limits, on a real server', () => {
  let database: TestDatabase;

  describeSlots(
    async (count) => {
      database = await createDatabase(await sharedServer());
      return Promise.all(Array.from({ length: count }, () => openStores(database.url)));
    },
    async () => database.drop(),
  );
});

describeOnServer('runs that end while a trigger is refused', () => {
  let database: TestDatabase;
  let stores: StoreDatabase;

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
    stores = await openStores(database.url);
  });

  afterAll(async () => {
    await stores.close();
    await database.drop();
  });

  describeMissedEnds(() => stores);
});

describe('slots of concurrency limits, on SQLite', () => {
  describeSlots(openSqliteNodes, async () => {});
});
