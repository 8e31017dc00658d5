import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import type { Completion } from '../../src/domain/completion';
import type { ExecutionPolicy } from '../../src/domain/execution-policy';
import type { TriggerFiring } from '../../src/domain/firing';
import { jobKey } from '../../src/domain/keys';
import { rerunTrigger } from '../../src/domain/retry';
import { parseRetryPolicy } from '../../src/domain/retry-policy';
import { MIN_PRUNED } from '../../src/domain/run';
import type { NodeRecord } from '../../src/store/cluster-store';
import type { SqlJobStore } from '../../src/store/sql/sql-job-store';
import { retryOf } from '../conformance/areas/retries';
import { everyMinute, job, MINUTE, NOW, once, ran } from '../conformance/samples';
import { StoreDriver, storing } from '../conformance/store-driver';
import { allJobs, allTriggers } from '../support/all-stored';
import { type SqlStoresOfNode, storesOfNodes } from '../support/database/cluster-stores';
import { openStores, type StoreDatabase, storeOn } from '../support/database/sql-store';
import {
  createDatabase,
  describeOnAnyServer,
  type PrivateServer,
  startServer,
  type TestDatabase,
} from '../support/database/test-database';

const BATCH = 25;
const ROUNDS = 20;

const triggers = (count: number, prefix = 't') => Array.from({ length: count }, (_, i) => everyMinute(`${prefix}${i}`));

/** Each entry prepares a number of triggers of a job, and returns the operation whose statements are counted. */
const OPERATIONS = {
  'acquiring and firing': async (own: StoreDriver, size: number) => () => own.fireDue({ maxCount: size }),
  reserving: async (own: StoreDriver, size: number) => () => own.acquire({ maxCount: size }),
  firing: async (own: StoreDriver, size: number) => {
    const reserved = await own.acquire({ maxCount: size });
    return () => own.fire(...reserved);
  },
  releasing: async (own: StoreDriver, size: number) => {
    const reserved = await own.acquire({ maxCount: size });
    return () => own.store.releaseTriggers(reserved);
  },
  completing: async (own: StoreDriver, size: number) => {
    const firings = await own.fireDue({ maxCount: size });
    return () => own.store.completeTriggers(firings.map((firing) => ({ firing, instruction: 'NOOP' })));
  },
  'completing with history': async (own: StoreDriver, size: number) => {
    const firings = await own.fireDue({ maxCount: size });
    const ends = firings.map((firing) => ({ firing, instruction: 'NOOP', run: ran(firing.runId) }) as const);
    return () => own.store.completeTriggers(ends);
  },
  'completing with retries': async (own: StoreDriver, size: number) => {
    const firings = await own.fireDue({ maxCount: size });
    const ends = firings.map(
      (firing) =>
        ({
          firing,
          instruction: 'NOOP',
          run: ran(firing.runId),
          further: [retryOf(firing, own.now)],
        }) as const,
    );
    return () => own.store.completeTriggers(ends);
  },
  'listing the runs of a job': async (own: StoreDriver, size: number) => {
    await own.store.recordRuns(Array.from({ length: size }, (_, index) => ran(`r${index}`)));
    return () => own.store.listRuns({ jobKey: job().key, take: size });
  },
  'rerunning dead letters': async (own: StoreDriver, size: number) => {
    const dead = Array.from({ length: size }, (_, index) => ran(`r${index}`, { isDeadLetter: true }));
    await own.store.recordRuns(dead);
    const retry = parseRetryPolicy(false, 'a test');
    return () => own.store.resolveFailedRuns(dead.map((run) => ({ ...run, rerun: rerunTrigger(run, retry, own.now) })));
  },
  'pruning runs': async (own: StoreDriver, size: number) => {
    await own.store.recordRuns(Array.from({ length: size }, (_, index) => ran(`r${index}`)));
    // Fewer than the number between two checks of the clock, after which a portion may end.
    const maxCount = Math.min(size, MIN_PRUNED - 1);
    return () => own.store.pruneRuns({ before: own.now + 1, maxCount });
  },
  'recovering misfires': async (own: StoreDriver, size: number) => {
    own.now += 10 * MINUTE;
    return () => own.recoverMisfires(size);
  },
  storing: async (own: StoreDriver, size: number) => () => own.apply(...triggers(size, 'new ').map(storing)),
  pausing: async (own: StoreDriver) => () => own.store.pauseTriggers({ operator: 'any', value: '' }),
} as const satisfies Readonly<Record<string, (own: StoreDriver, size: number) => Promise<() => Promise<unknown>>>>;

const NODE = {
  instanceId: 'dead',
  epoch: 'dead 1',
  version: '1',
  host: 'h',
  processId: 1,
  checkInInterval: 7_500,
  checkInGrace: 7_500,
};
const LIMIT = { maxRecoveryAttempts: 3, maxHandOvers: 10 };

