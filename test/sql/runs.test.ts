import { POLICY_KEY } from '../../src/domain/execution-policy';
import type { TriggerFiring } from '../../src/domain/firing';
import { jobKey, triggerKey } from '../../src/domain/keys';
import { RETRYING_JOBS } from '../../src/domain/occurrence';
import { RECOVERING_JOBS } from '../../src/domain/recovery';
import { retryTriggerKey } from '../../src/domain/retry';
import { parseRetryPolicy } from '../../src/domain/retry-policy';
import type { RunRecord } from '../../src/domain/run';
import { oneShotTrigger } from '../../src/domain/trigger';
import type { NodeIdentity, NodeRecord } from '../../src/store/cluster-store';
import type { RowProblem, SqlNode } from '../../src/store/sql/rows/sql-node';
import { retryOf } from '../conformance/areas/retries';
import { everyMinute, job, MINUTE, NOW, once, ran, SECOND } from '../conformance/samples';
import { StoreDriver } from '../conformance/store-driver';
import { allTriggers } from '../support/all-stored';
import { storesOfNode } from '../support/database/cluster-stores';
import {
  type NodeOptions,
  openSqliteStores,
  openStores,
  type StoreDatabase,
  storeOn,
  testNode,
} from '../support/database/sql-store';
import { SteppedDriver } from '../support/database/stepped-driver';
import {
  createDatabase,
  describeOnAnyServer,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';

const POLICY = { retry: parseRetryPolicy('R5/PT5M', 'a test'), history: 'all' } as const;
const POLICY_TEXT = '{"retry":{"max":5,"delays":[300000]},"history":"all"}';
const HISTORY = { ...POLICY, retry: parseRetryPolicy(false, 'a test') } as const;
const LIMIT = { maxRecoveryAttempts: 3, maxHandOvers: 10 };

const rerun = (runId: string, startTime = NOW) =>
  oneShotTrigger(retryTriggerKey(runId), startTime, { jobKey: jobKey('job'), data: {}, priority: 5 }, undefined);

interface Opened {
  readonly stores: StoreDatabase;
  /** Other connections; null if the database allows only one writer. */
  readonly others: StoreDatabase | null;
  readonly close: () => Promise<void>;
}

type Open = () => Promise<Opened>;

function describeSqlRuns(open: Open): void {
  let stores: StoreDatabase;
  let others: StoreDatabase | null;
  let close: () => Promise<void>;
  let steps: SteppedDriver;
  let node: SqlNode;
  let driver: StoreDriver;

  beforeAll(async () => {
    ({ stores, others, close } = await open());
  });

  afterAll(() => close());

  beforeEach(() => begin({}));

  afterEach(() => steps.release());

  it('runs are read in bounded pages if no index supports the filter', async () => {
    const old = ran('the one', { endTime: NOW - 1, error: 'out of paper', outcome: 'failed' });
    await driver.store.recordRuns([old]);
    for (let start = 0; start < 60_000; start += 5_000) {
      const page = Array.from({ length: 5_000 }, (_, index) =>
        ran(`r${start + index}`, { endTime: NOW + start + index }),
      );
      await driver.store.recordRuns(page);
    }
    for (const filter of [{ search: 'paper' }, { instanceId: old.instanceId, search: 'paper' }]) {
      const first = await driver.store.listRuns({ ...filter, take: 10 });
      expect(first).toEqual({ items: [], next: { endTime: NOW + 54_999, runId: '' } });
      let [page, parts] = [first, 1];
      for (; page.next !== null; parts++) page = await driver.store.listRuns({ ...filter, take: 10, after: page.next });
      expect(parts).toBe(12);
      expect(page).toMatchObject({ items: [{ runId: 'the one' }], next: null });
    }
    const all: string[] = [];
    const matching = { instanceId: old.instanceId, take: 25_000 };
    for (let page = await driver.store.listRuns(matching); ; ) {
      all.push(...page.items.map(({ runId }) => runId));
      if (page.next === null) break;
      page = await driver.store.listRuns({ ...matching, after: page.next });
    }
    expect([all.length, new Set(all).size]).toEqual([60_001, 60_001]);
    // The failures are few, and their index leads to them.
    const failed = await driver.store.listRuns({ outcomes: ['failed'], search: 'paper', take: 10 });
    expect(failed).toMatchObject({ items: [{ runId: 'the one' }], next: null });
  });

  async function begin(options: NodeOptions): Promise<void> {
    steps = new SteppedDriver(stores.driver);
    node = testNode(options);
    driver = new StoreDriver(storeOn({ driver: steps, close: async () => undefined }, node));
    await driver.open();
  }

  const all = async () => (await driver.store.listRuns({ take: 1_000 })).items;
  const ids = async () => (await all()).map(({ runId }) => runId);
  const withTokens = (name: string) =>
    storeOn({ driver: steps, close: async () => undefined }, { ...node, instanceId: name });

  /** The bytes of a job's or trigger's data column, as text. */
  async function storedData(what: 'job' | 'trigger'): Promise<string | null> {
    const rows = JSON.stringify([
      { jobName: 'job', jobGroup: 'DEFAULT', triggerName: 'trigger', triggerGroup: 'DEFAULT' },
    ]);
    const { schedName, instanceId } = node;
    type Row = { readonly DETAIL_DATA: Uint8Array | null; readonly JOB_DATA: Uint8Array | null };
    const [row] =
      what === 'job'
        ? await stores.driver.select<Row>('selectJobs', { schedName, rows })
        : await stores.driver.select<Row>('selectTriggers', { schedName, instanceId, rows });
    const bytes = what === 'job' ? row?.DETAIL_DATA : row?.JOB_DATA;
    return bytes === null || bytes === undefined ? null : Buffer.from(bytes).toString();
  }

  async function writeJobData(text: string): Promise<void> {
    const row = { jobName: 'job', jobGroup: 'DEFAULT', jobData: Buffer.from(text).toString('hex') };
    const params = { schedName: node.schedName, rows: JSON.stringify([row]) };
    await stores.driver.transaction('scheduler', (tx) => tx.run('updateJobData', params));
  }

  describe('a policy', () => {
    it('is stored in the data under QRTZ_X_POLICY, where other versions and Java can read it', async () => {
      await driver.schedule(job('job', { data: { a: 1 }, policy: POLICY }), everyMinute('trigger', { policy: POLICY }));
      expect(POLICY_KEY).toBe('QRTZ_X_POLICY');
      expect(await storedData('job')).toBe(JSON.stringify({ a: 1, QRTZ_X_POLICY: POLICY_TEXT }));
      expect(await storedData('trigger')).toBe(JSON.stringify({ QRTZ_X_POLICY: POLICY_TEXT }));
    });

    it('fits next to data of the maximum size, and so does a retry', async () => {
      const data = { text: 'x'.repeat(60 * 1024 - '{"text":""}'.length) };
      const trigger = everyMinute('trigger', { data, policy: POLICY });
      await driver.schedule(job('job', { data, policy: POLICY }), trigger);
      expect(await driver.job()).toMatchObject({ data, policy: POLICY });
      const firing = await driver.fireOne();
      const retry = retryOf(firing, driver.now);
      await driver.complete(firing, 'NOOP', { further: [retry] });
      expect(await driver.trigger(retry.key)).toEqual(retry);
    });

    it('adds nothing to the stored data if it is not set', async () => {
      await driver.schedule(job('job', { data: { a: 1 } }), everyMinute());
      expect([await storedData('job'), await storedData('trigger')]).toEqual(['{"a":1}', null]);
    });

    it('is also stored in Properties', async () => {
      await begin({ newDataForm: 'properties' });
      await driver.schedule(job('job', { data: { a: 'b' }, policy: POLICY }), everyMinute());
      expect(await storedData('job')).toMatch(/^QRTZ_X_POLICY=\{\\?"retry/m);
      expect(await driver.job()).toMatchObject({ data: { a: 'b' }, policy: POLICY });
    });

    it('from an unknown later version is kept when the job stores its data', async () => {
      const persisting = { persistJobDataAfterExecution: true, disallowConcurrentExecution: true } as const;
      await driver.schedule(job('job', persisting), everyMinute());
      await writeJobData('{"n":1,"QRTZ_X_POLICY":"{\\"history\\":\\"sometimes\\"}"}');
      const firing = await driver.fireOne();
      expect(firing.jobDetail).toMatchObject({ data: { n: 1 } });
      expect(firing.jobDetail).not.toHaveProperty('policy');
      await driver.complete(firing, 'NOOP', { jobData: { n: 2 } });
      expect(await storedData('job')).toBe('{"n":2,"QRTZ_X_POLICY":"{\\"history\\":\\"sometimes\\"}"}');
    });
  });

  describe('a retry', () => {
    it('runs without data that its row cannot hold, and reports the problem', async () => {
      const problems: RowProblem[] = [];
      await begin({ newDataForm: 'properties', problems });
      await driver.scheduleAll(everyMinute());
      const firing = await driver.fireOne();
      const data = { number: 1, QRTZ_X_OCCURRENCE_ATTEMPT: '2' };
      const retry = { ...rerun(firing.runId), data, policy: POLICY };
      expect(await driver.complete(firing, 'NOOP', { further: [retry] })).toMatchObject({ status: 'completed' });
      const stored = await driver.trigger(retry.key);
      expect(stored).toMatchObject({ data: { QRTZ_X_OCCURRENCE_ATTEMPT: '2' }, policy: POLICY });
      expect(problems).toMatchObject([{ what: 'trigger', name: `${RETRYING_JOBS}/retry_${firing.runId}` }]);
    });
  });

  describe('a run', () => {
    it('is recorded even if its error is too long or contains half a surrogate pair or a null character', async () => {
      const errors = ['x'.repeat(5_000), `${'x'.repeat(999)}😀`, '\ud83d', 'a\u0000b', '任务 😀'];
      await driver.store.recordRuns(errors.map((error, index) => ran(`r${index}`, { error, endTime: NOW - index })));
      const found = (await all()).map(({ error }) => error);
      expect(found.map((error) => error?.length)).toEqual([1_000, 1_000, 1, 3, 5]);
      expect([found[3], found[4]]).toEqual(['a\ufffdb', '任务 😀']);
    });

    it('keeps a detail text of a hundred thousand characters', async () => {
      const detail = JSON.stringify({ stack: '任务'.repeat(50_000) });
      await driver.store.recordRuns([ran('r', { detail })]);
      expect(await all()).toMatchObject([{ detail }]);
      expect((await driver.store.listRuns({ take: 1, detail: 'none' })).items).toMatchObject([{ detail: null }]);
    });

    it.each(['arrived', 'lost'] as const)('is recorded once if its commit gets no answer and has %s', async (fault) => {
      await driver.scheduleAll(everyMinute());
      const firing = await driver.fireOne();
      const retry = rerun(firing.runId, NOW + MINUTE);
      steps.loseCommit(fault);
      const run = ran(firing.runId, { outcome: 'failed' });
      expect(await driver.complete(firing, 'NOOP', { run, further: [retry] })).toMatchObject({ status: 'completed' });
      expect(await all()).toEqual([run]);
      expect(await driver.state(retry.key)).toBe('WAITING');
    });

    it('and its retry are not stored if the batch fails, but with the next attempt', async () => {
      await driver.scheduleAll(everyMinute());
      const firing = await driver.fireOne();
      steps.at('commit', () => {
        throw new Error('not today');
      });
      const retry = rerun(firing.runId);
      const more = { run: ran('r'), further: [retry] };
      expect(await driver.complete(firing, 'NOOP', more)).toMatchObject({ status: 'failed' });
      expect([await all(), await driver.state(retry.key)]).toEqual([[], null]);
      expect(await driver.complete(firing, 'NOOP', more)).toMatchObject({ status: 'completed' });
      expect([await ids(), await driver.state(retry.key)]).toEqual([['r'], 'WAITING']);
    });

    it('is recorded without a retry if another completion deletes its job at the same time', async () => {
      if (others === null) return;
      await driver.scheduleAll(once('a'), once('b', { priority: 1 }));
      const [a, b] = (await driver.fireDue()) as [TriggerFiring, TriggerFiring];
      await driver.applyOne({ type: 'deleteTrigger', key: a.trigger.key });
      const { reached, go } = steps.holdAt('insertTriggers');
      const completing = driver.complete(a, 'NOOP', { further: [rerun(a.runId)], run: ran('a') });
      await reached; // the job existed, and is now deleted with its last trigger
      const [outcome] = await storeOn(others, node).completeTriggers([{ firing: b, instruction: 'DELETE_TRIGGER' }]);
      expect(outcome).toMatchObject({ deletedJob: true });
      go();
      expect(await completing).toMatchObject({ status: 'completed' });
      expect([await ids(), await driver.job()]).toEqual([['a'], null]);
    });
  });

  describe('a dead letter', () => {
    const dead = (runId: string, endTime = NOW): RunRecord =>
      ran(runId, { endTime, outcome: 'failed', isDeadLetter: true });

    it.each(['arrived', 'lost'] as const)('is rerun once if the commit gets no answer and has %s', async (fault) => {
      await driver.schedule(job('job', { durable: true }));
      await driver.store.recordRuns([dead('a')]);
      driver.announced = [];
      steps.loseCommit(fault);
      const resolutions = [{ endTime: NOW, runId: 'a', rerun: rerun('a', NOW + SECOND) }];
      expect(await driver.store.resolveFailedRuns(resolutions)).toEqual([true]);
      expect(driver.announced).toEqual([NOW + SECOND]);
      expect(await driver.state(retryTriggerKey('a'))).toBe('WAITING');
      expect(await driver.store.resolveFailedRuns(resolutions)).toEqual([false]);
      expect(await all()).toMatchObject([{ runId: 'a', isDeadLetter: false }]);
    });

    it('is resolved by only one of several concurrent callers', async () => {
      await driver.schedule(job('job', { durable: true }));
      await driver.store.recordRuns([dead('a')]);
      const resolve = (name: string) =>
        withTokens(name).resolveFailedRuns([{ endTime: NOW, runId: 'a', rerun: rerun('a') }]);
      const answers = await Promise.all(['x', 'y', 'z'].map(resolve));
      expect(answers.flat().sort()).toEqual([false, false, true]);
      expect((await allTriggers(driver.store)).total).toBe(1);
    });

    it('that is resolved during a prune is kept as a run', async () => {
      await driver.store.recordRuns([dead('a')]);
      steps.at('deleteRuns', async () => {
        const store = storeOn(stores, { ...node, instanceId: 'other' });
        await store.resolveFailedRuns([{ endTime: NOW, runId: 'a', rerun: null }]);
      });
      if (others === null) return;
      expect(await driver.store.pruneRuns({ before: NOW + 1, deadLetters: true, maxCount: 9 })).toBe(0);
      expect(await all()).toMatchObject([{ runId: 'a', isDeadLetter: false }]);
    });
  });

  it('runs are pruned in portions, by their keys, and without a lock', async () => {
    await driver.store.recordRuns(
      Array.from({ length: 25 }, (_, index) =>
        ran(`r${index}`, { endTime: NOW + index, outcome: index % 2 === 0 ? 'succeeded' : 'failed' }),
      ),
    );
    steps.at('selectLock', () => {
      throw new Error('no lock is needed');
    });
    const counts: number[] = [];
    for (let count = 10; count === 10; counts.push(count)) {
      count = await driver.store.pruneRuns({ before: NOW + 100, maxCount: 10 });
      expect((await all()).at(-1)?.endTime ?? NOW + 25).toBe(NOW + counts.length * 10 + count);
    }
    expect(counts).toEqual([10, 10, 5]);
  });

  describe('the runs of a dead node', () => {
    const identity = (instanceId: string): NodeIdentity => ({
      instanceId,
      epoch: instanceId,
      version: '1',
      host: 'h',
      processId: 1,
      checkInInterval: 1_000,
      checkInGrace: 2_000,
    });

    async function nodes(options: NodeOptions = {}) {
      const { schedName } = testNode();
      const dead = storesOfNode(stores, { schedName, instanceId: 'dead', ...options });
      const heir = storesOfNode(stores, { schedName, instanceId: 'heir', ...options });
      const own = new StoreDriver(dead.store);
      await own.open();
      for (const [name, { cluster }] of Object.entries({ dead, heir })) await cluster.join(identity(name), null, LIMIT);
      const recover = async () => {
        const record = (await heir.cluster.readNodes()).nodes.find(({ instanceId }) => instanceId === 'dead');
        return heir.cluster.recoverInstance(record as NodeRecord, LIMIT);
      };
      const runs = async () => (await heir.store.listRuns({ take: 1_000 })).items;
      return { dead, heir, own, recover, runs };
    }

    it('are recorded as lost, with the attempt number that their recovery repeats', async () => {
      const { own, recover, runs, heir } = await nodes();
      const policied = job('job', { requestsRecovery: true, policy: HISTORY });
      await own.schedule(policied, once('trigger', { policy: { retry: POLICY.retry } }));
      const first = await own.fireOne();
      await own.complete(first, 'DELETE_TRIGGER', {
        further: [
          {
            ...rerun(first.runId),
            policy: { retry: POLICY.retry },
            data: {
              QRTZ_X_OCCURRENCE_TRIGGER_NAME: 'trigger',
              QRTZ_X_OCCURRENCE_TRIGGER_GROUP: 'DEFAULT',
              QRTZ_X_OCCURRENCE_SCHEDULED_TIME: `${NOW}`,
              QRTZ_X_OCCURRENCE_ATTEMPT: '2',
            },
          },
        ],
      });
      own.now += SECOND;
      const second = await own.fireOne();
      expect(await recover()).toMatchObject({ recovered: [{ group: RECOVERING_JOBS }], lost: 0 });
      expect(await runs()).toEqual([
        {
          ...ran(second.runId, { instanceId: 'dead', outcome: 'lost', attempt: 2 }),
          fireTime: second.fireTime,
          endTime: expect.any(Number),
        },
      ]);
      expect(Math.abs(((await runs())[0]?.endTime ?? 0) - Date.now())).toBeLessThan(MINUTE);
      const again = new StoreDriver(heir.store);
      again.now = own.now;
      const third = await again.fireOne();
      expect(third.trigger).toMatchObject({
        policy: { retry: POLICY.retry },
        data: { QRTZ_X_OCCURRENCE_ATTEMPT: '2' },
      });
    });

    it.each([
      { what: 'none for the scheduler', ofScheduler: 'none', ofJob: undefined, ofTrigger: undefined, count: 0 },
      { what: 'failures for the scheduler', ofScheduler: 'failures', ofJob: undefined, ofTrigger: undefined, count: 1 },
      { what: 'all for the job', ofScheduler: 'none', ofJob: 'all', ofTrigger: undefined, count: 1 },
      { what: 'none for the job', ofScheduler: 'all', ofJob: 'none', ofTrigger: undefined, count: 0 },
      { what: 'failures for the trigger', ofScheduler: 'none', ofJob: 'none', ofTrigger: 'failures', count: 1 },
    ] as const)('are recorded according to the history policies: $what', async ({
      ofScheduler,
      ofJob,
      ofTrigger,
      count,
    }) => {
      const { own, recover, runs } = await nodes({ policy: { ...POLICY, history: ofScheduler } });
      const ask = (history: 'all' | 'failures' | 'none' | undefined) =>
        history === undefined ? {} : { policy: { history } };
      await own.schedule(job('job', ask(ofJob)), everyMinute('trigger', ask(ofTrigger)));
      await own.fireOne();
      await own.acquire({ noLaterThan: NOW + MINUTE }); // reserved, not run: nothing is lost
      expect(await recover()).toMatchObject({ lost: 1, released: 1 });
      expect(await runs()).toHaveLength(count);
    });

    it('are recorded as completed or as lost, but never as both', async () => {
      const { dead, own, recover, runs } = await nodes({ policy: HISTORY });
      const names = Array.from({ length: 40 }, (_, index) => `t${index}`);
      await own.schedule(job('job', { requestsRecovery: true }), ...names.map((name) => everyMinute(name)));
      const fired = await own.fireDue({ maxCount: 40 });
      const complete = (firing: (typeof fired)[number]) =>
        dead.store.completeTriggers([
          { firing, instruction: 'NOOP', run: ran(firing.runId), further: [rerun(firing.runId)] },
        ]);
      const half = fired.slice(0, 20);
      const [outcomes] = await Promise.all([Promise.all(half.map(complete)), recover()]);
      const late = await Promise.all(fired.slice(20).map(complete));
      expect(new Set(late.flat().map(({ status }) => status))).toEqual(new Set(['fenced']));
      const completed = outcomes.flat().filter(({ status }) => status === 'completed').length;
      const recorded = await runs();
      expect(new Set(recorded.map(({ runId }) => runId)).size).toBe(40);
      expect(recorded).toHaveLength(40);
      expect(recorded.filter(({ outcome }) => outcome === 'succeeded')).toHaveLength(completed);
      const further = (await allTriggers(own.store)).items.map(({ trigger }) => trigger.key);
      expect(further.filter(({ group }) => group === RETRYING_JOBS)).toHaveLength(completed);
      expect(further.filter(({ group }) => group === RECOVERING_JOBS)).toHaveLength(40 - completed);
    });

    it('are deleted with all other rows of their scheduler', async () => {
      const { dead, runs } = await nodes();
      const record = (index: number) => ran(`r${index}`, { isDeadLetter: index % 2 === 0, jobKey: jobKey('x') });
      await dead.store.recordRuns(Array.from({ length: 10 }, (_, index) => record(index)));
      await driver.store.recordRuns([ran('of another', { triggerKey: triggerKey('y') })]);
      await dead.cluster.erase();
      expect(await runs()).toEqual([]);
      expect(await ids()).toEqual(['of another']);
    });
  });
}

describe('stored runs and policies on SQLite', () => {
  describeSqlRuns(async () => {
    const stores = await openSqliteStores();
    return { stores, others: null, close: () => stores.close() };
  });
});

describeOnAnyServer('stored runs and policies on MySQL or MariaDB', () => {
  describeSqlRuns(async () => {
    const database: TestDatabase = await createDatabase(await sharedServer());
    const [stores, others] = [await openStores(database.url), await openStores(database.url)];
    const close = async () => {
      await stores.close();
      await others.close();
      await database.drop();
    };
    return { stores, others, close };
  });
});
