import { jobKey, triggerKey } from '../../src/domain/keys';
import type { ScheduleChange } from '../../src/domain/schedule-change';
import type { Trigger } from '../../src/domain/trigger';
import type { AppliedSchedule } from '../../src/store/job-store';
import type { NodeIncarnation } from '../../src/store/sql/rows/sql-node';
import { ScriptRefused } from '../../src/store/sql/runtime/script';
import type { ScriptStep, SqlDriver, SqlValue } from '../../src/store/sql/runtime/sql-driver';
import { after } from '../conformance/areas/chains';
import { everyMinute, everyNoon, job, NOW, once } from '../conformance/samples';
import { namesOf, StoreDriver, storing } from '../conformance/store-driver';
import { RecordingDriver } from '../support/database/recording-driver';
import {
  keptOpen,
  openSqliteStores,
  openStores,
  type StoreDatabase,
  storeOn,
  testNode,
} from '../support/database/sql-store';
import { type CommitFault, SteppedDriver } from '../support/database/stepped-driver';
import {
  createDatabase,
  describeOnAnyServer,
  describeOnFlavour,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';
import { FaultProxy } from '../support/fault-proxy';
import { calendarIntervalTrigger } from '../support/sample-triggers';

const TEN = Array.from({ length: 10 }, (_, index) => `n${index}`);

const newJob = (name: string, settings: Parameters<typeof job>[1] = {}): ScheduleChange => ({
  type: 'storeJob',
  job: job(name, settings),
  ifExists: 'fail',
  requireTrigger: true,
});

const adding = (name: string, fields: Partial<Trigger> = {}): readonly ScheduleChange[] => [
  newJob(name),
  storing({ ...everyMinute(name), jobKey: jobKey(name), ...fields } as Trigger),
];

/** A trigger of the stored job `one`. */
const ofOne = (name: string) => [storing(everyMinute(name, { jobKey: jobKey('one') }))] as const;

const FIRE_NOW = { maxCount: 10, jobTypes: ['sample'] } as const;

function describeSharing(open: () => Promise<StoreDatabase>): void {
  let stores: StoreDatabase;
  let recording: RecordingDriver;
  let driver: StoreDriver;
  let schedName: string;

  beforeAll(async () => {
    stores = await open();
  });

  afterAll(() => stores.close());

  beforeEach(async () => {
    const node = testNode();
    ({ schedName } = node);
    recording = new RecordingDriver(keptOpen(stores.driver));
    driver = new StoreDriver(storeOn({ ...stores, driver: recording }, node));
    await driver.open();
    await driver.apply(newJob('one', { durable: true }), ...ofOne('first'));
    recording.forget();
  });

  afterEach(() => driver.store.close());

  const commits = () => recording.steps.filter((step) => step === 'commit').length;
  const outcomesOf = async (calls: readonly Promise<unknown>[]) =>
    (await Promise.allSettled(calls)).map((each) => (each.status === 'fulfilled' ? 'applied' : each.reason.code));

  it('are committed together, with an outcome for each caller', async () => {
    const outcomes = await Promise.all(
      TEN.map((name, index) => driver.apply(...adding(name, { startTime: NOW + index }))),
    );
    expect(outcomes.map((each) => each.map(({ status, nextFireTime }) => [status, nextFireTime]))).toEqual(
      TEN.map((_, index) => [
        ['created', null],
        ['created', NOW + index],
      ]),
    );
    expect(commits()).toBe(1);
    expect(driver.announced).toEqual([NOW, NOW]); // once for the group, and once for the first trigger
  });

  it('are refused only if their own key is already stored', async () => {
    const names = [...TEN.slice(0, 5), 'first', ...TEN.slice(5)];
    const calls = names.map((name) => driver.apply(...adding(name)));
    expect(await outcomesOf(calls)).toEqual(
      names.map((name) => (name === 'first' ? 'OBJECT_ALREADY_EXISTS' : 'applied')),
    );
    await expect(calls[5]).rejects.toThrow("trigger 'DEFAULT/first'");
    expect(commits()).toBe(1);
    expect(await driver.job('first')).toBeNull();
  });

  it('with the same key store the first one and refuse the second', async () => {
    const calls = ['x', 'twice', 'twice', 'y'].map((name, index) => driver.apply(...adding(name, { priority: index })));
    expect(await outcomesOf(calls)).toEqual(['applied', 'applied', 'OBJECT_ALREADY_EXISTS', 'applied']);
    expect(await driver.trigger('twice')).toMatchObject({ priority: 1 });
  });

  it('start paused only if their group is paused', async () => {
    await driver.store.pauseTriggers({ operator: 'equals', value: 'paused' });
    const keys = TEN.map((name, index) => triggerKey(name, index === 4 ? 'paused' : 'DEFAULT'));
    await Promise.all(keys.map((key) => driver.apply(...adding(key.name, { key }))));
    const states = await Promise.all(keys.map(async (key) => (await driver.find(key))?.state));
    expect(states).toEqual(keys.map(({ group }) => (group === 'paused' ? 'PAUSED' : 'WAITING')));
  });

  it('never overtake a change that was requested before them', async () => {
    const calls = [
      driver.apply(...adding('x')),
      driver.apply({ type: 'deleteTrigger', key: triggerKey('x') }),
      driver.apply(...adding('x', { priority: 7 })),
    ];
    expect(await outcomesOf(calls)).toEqual(['applied', 'applied', 'applied']);
    expect(await driver.trigger('x')).toMatchObject({ priority: 7 });
  });

  it('are limited in number per transaction', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `m${index}`);
    await Promise.all(names.map((name) => driver.apply(...adding(name))));
    expect(commits()).toBe(2);
  });

  it('do not share a transaction with requests of another incarnation of the node', async () => {
    const incarnation: NodeIncarnation = { epoch: 'old', jobTypes: null, status: 'MEMBER' };
    const own = new StoreDriver(storeOn({ ...stores, driver: recording }, { ...testNode({ schedName }), incarnation }));
    recording.forget();
    const first = own.apply(...adding('a'));
    incarnation.epoch = 'new';
    await Promise.all([first, own.apply(...adding('b'))]);
    expect(commits()).toBe(2);
  });

  it('fire the triggers of each caller within the limit of that caller', async () => {
    const add = (name: string, ...more: readonly string[]): Promise<AppliedSchedule> => {
      const triggers = [name, ...more].map((each) => storing(once(each, { jobKey: jobKey(name) })));
      return driver.store.applySchedule([newJob(name), ...triggers], {
        ...driver.options,
        fireNow: { ...FIRE_NOW, maxCount: 2 },
      });
    };
    const applied = await Promise.all([add('a', 'a2'), add('b', 'b2', 'b3'), add('c')]);
    const fired = applied.map(({ fired: each }) =>
      namesOf(each.flatMap((result) => (result.status === 'fired' ? [result.firing] : []))),
    );
    expect(fired).toEqual([['a', 'a2'], [], ['c']]);
    expect(commits()).toBe(1);
    expect(await driver.state('b3')).toBe('WAITING');
  });

  it.each<CommitFault>([
    'arrived',
    'lost',
  ])('are each stored once if the answer to their commit is lost (%s)', async (fault) => {
    const steps = new SteppedDriver(keptOpen(stores.driver));
    const own = new StoreDriver(storeOn({ ...stores, driver: steps }, testNode({ schedName })));
    steps.loseCommit(fault);
    const calls = TEN.map((name) => own.apply(...adding(name)));
    expect(await outcomesOf(calls)).toEqual(TEN.map(() => 'applied'));
    expect(await Promise.all(TEN.map((name) => own.state(name)))).toEqual(TEN.map(() => 'WAITING'));
    steps.release();
  });

  describe('for a job that this node has read', () => {
    const reads = () => recording.steps.filter((step) => step === 'selectJobs').length;

    beforeEach(async () => {
      await driver.apply(...ofOne('second'));
      recording.forget();
    });

    it('are stored without reading the job again', async () => {
      await driver.apply(...ofOne('third'));
      expect(reads()).toBe(0);
      expect(await driver.trigger('third')).toMatchObject({ jobKey: jobKey('one') });
    });

    it.each<[string, Parameters<typeof job>[1]]>([
      ['its data', { data: { n: 2 } }],
      ['its description', { description: 'Other' }],
      ['its type', { jobType: 'Sample' }],
      ['its concurrency', { disallowConcurrentExecution: true }],
      ['its recovery', { requestsRecovery: true }],
    ])('read the job again if another node has changed %s', async (_, settings) => {
      const changed = job('one', { durable: true, ...settings });
      const other = new StoreDriver(storeOn(stores, testNode({ schedName })));
      await other.apply({ type: 'storeJob', job: changed, ifExists: 'replace', requireTrigger: false });
      const applied = await driver.store.applySchedule([storing(once('third', { jobKey: jobKey('one') }))], {
        ...driver.options,
        fireNow: { maxCount: 1, jobTypes: ['sample', 'Sample'] },
      });
      expect(reads()).toBe(1);
      const [fired] = applied.fired;
      if (settings?.disallowConcurrentExecution) expect(fired).toBeUndefined();
      else expect(fired).toMatchObject({ firing: { jobDetail: changed } });
    });

    it('are refused if another node has deleted the job', async () => {
      const other = new StoreDriver(storeOn(stores, testNode({ schedName })));
      await other.applyOne({ type: 'deleteJob', key: jobKey('one') });
      await expect(driver.apply(...ofOne('third'))).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' });
    });

    it('detect triggers that have begun to wait for the job', async () => {
      const fire = async (name: string) => {
        const options = { ...driver.options, fireNow: FIRE_NOW };
        const { fired } = await driver.store.applySchedule([storing(once(name, { jobKey: jobKey('one') }))], options);
        return fired.map((each) => each.status === 'fired' && each.firing.hasFollowers === true);
      };
      expect(await fire('alone')).toEqual([false]);
      await driver.apply(newJob('next'), storing(after('next', ['one'])));
      expect([await fire('followed'), await fire('again')]).toEqual([[true], [true]]);
    });
  });
}

