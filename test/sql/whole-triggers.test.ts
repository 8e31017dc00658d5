import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AcquiredTrigger, FireResult } from '../../src/domain/firing';
import { jobKey, triggerKey } from '../../src/domain/keys';
import type { ScheduleChange } from '../../src/domain/schedule-change';
import type { Trigger } from '../../src/domain/trigger';
import { everyMinute, everyNoon, HOUR, job, MINUTE, NOW, once } from '../conformance/samples';
import { expectFired, StoreDriver, storing } from '../conformance/store-driver';
import { openStores, type StoreDatabase, storeOn, testNode } from '../support/database/sql-store';
import { createDatabase, describeOnAnyServer, sharedServer } from '../support/database/test-database';
import { calendarIntervalTrigger, dailyTimeIntervalTrigger } from '../support/sample-triggers';

/** Texts that JSON escapes, or that databases write differently. */
const HARD = [
  'double "quotes"',
  "single 'quotes'",
  'back\\slash \\n \\u0041',
  'slash / </script>',
  '[1, null, {"a": "b"}]',
  'line\u2028and\u2029paragraph',
  'emoji 🙂 and 𝕏',
  'e\u0301 is not \u00e9',
  'trailing blank ',
  'null',
  '0',
  '\u007f',
  'line\nbreak,\r\ntab\tand form\ffeed',
  'control \u0001\u001f characters',
];

function describeWholeTriggers(
  open: () => Promise<{ readonly url: string; readonly drop: () => Promise<unknown> }>,
): void {
  let database: Awaited<ReturnType<typeof open>>;
  let stores: StoreDatabase;
  let driver: StoreDriver;

  beforeAll(async () => {
    database = await open();
    stores = await openStores(database.url);
  });

  beforeEach(async () => {
    driver = new StoreDriver(storeOn(stores, testNode()));
    await driver.open();
  });

  afterEach(() => driver.store.close());

  afterAll(async () => {
    await stores.close();
    await database.drop();
  });

  async function store(jobType: string, ...triggers: readonly Trigger[]): Promise<void> {
    const texts = { description: jobType, jobType, requestsRecovery: true };
    const newJob: ScheduleChange = {
      type: 'storeJob',
      job: job(jobType, texts),
      ifExists: 'fail',
      requireTrigger: true,
    };
    await driver.apply(newJob, ...triggers.map((trigger) => storing({ ...trigger, jobKey: jobKey(jobType) })));
  }

  it.each(HARD)('keep the text %j in every field', async (text) => {
    const trigger = everyMinute('', {
      key: triggerKey(text, text),
      description: text,
      priority: -7,
      endTime: NOW + HOUR,
    });
    await store(text, trigger);
    const expected = { ...trigger, jobKey: jobKey(text) };
    const [read] = await driver.store.getTriggers([trigger.key]);
    expect(read?.trigger).toEqual({ ...expected, nextFireTime: NOW });
    const [acquired] = await driver.acquire({ jobTypes: [text] });
    expect(acquired?.trigger).toEqual({ ...expected, nextFireTime: NOW });
    const [result] = await driver.fire(acquired as AcquiredTrigger);
    const firing = expectFired(result as FireResult);
    expect(firing.jobDetail).toMatchObject({
      key: jobKey(text),
      jobType: text,
      description: text,
      requestsRecovery: true,
    });
  });

  it('keep every field of each kind of trigger, and misfire in time', async () => {
    const triggers = [
      once('once', { startTime: NOW - 2 * MINUTE - 1 }),
      everyMinute('simple', { startTime: NOW - HOUR }),
      everyNoon('cron', { startTime: NOW - HOUR }),
      calendarIntervalTrigger({ key: triggerKey('calendar'), startTime: NOW, repeatInterval: 2 }),
      dailyTimeIntervalTrigger({ key: triggerKey('daily'), startTime: NOW }),
    ];
    driver.now = NOW - HOUR; // a schedule counts from when it was stored
    await store('sample', ...triggers);
    driver.now = NOW;
    const read = await driver.store.getTriggers(triggers.map(({ key }) => key));
    expect(read.map(({ trigger }) => ({ ...trigger, nextFireTime: null }))).toEqual(
      triggers.map((each) => ({ ...each, jobKey: jobKey('sample'), nextFireTime: null })),
    );
    const { misfired } = await driver.store.recoverMisfires({ ...driver.options, maxCount: 10 });
    expect(misfired.map(({ key }) => key.name).sort()).toEqual(['once', 'simple']);
  });

  it('are skipped while their non-concurrent job executes', async () => {
    const serial = job('serial', { disallowConcurrentExecution: true });
    await driver.schedule(serial, everyMinute('a'), everyMinute('b', { startTime: NOW + 1 }));
    expect((await driver.fireDue()).map(({ trigger }) => trigger.key.name)).toEqual(['a']);
    expect(await driver.acquire({ noLaterThan: NOW + HOUR })).toEqual([]);
    expect(await driver.state('b')).toBe('BLOCKED');
  });
}

describe('triggers that are read from a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quartz-whole-'));
  describeWholeTriggers(async () => ({ url: `sqlite:${join(folder, 'quartz.db')}`, drop: async () => {} }));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
});

describeOnAnyServer('triggers that are read from a server', () => {
  describeWholeTriggers(async () => createDatabase(await sharedServer()));
});
