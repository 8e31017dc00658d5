import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '../../src/base/manual-clock';
import type { TriggerFiring } from '../../src/domain/firing';
import type { JobDetail } from '../../src/domain/job-detail';
import { jobKey, triggerKey } from '../../src/domain/keys';
import type { ScheduleChange } from '../../src/domain/schedule-change';
import type { Trigger } from '../../src/domain/trigger';
import type { FireNow } from '../../src/store/job-store';
import { SqlError } from '../../src/store/sql/runtime/sql-driver';
import { sqliteTables, type Tables } from '../cluster/support/tables';
import { everyMinute, everyNoon, HOUR, job, MINUTE, NOW, once, without } from '../conformance/samples';
import { namesOf, StoreDriver, storing, storingCalendar } from '../conformance/store-driver';
import { storesOfNode } from '../support/database/cluster-stores';
import { openStores, type StoreDatabase, storeOn, testNode } from '../support/database/sql-store';
import { SteppedDriver } from '../support/database/stepped-driver';
import { createDatabase, describeOnAnyServer, sharedServer } from '../support/database/test-database';
import { calendarIntervalTrigger, dailyTimeIntervalTrigger } from '../support/sample-triggers';

interface Place extends Pick<Tables, 'kind' | 'query' | 'drop'> {
  readonly url: string;
}

/** The tables of a schedule and its firings. */
const TABLES = [
  'JOB_DETAILS',
  'TRIGGERS',
  'SIMPLE_TRIGGERS',
  'CRON_TRIGGERS',
  'SIMPROP_TRIGGERS',
  'FIRED_TRIGGERS',
  'PAUSED_TRIGGER_GRPS',
  'CALENDARS',
];

const FIRE_NOW: FireNow = { maxCount: 10, jobTypes: ['sample'] };

const storingJob = (detail: JobDetail): ScheduleChange => ({
  type: 'storeJob',
  job: detail,
  ifExists: 'replace',
  requireTrigger: false,
});
const adding = (detail: JobDetail, ...triggers: readonly Trigger[]): readonly ScheduleChange[] => [
  storingJob(detail),
  ...triggers.map((trigger) => storing({ ...trigger, jobKey: detail.key })),
];

/** Change sets whose triggers fire when they are stored. */
const FIRED: Readonly<Record<string, readonly ScheduleChange[]>> = {
  'a trigger that fires once': adding(job(), once()),
  'a trigger that fires again and again': adding(job(), everyMinute()),
  'a trigger that fires three times, with every optional field': adding(
    job('job', { description: 'a job', requestsRecovery: true, data: { text: 'ä', list: [1, null] } }),
    everyMinute('ä', { repeatCount: 2, priority: 7, description: 'a trigger', endTime: NOW + HOUR, data: { n: 1 } }),
  ),
  'a trigger that is late by less than the misfire threshold': adding(
    job(),
    everyMinute('late', { startTime: NOW - MINUTE, repeatInterval: HOUR }),
  ),
  'a cron trigger whose time is now': adding(job(), everyNoon()),
  'a trigger of every other day': adding(job(), calendarIntervalTrigger({ startTime: NOW, repeatInterval: 2 })),
  'a trigger of every hour of the day': adding(job(), dailyTimeIntervalTrigger({ startTime: NOW })),
  'triggers of several jobs': [...adding(job('b'), once('b1'), everyMinute('b2')), ...adding(job('a'), once('a1'))],
  'a trigger of a job that changes its type to one that runs here': [
    storingJob(job('kept', { jobType: 'sample' })),
    storing(once('new', { jobKey: jobKey('kept') })),
  ],
  'a trigger of a stored job': [storing(once('new', { jobKey: jobKey('stored') }))],
};

/** Change sets that are stored before all others. */
const BEFORE: readonly ScheduleChange[] = [
  ...adding(job('stored', { durable: true, data: { of: 'the store' } })),
  ...adding(job('kept', { jobType: 'other' }), once('kept', { startTime: NOW + HOUR })),
];

/** The same change sets with jobs that must be new, which are written without being read. */
const ofNewJobs = (changes: readonly ScheduleChange[]): readonly ScheduleChange[] =>
  changes.map((change) =>
    change.type === 'storeJob' && change.job.key.name !== 'kept' ? { ...change, ifExists: 'fail' } : change,
  );

/** Each change set in both forms. */
const inBothWays = (sets: Readonly<Record<string, readonly ScheduleChange[]>>) =>
  Object.entries(sets).flatMap(([name, changes]) => [
    [name, changes] as const,
    [`${name}, with a job that must be new`, ofNewJobs(changes)] as const,
  ]);