describe('additions that share a transaction, in a file', () => describeSharing(openSqliteStores));

describeOnAnyServer('additions that share a transaction, on a server', () => {
  let database: TestDatabase;
  let proxy: FaultProxy;

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
    proxy = await FaultProxy.before(database.url);
  });

  afterAll(async () => {
    await proxy.close();
    await database.drop();
  });

  describeSharing(() => openStores(database.url));

  describe('sent as one script', () => {
    let stores: StoreDatabase;
    let schedName: string;
    let driver: StoreDriver;

    beforeAll(async () => {
      stores = await openStores(proxy.url);
    });

    afterAll(() => stores.close());

    beforeEach(async () => {
      const node = testNode();
      ({ schedName } = node);
      driver = new StoreDriver(storeOn(stores, node));
      await driver.open();
      await driver.apply(...adding('first'));
      // Prepares the statements of the tests: without deleting old tokens, for one addition and for several.
      await driver.apply(...adding('prepared'));
      await Promise.all(['prepared1', 'prepared2'].map((name) => driver.apply(...adding(name))));
    });

    /** Calls `meanwhile` in a transaction that holds the cluster lock, while `call` waits for the lock. */
    async function underLock<T>(
      meanwhile: (query: (sql: string) => Promise<unknown>) => Promise<void>,
      call: () => Promise<T>,
    ) {
      const other = await openStores(database.url);
      const lock = { schedName, lockName: 'TRIGGER_ACCESS' };
      let called: Promise<T> | undefined;
      await other.driver.transaction('scheduler', async (tx) => {
        await tx.all('selectLock', lock);
        called = call();
        called.catch(() => undefined);
        await proxy.sent('commit.');
        await meanwhile((sql) => database.query(sql, [schedName]));
      });
      await other.close();
      return called as Promise<T>;
    }

    it('start paused if another program pauses their group while they wait for the lock', async () => {
      const pause = async (query: (sql: string) => Promise<unknown>) => {
        await query("INSERT INTO QRTZ_PAUSED_TRIGGER_GRPS VALUES (?, 'DEFAULT')");
      };
      await underLock(pause, () => driver.apply(...adding('x')));
      expect(await driver.state('x')).toBe('PAUSED');
    });

    it('store nothing if another program stores their key while they wait for the lock', async () => {
      const store = async (query: (sql: string) => Promise<unknown>) => {
        await query(
          "INSERT INTO QRTZ_TRIGGERS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, JOB_NAME, JOB_GROUP, TRIGGER_STATE, TRIGGER_TYPE, START_TIME, NEXT_FIRE_TIME) VALUES (?, 'x', 'DEFAULT', 'first', 'DEFAULT', 'PAUSED', 'SIMPLE', 0, 0)",
        );
      };
      const called = underLock(store, () => driver.apply(...adding('x')));
      await expect(called).rejects.toMatchObject({ code: 'OBJECT_ALREADY_EXISTS' });
      expect(await driver.job('x')).toBeNull();
    });

    it('are stored even if the database refuses a row of another caller', async () => {
      await database.query(
        "CREATE TRIGGER refuse BEFORE INSERT ON QRTZ_JOB_DETAILS FOR EACH ROW BEGIN IF NEW.JOB_NAME = 'bad' THEN " +
          "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'Never this one.'; END IF; END",
      );
      const ended = await Promise.allSettled(['a', 'bad', 'b'].map((name) => driver.apply(...adding(name))));
      await database.query('DROP TRIGGER refuse');
      expect(ended).toMatchObject([
        { status: 'fulfilled' },
        { reason: { code: 'STORE_FAILURE', message: expect.stringContaining('Never this one.') } },
        { status: 'fulfilled' },
      ]);
      expect([await driver.state('a'), await driver.state('b')]).toEqual(['WAITING', 'WAITING']);
      expect(await driver.find('bad')).toBeNull();
    });

    it('are stored once if the connection is lost after the commit', async () => {
      const stored = () =>
        database.query('SELECT 1 FROM QRTZ_TRIGGERS WHERE SCHED_NAME = ? AND TRIGGER_NAME = ?', [schedName, 'b']);
      const sent = proxy.sent('commit.');
      proxy.holdAnswers();
      const calls = ['a', 'b'].map((name) => driver.apply(...adding(name)));
      await sent;
      if (stores.driver.script === undefined) proxy.passAnswers(); // the commit follows when the writes have been answered
      while ((await stored()).length === 0);
      proxy.cut();
      proxy.passAnswers();
      await expect(Promise.all(calls)).resolves.toHaveLength(2);
      expect(await driver.state('a')).toBe('WAITING');
    });

    it('are stored once if the connection is lost while they wait for the lock', async () => {
      const cut = async () => proxy.cut();
      await underLock(cut, () => driver.apply(...adding('x')));
      expect(await driver.state('x')).toBe('WAITING');
    });

    it('restore a missing lock row', async () => {
      await database.query('DELETE FROM QRTZ_LOCKS WHERE SCHED_NAME = ?', [schedName]);
      await driver.apply(...adding('x'));
      expect(await database.query('SELECT 1 FROM QRTZ_LOCKS WHERE SCHED_NAME = ?', [schedName])).toHaveLength(2);
    });
  });
});

