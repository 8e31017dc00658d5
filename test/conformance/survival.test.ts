import { ManualClock } from '../../src/base/manual-clock';
import { MemoryJobStore } from '../../src/store/memory/memory-job-store';
import { storesOfNode } from '../support/database/cluster-stores';
import { openSqliteStores, openStores, type StoreDatabase, testNode } from '../support/database/sql-store';
import {
  createDatabase,
  describeOnAnyServer,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';
import { NOW, POLICY } from './samples';
import { StoreDriver } from './store-driver';
import { NEED_CLUSTER, playExecuting } from './survival/executing';
import { failFurtherRun, killFurtherRun, LOST_WITH_THEIR_NODE, WAYS } from './survival/one-offs';
import { RECORDING, type StoreOfNode } from './survival/survival-node';
import { type Fate, KINDS, type Kind, type Row, WHILE_IT_EXECUTES, WHILE_IT_WAITS } from './survival/table';
import { playWaiting } from './survival/waiting';

type CreateNodes = () => Promise<readonly [StoreOfNode, StoreOfNode]>;

const cellsOf = <Event extends string>(rows: readonly Row<Event>[]) =>
  rows.flatMap(({ event, cells }) => KINDS.map((kind) => ({ event, kind, fate: cells[kind] })));

/** Nodes with a separate store each. In memory, the second node uses the store of the first. */
const withStores = ([first, second]: readonly [StoreOfNode, StoreOfNode]) =>
  second.driver === first.driver ? [first] : [first, second];

/** Recorded outcome of a run that an event has ended. */
function outcomeOf(event: string, fate: Fate) {
  if (fate === 'goes on') return 'succeeded';
  if (event === 'factory fails') return undefined;
  if (event === 'fails') return 'failed';
  if (event === 'fenced alone') return fate === 'runs again' ? 'lost' : 'interrupted';
  if (!event.startsWith('stopped')) return 'lost';
  return fate === 'runs again' ? 'handedOver' : 'interrupted';
}

/** The tables of survival/table.ts, cell by cell. */
function describeSurvival(name: string, createNodes: CreateNodes): void {
  describe(`survival of runs, ${name}`, () => {
    let nodes: readonly [StoreOfNode, StoreOfNode];

    beforeEach(async () => {
      nodes = await createNodes();
      for (const { driver, changes } of withStores(nodes)) {
        await driver.store.open((earliest) => {
          for (const change of changes) change(earliest);
        });
      }
    });

    afterEach(async () => {
      for (const { driver } of withStores(nodes)) await driver.store.close();
    });

    // In memory, the schedule ends with its process.
    const rows = WHILE_IT_EXECUTES.filter(({ event }) => name !== 'memory' || !NEED_CLUSTER.includes(event));

    it.each(cellsOf(rows))('event during execution: $event; kind: $kind; result: $fate', async ({
      event,
      kind,
      fate,
    }) => {
      expect(await playExecuting(kind as Kind, event, nodes)).toEqual({ fate, outcome: outcomeOf(event, fate) });
    });

    it.each(cellsOf(WHILE_IT_WAITS))('event while waiting: $event; kind: $kind; result: $fate', async ({
      event,
      kind,
      fate,
    }) => {
      expect(await playWaiting(kind as Kind, event, nodes)).toBe(fate);
    });

    it.each(KINDS)('a run of a deleted job that a shutdown stops is recorded as interrupted: %s', async (kind) => {
      const fate = kind === 'one-off' ? 'dead letter' : 'ends';
      expect(await playExecuting(kind, 'deleted, then stopped', nodes)).toEqual({ fate, outcome: 'interrupted' });
    });

    it.each(WAYS)('the $way of a one-off becomes a dead letter if it fails finally', async (way) => {
      expect(await failFurtherRun(way, nodes)).toEqual(['failed']);
    });

    if (name === 'memory') return;
    it.each(LOST_WITH_THEIR_NODE)('the $way of a one-off becomes a dead letter if its node is killed', async (way) => {
      expect(await killFurtherRun(way, nodes)).toEqual(['lost']);
    });
  });
}

let count = 0;

describeSurvival('memory', async () => {
  const store = new MemoryJobStore(() => `memory.${++count}`, { policy: POLICY });
  const driver = new StoreDriver(store);
  const changes: StoreOfNode['changes'] = new Set();
  const clock = new ManualClock(NOW);
  return [
    { instanceId: 'a', clock, driver, cluster: null, changes },
    { instanceId: 'b', clock, driver, cluster: null, changes },
  ];
});

function onDatabase(database: () => StoreDatabase): CreateNodes {
  return async () => {
    const { schedName } = testNode();
    const clock = new ManualClock(NOW);
    const nodeOf = (instanceId: string): StoreOfNode => {
      const { store, cluster } = storesOfNode(database(), { schedName, instanceId, clock, policy: RECORDING });
      return { instanceId, clock, driver: new StoreDriver(store), cluster, changes: new Set() };
    };
    return [nodeOf('a'), nodeOf('b')];
  };
}

describe('in a file', () => {
  let database: StoreDatabase;
  beforeAll(async () => {
    database = await openSqliteStores();
  });
  afterAll(() => database.close());

  describeSurvival(
    'sqlite',
    onDatabase(() => database),
  );
});

describeOnAnyServer('on a server', () => {
  let database: TestDatabase;
  let stores: StoreDatabase;
  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
    stores = await openStores(database.url, { schema: 'create' });
  });
  afterAll(async () => {
    await stores.close();
    await database.drop();
  });

  describeSurvival(
    'database',
    onDatabase(() => stores),
  );
});