/** Change sets whose triggers must be acquired later. */
const LEFT: Readonly<Record<string, readonly ScheduleChange[]>> = {
  'a trigger of a paused group': adding(job(), once('x', { key: triggerKey('x', 'paused') })),
  'a trigger of a job type that runs elsewhere': adding(job('job', { jobType: 'elsewhere' }), once()),
  'a trigger of a non-concurrent job': adding(job('job', { disallowConcurrentExecution: true }), once()),
  'a trigger with a calendar': [
    storingCalendar(without('2026-12-25')),
    ...adding(job(), once('x', { calendarName: 'holidays' })),
  ],
  'a trigger of the next millisecond': adding(job(), once('x', { startTime: NOW + 1 })),
  'a trigger that has misfired': adding(job(), everyMinute('x', { startTime: NOW - MINUTE - 1 })),
  'a trigger that is stored already': [
    {
      type: 'storeTrigger',
      trigger: once('kept', { jobKey: jobKey('kept') }),
      ifExists: 'replace',
      startTimeDefaulted: false,
    },
    storingJob(job('kept')),
  ],
  'a trigger that is deleted again': [
    ...adding(job('job', { durable: true }), once('x')),
    { type: 'deleteTrigger', key: triggerKey('x') },
  ],
  'more triggers than may fire at once': adding(job(), ...Array.from({ length: 11 }, (_, index) => once(`t${index}`))),
};