describeOnFlavour('mariadb', 'an addition as a MariaDB script', () => {
  let database: TestDatabase;
  let stores: StoreDatabase;
  let driver: StoreDriver;
  let sent: (readonly ScriptStep[])[];
  /** Statements of the scripts that were committed on the one connection. */
  const accepted = new Set<string>();
  let schedName: string;

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
    stores = await openStores(database.url);
  });

  beforeEach(async () => {
    sent = [];
    const node = testNode();
    ({ schedName } = node);
    const script: SqlDriver['script'] = async (role, steps, options) => {
      sent.push(steps);
      const rows = await stores.driver.script?.(role, steps, options);
      accepted.add(steps.map(({ statement }) => statement).join());
      return rows ?? [];
    };
    driver = new StoreDriver(storeOn({ ...stores, driver: { ...keptOpen(stores.driver), script } }, node));
    await driver.open();
    await driver.apply(...adding('one'));
  });

  afterAll(async () => {
    await stores.close();
    await database.drop();
  });

  const statementsIn = (steps: readonly ScriptStep[] | undefined) => steps?.map(({ statement }) => statement);

  it('is one statement with a commit token, and with rows in the order of their references', async () => {
    const counts: number[] = []; // of the whole server, which other tests use too
    for (let tries = 0; tries < 20 && counts.at(-1) !== 1; tries++) {
      const before = await status();
      await driver.apply(...adding(`two ${tries}`));
      counts.push((await status()) - before);
    }
    expect(Math.min(...counts)).toBe(1);
    expect(statementsIn(sent.at(-1))).toEqual([
      'selectLock',
      'advanceCommitToken',
      'selectAnyPausedOf',
      'insertJob',
      'insertTrigger',
      'insertSimpleTrigger',
    ]);
  });

  it('stores nothing if a step finds or changes an unexpected number of rows', async () => {
    await driver.apply(...adding('two'));
    const steps = sent.at(-1) ?? [];
    const { params } = steps.find(({ statement }) => statement === 'insertJob') as ScriptStep;
    const again = (params as readonly SqlValue[]).with(0, 'three');
    for (const wrong of [
      { statement: 'insertJob', params: again, isQuery: false, rows: 2 },
      { statement: 'selectLock', params: steps[0]?.params ?? {}, isQuery: true, rows: 0 },
    ] as const) {
      const whole = [{ statement: 'insertJob', params: again, isQuery: false, rows: 1 } as const, wrong];
      const last = wrong.statement === 'insertJob' ? [wrong] : whole;
      await expect(stores.driver.script?.('scheduler', last, { schedName })).rejects.toBeInstanceOf(ScriptRefused);
      expect(await database.query("SELECT 1 FROM QRTZ_JOB_DETAILS WHERE JOB_NAME = 'three'")).toEqual([]);
    }
  });

  it('is sent as ordinary statements if it would need one script text too many', async () => {
    const kinds = [
      (name: string) => everyNoon(name),
      (name: string) => once(name, { policy: { mustSucceedWithin: 1_000 } }),
      (name: string) => once(name, { policy: { runsOn: ['gpu'] } }),
      (name: string) => once(name, { policy: { rate: { limit: 1, per: 1_000, key: 'k', burst: 1 } } }),
      (name: string) => ({ ...calendarIntervalTrigger(), key: triggerKey(name) }),
    ];
    for (let mask = 1; mask < 2 ** kinds.length; mask++) {
      const chosen = kinds.filter((_, bit) => mask & (2 ** bit));
      for (const count of [1, 2]) {
        const name = `m${mask}x${count}`;
        const triggers = chosen.flatMap((kind, index) =>
          Array.from({ length: count }, (__, at) =>
            storing({ ...kind(`${name}k${index}n${at}`), jobKey: jobKey(name) } as Trigger),
          ),
        );
        await driver.apply(newJob(name), ...triggers);
        expect(await driver.job(name)).not.toBeNull();
      }
    }
    await driver.apply(...adding('last'));
    expect(await driver.state('last')).toBe('WAITING');
    expect(accepted.size).toBeGreaterThan(16);
    expect(accepted.size).toBeLessThanOrEqual(32);
  });

  /** Number of statements that the server has received, without this query. */
  async function status(): Promise<number> {
    const [row] = await stores.driver.transaction('scheduler', async () =>
      database.query<{ n: number }>(
        "SELECT SUM(VARIABLE_VALUE) AS n FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'COM_STMT_EXECUTE'",
      ),
    );
    return Number(row?.n);
  }
});