/** Counted by a server that no other test uses: the cost of a firing, from its due time to its completion. */
describeOnAnyServer('the number of statements and commits per firing, in batches of 25,', () => {
  let server: PrivateServer;
  let database: TestDatabase;
  let stores: StoreDatabase;
  let driver: StoreDriver;
  let asking: Connection;

  beforeAll(async () => {
    server = await startServer();
    database = await createDatabase(server);
    // One connection for all readings of the counters, because the server counts the end of a connection at an unpredictable time.
    asking = await createConnection(database.url);
    stores = await openStores(database.url);
  });

  beforeEach(async () => {
    driver = new StoreDriver(storeOn(stores) as SqlJobStore);
    await driver.open();
  });

  afterAll(async () => {
    await asking.end();
    await stores.close();
    await server.stop();
  });

  /** Com_commit: Handler_commit also counts the end of every statement of a transaction, on both servers. */
  const COUNTED = [
    'Questions',
    'Com_commit',
    'Com_stmt_execute',
    'Com_begin',
    'Com_set_option',
    'Com_show_variables',
    'Com_rollback',
  ] as const;

  type Counters = Readonly<Record<(typeof COUNTED)[number], number>>;

  async function counters(): Promise<Counters> {
    const [rows] = await asking.query<RowDataPacket[]>('SHOW GLOBAL STATUS');
    const values = new Map(rows.map(({ Variable_name, Value }) => [Variable_name, Number(Value)]));
    return Object.fromEntries(COUNTED.map((name) => [name, values.get(name)])) as Counters;
  }

  const differences = (before: Counters, after: Counters) =>
    Object.fromEntries(COUNTED.map((name) => [name, after[name] - before[name]])) as Counters;

  /**
   * Cost per firing and in total. Counts prepared statements, and the begin and end of each transaction. Statements that set the
   * idle timeout of a large transaction are not counted.
   */
  async function costOf(work: () => Promise<number>) {
    const before = await counters();
    const firings = await work();
    const after = await counters();
    const { Questions, Com_commit: commits, Com_stmt_execute, Com_begin, ...others } = differences(before, after);
    // A connection that the server has closed for inactivity is opened again, and its settings are set and read.
    const opening = others.Com_set_option + others.Com_show_variables + others.Com_rollback;
    const own = Com_stmt_execute + commits + Com_begin;
    // The second reading of the counters, and the end of an idle connection, if any.
    expect([1, 2]).toContain(Questions - opening - own);
    return { total: own, statements: own / firings, commits: commits / firings };
  }

  async function fireAll(
    rounds: number,
    instruction: 'NOOP' | 'DELETE_TRIGGER',
    more: (firing: TriggerFiring) => Pick<Completion, 'run' | 'further'> = () => ({}),
  ): Promise<number> {
    let count = 0;
    for (let round = 0; round < rounds; round++, driver.now += instruction === 'NOOP' ? MINUTE : 0) {
      const firings = await driver.fireDue({ maxCount: BATCH });
      await driver.store.completeTriggers(firings.map((firing) => ({ firing, instruction, ...more(firing) })));
      count += firings.length;
    }
    return count;
  }

  it('is below 0.5 and 0.1 for repeating triggers', async () => {
    await driver.schedule(job(), ...Array.from({ length: BATCH }, (_, i) => everyMinute(`t${i}`)));
    await fireAll(1, 'NOOP');
    const cost = await costOf(() => fireAll(ROUNDS, 'NOOP'));
    expect(cost.statements).toBeLessThan(0.5);
    expect(cost.commits).toBeLessThan(0.1);
  });

  it('is below 0.5 and 0.1 for one-shot triggers that are deleted with their jobs', async () => {
    const names = Array.from({ length: BATCH * (ROUNDS + 1) }, (_, i) => `t${i}`);
    await driver.apply(
      ...names.flatMap((name) => [
        { type: 'storeJob', job: job(name), ifExists: 'fail', requireTrigger: false } as const,
        storing(once(name, { jobKey: jobKey(name), startTime: NOW })),
      ]),
    );
    await fireAll(1, 'DELETE_TRIGGER');
    const cost = await costOf(() => fireAll(ROUNDS, 'DELETE_TRIGGER'));
    expect((await allTriggers(driver.store)).total).toBe(0);
    expect((await allJobs(driver.store)).total).toBe(0);
    expect(cost.statements).toBeLessThan(0.5);
    expect(cost.commits).toBeLessThan(0.1);
  });

  it('grows by one statement per batch, and no commit, if runs are recorded', async () => {
    await driver.schedule(job(), ...Array.from({ length: BATCH }, (_, i) => everyMinute(`t${i}`)));
    await fireAll(1, 'NOOP');
    const without = await costOf(() => fireAll(ROUNDS, 'NOOP'));
    const record = ({ runId }: TriggerFiring) => ({ run: ran(runId, { endTime: driver.now }) });
    const recorded = await costOf(() => fireAll(ROUNDS, 'NOOP', record));
    expect(recorded.commits).toBe(without.commits);
    const more = recorded.total - without.total;
    expect(Math.abs(more - ROUNDS)).toBeLessThanOrEqual(2); // the backlog is observed once a second, on a slow machine once more
    expect((await driver.store.listRuns({ take: 1_000 })).items).toHaveLength(BATCH * ROUNDS);
  });

  it('grows by two statements per batch and two per completion with limits, however many keys', async () => {
    const cost = async (keys: number) => {
      driver = new StoreDriver(storeOn(stores) as SqlJobStore);
      await driver.open();
      for (let key = 0; key < Math.max(1, keys); key++) {
        const policy = { concurrency: { key: `key ${key}`, limit: 2 * BATCH } };
        const count = BATCH / Math.max(1, keys);
        await driver.schedule(job(`job ${key}`, keys === 0 ? {} : { policy }), ...triggers(count, `of ${key}, `));
      }
      await fireAll(1, 'NOOP');
      return (await costOf(() => fireAll(ROUNDS, 'NOOP'))).total;
    };
    const without = await cost(0);
    for (const keys of [1, 5]) {
      const more = (await cost(keys)) - without;
      expect(Math.abs(more - 4 * ROUNDS)).toBeLessThanOrEqual(2); // the backlog is observed once a second, on a slow machine once more
    }
  });

  it('does not grow with a policy', async () => {
    const cost = async (policy?: ExecutionPolicy) => {
      driver = new StoreDriver(storeOn(stores) as SqlJobStore);
      await driver.open();
      const said = policy === undefined ? {} : { policy };
      await driver.schedule(job('job', said), ...triggers(BATCH).map((trigger) => ({ ...trigger, ...said })));
      await fireAll(1, 'NOOP');
      return (await costOf(() => fireAll(ROUNDS, 'NOOP'))).total;
    };
    const more = (await cost({ history: 'all', retry: parseRetryPolicy('R5/PT5M', 'a test') })) - (await cost());
    expect(Math.abs(more)).toBeLessThanOrEqual(2); // the backlog is observed once a second, on a slow machine once more
  });

  it.each(
    Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[],
  )('does not depend on the number of triggers: %s', async (name) => {
    const cost = async (size: number) => {
      const own = new StoreDriver(storeOn(stores));
      await own.open();
      await own.schedule(job(), ...triggers(size));
      const operation = await OPERATIONS[name](own, size);
      const { total } = await costOf(async () => {
        await operation();
        return size;
      });
      return total;
    };
    // More paused triggers at once would be divided into portions.
    expect(await cost(name === 'pausing' ? 190 : 400)).toBe(await cost(10));
  });

  it('does not depend on the number of firings when a node is recovered', async () => {
    const cost = async (size: number) => {
      const [dead, heir] = storesOfNodes(stores, ['dead', 'heir']) as [SqlStoresOfNode, SqlStoresOfNode];
      const own = new StoreDriver(dead.store);
      await own.open();
      await dead.cluster.join(NODE, null, LIMIT);
      await own.schedule(job('job', { requestsRecovery: true }), ...triggers(size));
      await own.fireDue({ maxCount: size / 2 });
      await own.acquire({ maxCount: size / 2 });
      const [record] = (await heir.cluster.readNodes()).nodes;
      const { total } = await costOf(async () => {
        const report = await heir.cluster.recoverInstance(record as NodeRecord, LIMIT);
        expect(report).toMatchObject({ released: size / 2, recovered: { length: size / 2 } });
        return size;
      });
      return total;
    };
    expect(await cost(400)).toBe(await cost(10));
  });

  it.each([
    // The lock, the paused groups, the jobs, the triggers, their kind, the token of the commit, and the commit.
    { what: 'scheduling new jobs', ifExists: 'fail', statements: 7 },
    // The lock, what is stored, all of the triggers, of the jobs, the number of their triggers, and the commit: nothing changes.
    { what: 'scheduling unchanged jobs', ifExists: 'replace', statements: 6 },
  ] as const)('does not depend on the number of jobs: $what', async ({ ifExists, statements }) => {
    const names = (size: number, from = 0) => Array.from({ length: size }, (_, i) => `bulk ${from + i}`);
    const schedule = (jobs: readonly string[]) =>
      driver.apply(
        ...jobs.flatMap((name) => [
          { type: 'storeJob', job: job(name), ifExists, requireTrigger: true } as const,
          { ...storing(everyMinute(name, { jobKey: jobKey(name) })), ifExists } as const,
        ]),
      );
    await schedule(ifExists === 'replace' ? names(1_060) : ['the first, which deletes old marks']);
    const cost = async (jobs: readonly string[]) => (await costOf(async () => (await schedule(jobs)).length)).total;
    expect([await cost(names(60)), await cost(names(1_000, 60))]).toEqual([statements, statements]);
  });
});