function describePromptFiring(open: () => Promise<Place>): void {
  let place: Place;
  let stores: StoreDatabase;
  let schedName: string;
  let steps: SteppedDriver;
  let driver: StoreDriver;

  beforeAll(async () => {
    place = await open();
    stores = await openStores(place.url);
  });

  beforeEach(async () => {
    steps = new SteppedDriver(stores.driver);
    const node = testNode();
    ({ schedName } = node);
    driver = new StoreDriver(storeOn({ ...stores, driver: steps }, node));
    await driver.open();
  });

  afterEach(() => driver.store.close());

  afterAll(async () => {
    await stores.close();
    await place.drop();
  });

  const applyAndFire = async (changes: readonly ScheduleChange[], own = driver) => {
    const { outcomes, fired } = await own.store.applySchedule(changes, { ...own.options, fireNow: FIRE_NOW });
    return { outcomes, fired: fired.flatMap((result) => (result.status === 'fired' ? [result.firing] : [])) };
  };

  /** Every row of a scheduler, without its name and the ids of firings. */
  async function rowsOf(name = schedName): Promise<Readonly<Record<string, readonly object[]>>> {
    const rows: Record<string, readonly object[]> = {};
    for (const table of TABLES) {
      const found = await place.query<Record<string, unknown>>(
        `SELECT * FROM QRTZ_${table} WHERE SCHED_NAME = '${name}'`,
      );
      const comparable = found.map((row) => ({ ...row, SCHED_NAME: '', ENTRY_ID: '' }));
      rows[table] = comparable.sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
    }
    return rows;
  }

  const firedRows = () =>
    place.query<{ id: string; state: string }>(
      `SELECT ENTRY_ID AS id, STATE AS state FROM QRTZ_FIRED_TRIGGERS WHERE SCHED_NAME = '${schedName}'`,
    );

  /** Another scheduler in the same tables, whose clock stands still, so that all its firings have the same time. */
  async function another(): Promise<{ readonly own: StoreDriver; readonly rows: () => ReturnType<typeof rowsOf> }> {
    const node = testNode({ clock: new ManualClock(NOW) });
    const own = new StoreDriver(storeOn(stores, node));
    await own.open();
    return { own, rows: () => rowsOf(node.schedName) };
  }

  async function prepare(own: StoreDriver): Promise<void> {
    await own.apply(...BEFORE);
    await own.store.pauseTriggers({ operator: 'equals', value: 'paused' });
  }

  const comparable = (firings: readonly TriggerFiring[]) =>
    firings
      .map((firing) => ({ ...firing, runId: '' }))
      .sort((a, b) => a.trigger.key.name.localeCompare(b.trigger.key.name));
  const completions = (firings: readonly TriggerFiring[]) =>
    firings.map((firing) => {
      const isLast = firing.trigger.nextFireTime === null;
      return { firing, instruction: isLast ? 'DELETE_TRIGGER' : 'NOOP' } as const;
    });

  describe('a trigger that fires when it is stored', () => {
    it.each(inBothWays(FIRED))('(%s) is stored, fired and completed like an acquired one', async (_, changes) => {
      const { own: usual, rows: usualRows } = await another();
      await prepare(usual);
      await prepare(driver);
      const outcomes = await usual.apply(...changes);
      const acquired = await usual.fireDue();
      const applied = await applyAndFire(changes);

      expect(acquired.length).toBeGreaterThan(0);
      expect(applied.outcomes).toEqual(outcomes);
      expect(comparable(applied.fired)).toEqual(comparable(acquired));
      expect(await rowsOf()).toEqual(await usualRows());
      expect((await firedRows()).map(({ id }) => id).sort()).toEqual(applied.fired.map(({ runId }) => runId).sort());
      expect(await driver.fireDue()).toEqual([]);

      const [ours, theirs] = [completions(applied.fired), completions(acquired)];
      expect(await driver.store.completeTriggers(ours)).toHaveLength(ours.length);
      await usual.store.completeTriggers(theirs);
      expect(await firedRows()).toEqual([]);
      expect(await rowsOf()).toEqual(await usualRows());
    });

    it('is deleted with its job after its last firing', async () => {
      const { fired } = await applyAndFire(adding(job(), once()));
      expect(await driver.complete(fired[0] as TriggerFiring, 'DELETE_TRIGGER')).toMatchObject({
        deletedTrigger: true,
        deletedJob: true,
      });
      expect(await driver.find()).toBeNull();
      expect(await driver.job()).toBeNull();
    });

    it('is announced with its second fire time, if it has one', async () => {
      await applyAndFire(adding(job('a'), once('a')));
      expect(driver.announced).toEqual([]);
      await applyAndFire(adding(job('b'), everyMinute('b')));
      expect(driver.announced).toEqual([NOW + MINUTE]);
    });

    it('fires again at its next time', async () => {
      const { fired } = await applyAndFire(adding(job(), everyMinute()));
      await driver.complete(fired[0] as TriggerFiring);
      driver.now += MINUTE;
      expect(await driver.fireOne()).toMatchObject({ scheduledFireTime: NOW + MINUTE, previousFireTime: NOW });
    });
  });

  describe('a trigger that does not fire when it is stored', () => {
    it.each(inBothWays(LEFT))('(%s) is stored and acquired as usual', async (_, changes) => {
      const { own: usual, rows: usualRows } = await another();
      await prepare(usual);
      await prepare(driver);
      const outcomes = await usual.apply(...changes);
      expect(await applyAndFire(changes)).toEqual({ outcomes, fired: [] });
      expect(await firedRows()).toEqual([]);
      expect(await rowsOf()).toEqual(await usualRows());
      expect(driver.announced).toEqual(usual.announced);
      const jobTypes = ['sample', 'elsewhere', 'other'];
      const acquired = await driver.acquire({ jobTypes, noLaterThan: NOW + 1 });
      expect(namesOf(acquired)).toEqual(namesOf(await usual.acquire({ jobTypes, noLaterThan: NOW + 1 })));
    });

    it('is one that the database has refused to change before', async () => {
      const node = testNode({ schedName });
      node.rejectedTriggers.add(triggerKey('x'));
      const own = new StoreDriver(storeOn(stores, node));
      const { fired } = await applyAndFire(adding(job(), once('x'), once('y')), own);
      expect(namesOf(fired)).toEqual(['y']);
      expect(await driver.state('x')).toBe('WAITING');
      expect(namesOf(await driver.fireDue())).toEqual(['x']);
    });
  });

  describe.each([
    ['changes that read what is stored', (changes: readonly ScheduleChange[]) => changes],
    ['changes that only add', ofNewJobs],
  ])('after a failure, %s', (_, kind) => {
    const deadlock = () => {
      throw new SqlError({ kind: 'deadlock', databaseCode: 'TEST', statement: null, message: 'a deadlock' });
    };

    it('store and fire nothing if the change is invalid', async () => {
      const changes = kind([...adding(job(), once('x')), storing(once('x'))]);
      await expect(applyAndFire(changes)).rejects.toMatchObject({ code: 'OBJECT_ALREADY_EXISTS' });
      expect(await firedRows()).toEqual([]);
      expect(await driver.find('x')).toBeNull();
    });

    it('are stored and fired again after a deadlock', async () => {
      steps.at('commit', deadlock);
      const { fired } = await applyAndFire(kind(adding(job(), once('x'))));
      expect(steps.failures).toHaveLength(1);
      expect(namesOf(fired)).toEqual(['x']);
      expect(await firedRows()).toEqual([{ id: fired[0]?.runId, state: 'EXECUTING' }]);
    });

    it.each(['arrived', 'lost'] as const)('fire once if the commit gets no answer and has %s', async (fault) => {
      steps.loseCommit(fault);
      let begun = 0;
      const count = () => {
        begun += 1;
        steps.at('insertImmediateFirings', count);
      };
      count();
      const { outcomes, fired } = await applyAndFire(kind(adding(job(), everyMinute('x'))));
      expect(outcomes.map(({ status }) => status)).toEqual(['created', 'created']);
      expect(begun - 1).toBe(fault === 'arrived' ? 1 : 2);
      expect(await firedRows()).toEqual([{ id: fired[0]?.runId, state: 'EXECUTING' }]);
      expect(await driver.complete(fired[0] as TriggerFiring)).toMatchObject({ status: 'completed' });
      expect(await driver.trigger('x')).toMatchObject({ previousFireTime: NOW, timesTriggered: 1 });
    });

    it('are stored but not fired if the database refuses the fired row', async () => {
      const condition = "NEW.TRIGGER_NAME = 'bad'";
      const body =
        place.kind === 'sqlite'
          ? `WHEN ${condition} BEGIN SELECT RAISE(ABORT, 'refused'); END`
          : `FOR EACH ROW BEGIN IF ${condition} THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'refused'; END IF; END`;
      await place.query(`CREATE TRIGGER REFUSAL BEFORE INSERT ON QRTZ_FIRED_TRIGGERS ${body}`);
      const { outcomes, fired } = await applyAndFire(kind(adding(job(), once('bad'), once('good')))).finally(() =>
        place.query('DROP TRIGGER REFUSAL'),
      );
      expect(outcomes).toHaveLength(3);
      expect(fired).toEqual([]);
      expect(await firedRows()).toEqual([]);
      expect([await driver.state('bad'), await driver.state('good')]).toEqual(['WAITING', 'WAITING']);
      expect(driver.announced).toEqual([NOW]);
      expect(namesOf(await driver.fireDue())).toEqual(['bad', 'good']);
    });

    it('are rejected if the failure is not one of firing', async () => {
      steps.at('insertTrigger', () => {
        throw new SqlError({ kind: 'full', databaseCode: 'TEST', statement: 'insertTrigger', message: 'full' });
      });
      await expect(applyAndFire(kind(adding(job(), once('x'))))).rejects.toMatchObject({ code: 'STORE_FAILURE' });
      expect(await driver.find('x')).toBeNull();
    });

    it('are stored but not fired if the node has been declared dead', async () => {
      const pace = { checkInInterval: 7_500, checkInGrace: 7_500 };
      const identity = { instanceId: 'node', epoch: 'e1', version: '1', host: 'h', processId: 1, ...pace };
      const { store, cluster } = storesOfNode(stores, { schedName, instanceId: 'node' });
      await cluster.join(identity, null, { maxRecoveryAttempts: 3, maxHandOvers: 10 });
      const own = new StoreDriver(store);
      expect(namesOf((await applyAndFire(kind(adding(job('a'), once('a'))), own)).fired)).toEqual(['a']);
      await place.query(`UPDATE QRTZ_X_NODES SET EPOCH = 'e2' WHERE SCHED_NAME = '${schedName}'`);
      const { outcomes, fired } = await applyAndFire(kind(adding(job('b'), once('b'))), own);
      expect(outcomes).toHaveLength(2);
      expect(fired).toEqual([]);
      expect(await driver.state('b')).toBe('WAITING');
      expect(await own.fireDue()).toEqual([]); // no store failure: the node detects its fencing at its next check-in
      expect(await firedRows()).toHaveLength(1);
    });
  });
}

describe('firing on storing, in a file,', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quartz-prompt-'));
  const path = join(folder, 'quartz.db');
  describePromptFiring(async () => ({ ...sqliteTables(path), url: `sqlite:${path}` }));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
});

describeOnAnyServer('firing on storing, on a server,', () => {
  describePromptFiring(async () => {
    const { url, connect, drop } = await createDatabase(await sharedServer());
    const { query, close } = await connect();
    const end = async () => {
      await close();
      await drop();
    };
    return { kind: 'mysql', url, query: <Row>(text: string) => query<Row>(text), drop: end };
  });
});
