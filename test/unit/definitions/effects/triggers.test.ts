import { proves } from '../../../support/proves';
import { closeAll, codeOf, deleteFolders } from '../../../support/world/world';
import { applied, failuresOf, runsAtOnce, timesOf, withTrigger } from './apply';

const EVERY = 'simple: { interval: 60s }';

/** The stored trigger of a file with one trigger. */
async function stored(trigger: string) {
  const { scheduler } = await applied(withTrigger(trigger));
  return (await scheduler.getTriggersOfJob('job'))[0];
}

/** Asserts the second fire time of a trigger that starts on January 1. */
const second = (trigger: string, time: string) => async () => {
  const until = new Date(Date.parse(time) + 500).toISOString();
  const short = time.replace('2026-', '').replace('T', ' ').slice(0, -1);
  expect(await timesOf(`${trigger}, startAt: 2026-01-01`, until)).toEqual(['01-01 00:00:00', short]);
};

const calendarInterval = (unit: string, time: string) =>
  second(`calendarInterval: { interval: 1, unit: ${unit} }`, time);
const dailyInterval = (unit: string, time: string) => second(`dailyTimeInterval: { interval: 1, unit: ${unit} }`, time);

/** Fire times of a daily trigger in Berlin around the last Sunday of March, when clocks go from 2:00 to 3:00. */
const aroundTheChange = (at: string, keys: string) =>
  timesOf(
    `calendarInterval: { interval: 1, unit: DAY, ${keys} }, startAt: 2026-03-28T${at}, timeZone: Europe/Berlin`,
    '2026-03-30T12:00Z',
  );

const daily = (keys: string, until = '2026-01-01T23:30Z') =>
  timesOf(`dailyTimeInterval: { interval: 6, unit: HOUR, ${keys} }, startAt: 2026-01-01`, until);

afterEach(closeAll);
afterAll(deleteFolders);

describe('trigger fields of a schedule file', () => {
  it('`name` is the name of the job by default', async () => {
    proves('schedule-file', 'trigger name');
    expect([(await stored(EVERY))?.key.name, (await stored(`name: t, ${EVERY}`))?.key.name]).toEqual(['job', 't']);
  });
  it('`group` sets the group of the trigger', async () => {
    proves('schedule-file', 'trigger group');
    expect([(await stored(EVERY))?.key.group, (await stored(`group: g, ${EVERY}`))?.key.group]).toEqual([
      'DEFAULT',
      'g',
    ]);
  });
  it('`job` is required for a trigger outside of a job', async () => {
    proves('schedule-file', 'trigger job');
    const listed = (job: string) =>
      `jobs: [{ name: job, durable: true }, { name: other, durable: true }]\ntriggers: [{ name: t, ${job} ${EVERY} }]`;
    const { scheduler } = await applied(listed('job: other,'));
    expect((await scheduler.getTrigger('t'))?.jobKey?.name).toBe('other');
    expect(await codeOf(() => applied(listed('')))).toBe('CONFIGURATION');
  });
  it('`description` is stored with the trigger', async () => {
    proves('schedule-file', 'trigger description');
    expect((await stored(`description: often, ${EVERY}`))?.description).toBe('often');
  });
  it('`every` repeats the trigger, in calendar units from one day on', async () => {
    proves('schedule-file', 'trigger every');
    await second('every: 1h', '2026-01-01T01:00:00Z')();
    expect((await stored('every: 1d'))?.kind).toBe('CAL_INT');
  });
  it('`at` fires the trigger once', async () => {
    proves('schedule-file', 'trigger at');
    const at = new Date('2030-01-01T12:00:00Z');
    expect(await stored('at: 2030-01-01T12:00Z')).toMatchObject({ kind: 'SIMPLE', repeatCount: 0, startTime: at });
  });
  it('`after` starts the trigger after other jobs', async () => {
    proves('schedule-file', 'trigger after');
    const ended = { after: [{ group: 'DEFAULT', name: 'other' }], nextFireTime: null };
    expect(await stored('after: other')).toMatchObject(ended);
    expect((await stored('after: [b, { name: a, group: g }]'))?.kind).toBe('AFTER');
    expect(await codeOf(() => applied(withTrigger('after: other, startAt: 2026-01-01')))).toBe('CONFIGURATION');
  });
  it('`on` sets whether a chain waits for success or for any end', async () => {
    proves('schedule-file', 'trigger on');
    expect(await stored('after: other, on: end')).toMatchObject({ on: 'end' });
    expect(await stored('after: other')).toMatchObject({ on: 'success' });
    expect(await codeOf(() => applied(withTrigger(`on: end, ${EVERY}`)))).toBe('CONFIGURATION');
  });
  it('`calendar` excludes fire times', async () => {
    proves('schedule-file', 'trigger calendar');
    const weekends = "cron: '0 0 12 * * ?', calendar: c";
    const calendars = 'calendars: { c: { type: weekly, excludedDays: [THU] } }';
    expect(await timesOf(weekends, '2026-01-02T13:00Z', calendars)).toEqual(['01-02 12:00:00']);
    expect(await codeOf(() => applied(withTrigger(weekends)))).toBe('CALENDAR_NOT_FOUND');
  });
  it('`priority` sets the order of triggers that are due at the same time', async () => {
    proves('schedule-file', 'trigger priority');
    const order = async (a: number, b: number) => {
      const at = 'startAt: 2026-01-01T06:00, simple: { repeatCount: 0 }';
      const triggers = [a, b]
        .map((priority, index) => `{ name: ${'ab'[index]}, priority: ${priority}, ${at} }`)
        .join(', ');
      const firings = await (await applied(`jobs: [{ name: job, triggers: [${triggers}] }]`)).advanceTo(
        new Date('2026-01-01T07:00Z'),
      );
      return firings.map(({ trigger }) => trigger.name).join('');
    };
    expect([await order(9, 1), await order(1, 9)]).toEqual(['ab', 'ba']);
  });
  it('`startAt` sets the first time, in the time zone of the trigger if it has no offset', async () => {
    proves('schedule-file', 'trigger startAt');
    const at = (startAt: string) =>
      timesOf(`simple: { repeatCount: 0 }, startAt: ${startAt}, timeZone: Asia/Tokyo`, '2026-01-03');
    expect(await at('2026-01-01T18:00')).toEqual(['01-01 09:00:00']);
    expect(await at('2026-01-02')).toEqual(['01-01 15:00:00']);
    expect(await at('2026-01-01T18:00:00Z')).toEqual(['01-01 18:00:00']);
  });
  it('`endAt` sets the last possible fire time', async () => {
    proves('schedule-file', 'trigger endAt');
    const until = (endAt: string) => timesOf(`simple: { interval: 3600s }, ${endAt}`, '2026-01-01T04:00Z');
    expect([(await until('')).length, (await until('endAt: 2026-01-01T02:30')).length]).toEqual([5, 3]);
  });
  it('`timeZone` sets the time zone of a cron trigger', async () => {
    proves('schedule-file', 'trigger timeZone');
    const inZone = (timeZone: string) => timesOf(`cron: '0 0 6 * * ?', ${timeZone}`, '2026-01-01T23:00Z');
    expect(await inZone('')).toEqual(['01-01 06:00:00']);
    expect(await inZone('timeZone: Asia/Tokyo')).toEqual(['01-01 21:00:00']);
  });
  it('`clockChanges: natural` fires in the hour that a clock change skips', async () => {
    proves('schedule-file', 'trigger clockChanges');
    const at = (clockChanges: string) =>
      timesOf(`cron: '0 30 2 29,30 3 ?', timeZone: Europe/Berlin, clockChanges: ${clockChanges}`, '2026-03-31T00:00Z');
    expect(await at('quartz')).toEqual(['03-30 00:30:00']);
    expect(await at('natural')).toEqual(['03-29 01:30:00', '03-30 00:30:00']);
  });
  it('`retry` overrides the retry policy of the job', async () => {
    proves('schedule-file', 'trigger retry');
    expect((await failuresOf({ trigger: ', retry: R2/PT1M' }))[0]).toBe(3);
    expect((await failuresOf({ job: ', retry: R2/PT1M', trigger: ', retry: 1' }))[0]).toBe(2);
    expect((await failuresOf({ job: ', retry: R2/PT1M', trigger: ', retry: false' }))[0]).toBe(1);
  });
  it('`history` overrides the history mode of the job', async () => {
    proves('schedule-file', 'trigger history');
    expect(await failuresOf({ trigger: ', history: all' })).toEqual([1, 1]);
    const none = { job: ', history: all', trigger: ', history: none', simple: '{ interval: 1d }' };
    expect(await failuresOf(none)).toEqual([1, 0]);
  });
  it('`concurrency` overrides the concurrency limit of the job', async () => {
    proves('schedule-file', 'trigger concurrency');
    expect(await runsAtOnce({ job: ', concurrency: 4', trigger: ', concurrency: 2' })).toBe(2);
  });

  it('`rate` overrides the rate limit of the job', async () => {
    proves('schedule-file', 'trigger rate');
    const of = (burst: number) => `, rate: { limit: 9, per: 1m, burst: ${burst} }`;
    expect(await runsAtOnce({ job: of(4), trigger: of(2) })).toBe(2);
  });

  it('`timeout` overrides the timeout of the job', async () => {
    proves('schedule-file', 'trigger timeout');
    expect(await runsAtOnce({ job: ', timeout: 1h', trigger: ', timeout: { after: 1s, grace: 1s }' })).toBe(2);
  });

  it('`spread` overrides the shards of the job', async () => {
    proves('schedule-file', 'trigger spread');
    const file = withTrigger('simple: { repeatCount: 0 }, spread: { shards: 4 }', 'type: job, spread: { shards: 2 }');
    expect(await (await applied(file)).runDue()).toHaveLength(5); // the firing, and one for each part
  });

  it('`runsOn` overrides the required labels of the job', async () => {
    proves('schedule-file', 'trigger runsOn');
    for (const [field, runs] of [
      ['', 0],
      [', runsOn: []', 1],
    ] as const) {
      const file = withTrigger(`simple: { repeatCount: 0 }${field}`, 'type: job, runsOn: gpu');
      expect(await (await applied(file)).runDue()).toHaveLength(runs);
    }
  });

  it('`prefers` overrides the preferred labels of the job', async () => {
    proves('schedule-file', 'trigger prefers');
    const file = withTrigger('simple: { repeatCount: 0 }, prefers: []', 'type: job, prefers: gpu');
    expect(await (await applied(file)).runDue()).toHaveLength(1);
  });

  it('`startWithin` overrides `startWithin` of the job', async () => {
    proves('schedule-file', 'trigger startWithin');
    const each = 'simple: { interval: 10s, repeatCount: 5 }, misfire: all';
    const { clock, runDue } = await applied(withTrigger(`${each}, startWithin: 25s`, 'type: job, startWithin: 1s'));
    clock.advanceBy(50_000);
    expect((await runDue()).map(({ outcome }) => outcome).sort()).toEqual([
      ...Array(3).fill('skipped'),
      ...Array(3).fill('succeeded'),
    ]);
  });
  it('`jitter` defers each firing', async () => {
    proves('schedule-file', 'trigger jitter');
    const { clock, runDue } = await applied(withTrigger('simple: { repeatCount: 0 }, jitter: 1h'));
    const [fired] = await runDue();
    expect(fired?.outcome).toBe('deferred');
    clock.advanceBy(3_600_000);
    expect((await runDue()).map(({ outcome }) => outcome)).toEqual(['succeeded']);
  });
  it('`overlap` overrides the overlap rule of the job', async () => {
    proves('schedule-file', 'trigger overlap');
    expect(await runsAtOnce({ job: ', overlap: skip', trigger: ', overlap: allow' })).toBe(6);
    expect(await runsAtOnce({ job: ', overlap: allow', trigger: ', overlap: skip' })).toBe(1);
  });
  it('`catchUp` runs missed fire times, up to a maximum', async () => {
    proves('schedule-file', 'trigger catchUp');
    const each = 'simple: { interval: 1m }, misfire: skip';
    for (const [catchUp, runs] of [
      ['', 0],
      [', catchUp: {}', 21],
      [', catchUp: { max: 3 }', 3],
      [', catchUp: { window: 5m }', 6],
      [', catchUp: { pace: 1m }', 1],
    ] as const) {
      const { scheduler, clock, runDue } = await applied(withTrigger(`${each}${catchUp}`));
      await scheduler.pauseAll();
      clock.advanceBy(20 * 60_000);
      await scheduler.resumeAll();
      expect(await runDue()).toHaveLength(runs);
    }
    for (const wrong of ['5', '{ max: 0 }', '{ often: 5 }']) {
      expect(await codeOf(() => applied(withTrigger(`${each}, catchUp: ${wrong}`)))).toBe('CONFIGURATION');
    }
  });

  it('`mustSucceedWithin` overrides `mustSucceedWithin` of the job', async () => {
    proves('schedule-file', 'trigger mustSucceedWithin');
    const each = 'simple: { interval: 1h }, mustSucceedWithin: 1m';
    const { scheduler, advanceBy } = await applied(withTrigger(each, 'type: job, mustSucceedWithin: 1h'));
    await scheduler.pauseAll();
    await advanceBy(80_000);
    const overdue = await scheduler.listOverdue();
    expect(overdue.map(({ triggerKey, mustSucceedWithin }) => [triggerKey === null, mustSucceedWithin])).toEqual([
      [false, 60_000],
    ]);
  });

  it('`data` overrides entries of the job data', async () => {
    proves('schedule-file', 'trigger data');
    const seen: unknown[] = [];
    const look = async ({ data }: { readonly data: unknown }) => void seen.push(data);
    const file = withTrigger('simple: { repeatCount: 0 }, data: { b: 3 }', 'type: look, data: { a: 1, b: 2 }');
    await (await applied(file, undefined, { look })).runDue();
    expect(seen).toEqual([{ a: 1, b: 3 }]);
  });

  it('`cron` fires the trigger at the times of its expression', async () => {
    proves('schedule-file', 'schedule cron');
    expect(await timesOf("cron: '0 0 6,18 * * ?'", '2026-01-01T20:00Z')).toEqual(['01-01 06:00:00', '01-01 18:00:00']);
  });
  it('`dialect` sets the dialect of the cron expression', async () => {
    proves('schedule-file', 'trigger dialect');
    const of = (dialect: string) => codeOf(() => stored(`cron: '0 7 * * 1-5', dialect: ${dialect}`));
    expect([await of('unix'), await of('quartz'), await of('other')]).toEqual([
      'no error',
      'CONFIGURATION',
      'CONFIGURATION',
    ]);
    // Seconds first, and Sunday is 1.
    expect(await timesOf("cron: '0 0 7 ? * 1', dialect: quartz", '2026-01-05')).toEqual(['01-04 07:00:00']);
    // Minutes first, and Saturday is 6.
    expect(await timesOf("cron: '0 7 * * 6', dialect: unix", '2026-01-05')).toEqual(['01-03 07:00:00']);
  });

  it('`simple` repeats the trigger', async () => {
    proves('schedule-file', 'schedule simple');
    await second('simple: { interval: 60s, repeatCount: 1 }', '2026-01-01T00:01:00Z')();
  });
  it('`simple.interval` sets the interval in milliseconds', async () => {
    proves('schedule-file', 'simple interval');
    await second('simple: { interval: 1500, repeatCount: 1 }', '2026-01-01T00:00:01Z')();
    expect((await timesOf(EVERY, '2026-01-01T01:00Z')).length).toBe(61);
  });
  it('`simple.interval` accepts an ISO 8601 duration', async () => {
    proves('schedule-file', 'simple PT1M30S');
    await second('simple: { interval: PT1M30S }', '2026-01-01T00:01:30Z')();
  });
  it('`simple.repeatCount` limits the number of repetitions', async () => {
    proves('schedule-file', 'simple repeatCount');
    const count = async (keys: string) => (await timesOf(`simple: { ${keys} }`, '2026-01-01T00:10Z')).length;
    expect([await count('interval: 60s, repeatCount: 4'), await count('interval: 60s'), await count('')]).toEqual([
      5, 11, 1,
    ]);
  });

  it('`calendarInterval` repeats the trigger by calendar units', async () => {
    proves('schedule-file', 'schedule calendarInterval');
    await second('calendarInterval: { interval: 3, unit: DAY }', '2026-01-04T00:00:00Z')();
  });
  it('`calendarInterval.interval` sets the number of units between fire times', async () => {
    proves('schedule-file', 'calendarInterval interval');
    await second('calendarInterval: { interval: 5, unit: DAY }', '2026-01-06T00:00:00Z')();
  });
  it('`calendarInterval.unit` refuses an unknown unit', async () => {
    proves('schedule-file', 'calendarInterval unit');
    await calendarInterval('DAY', '2026-01-02T00:00:00Z')();
    expect(await codeOf(() => stored('calendarInterval: { interval: 1, unit: CENTURY }'))).toBe('CONFIGURATION');
  });
  it('`calendarInterval.unit: SECOND` repeats the trigger every second', async () => {
    proves('schedule-file', 'calendarInterval SECOND');
    await calendarInterval('SECOND', '2026-01-01T00:00:01Z')();
  });
  it('`calendarInterval.unit: MINUTE` repeats the trigger every minute', async () => {
    proves('schedule-file', 'calendarInterval MINUTE');
    await calendarInterval('MINUTE', '2026-01-01T00:01:00Z')();
  });
  it('`calendarInterval.unit: HOUR` repeats the trigger every hour', async () => {
    proves('schedule-file', 'calendarInterval HOUR');
    await calendarInterval('HOUR', '2026-01-01T01:00:00Z')();
  });
  it('`calendarInterval.unit: DAY` repeats the trigger every day', async () => {
    proves('schedule-file', 'calendarInterval DAY');
    await calendarInterval('DAY', '2026-01-02T00:00:00Z')();
  });
  it('`calendarInterval.unit: WEEK` repeats the trigger every week', async () => {
    proves('schedule-file', 'calendarInterval WEEK');
    await calendarInterval('WEEK', '2026-01-08T00:00:00Z')();
  });
  it('`calendarInterval.unit: MONTH` repeats the trigger every month', async () => {
    proves('schedule-file', 'calendarInterval MONTH');
    await calendarInterval('MONTH', '2026-02-01T00:00:00Z')();
  });
  it('`calendarInterval.unit: YEAR` repeats the trigger every year', async () => {
    proves('schedule-file', 'calendarInterval YEAR');
    const years = 'calendarInterval: { interval: 1, unit: YEAR }, startAt: 2026-01-01';
    expect(await timesOf(years, '2027-06-01')).toEqual(['01-01 00:00:00', '2027-01-01 00:00:00']);
  });
  it('`preserveHourOfDayAcrossDaylightSavings` does not change fire times under safe rules', async () => {
    proves('schedule-file', 'calendarInterval preserveHourOfDayAcrossDaylightSavings');
    // 2:30 does not exist on the 29th, and is used again on the 30th. Under Quartz rules, it becomes 1:30 from then on if it is not preserved.
    const at = (isKept: boolean) => aroundTheChange('02:30', `preserveHourOfDayAcrossDaylightSavings: ${isKept}`);
    expect(await at(true)).toEqual(['03-28 01:30:00', '03-29 01:30:00', '03-30 00:30:00']);
    expect(await at(false)).toEqual(['03-28 01:30:00', '03-29 01:30:00', '03-30 00:30:00']);
  });
  it('`skipDayIfHourDoesNotExist` skips a day without the hour of the trigger', async () => {
    proves('schedule-file', 'calendarInterval skipDayIfHourDoesNotExist');
    const at = (skips: boolean) =>
      aroundTheChange('02:30', `preserveHourOfDayAcrossDaylightSavings: true, skipDayIfHourDoesNotExist: ${skips}`);
    expect(await at(true)).toEqual(['03-28 01:30:00', '03-30 00:30:00']);
    expect(await at(false)).toHaveLength(3);
  });

  it('`dailyTimeInterval` repeats the trigger during each day', async () => {
    proves('schedule-file', 'schedule dailyTimeInterval');
    expect(await daily('')).toEqual(['01-01 00:00:00', '01-01 06:00:00', '01-01 12:00:00', '01-01 18:00:00']);
  });
  it('`dailyTimeInterval.interval` sets the number of units between fire times', async () => {
    proves('schedule-file', 'dailyTimeInterval interval');
    await second('dailyTimeInterval: { interval: 5, unit: HOUR }', '2026-01-01T05:00:00Z')();
  });
  it('`dailyTimeInterval.unit` refuses DAY', async () => {
    proves('schedule-file', 'dailyTimeInterval unit');
    await dailyInterval('HOUR', '2026-01-01T01:00:00Z')();
    expect(await codeOf(() => stored('dailyTimeInterval: { interval: 1, unit: DAY }'))).toBe('CONFIGURATION');
  });
  it('`dailyTimeInterval.unit: SECOND` repeats the trigger every second', async () => {
    proves('schedule-file', 'dailyTimeInterval SECOND');
    await dailyInterval('SECOND', '2026-01-01T00:00:01Z')();
  });
  it('`dailyTimeInterval.unit: MINUTE` repeats the trigger every minute', async () => {
    proves('schedule-file', 'dailyTimeInterval MINUTE');
    await dailyInterval('MINUTE', '2026-01-01T00:01:00Z')();
  });
  it('`dailyTimeInterval.unit: HOUR` repeats the trigger every hour', async () => {
    proves('schedule-file', 'dailyTimeInterval HOUR');
    await dailyInterval('HOUR', '2026-01-01T01:00:00Z')();
  });
  it('`startTimeOfDay` sets the first fire time of each day', async () => {
    proves('schedule-file', 'dailyTimeInterval startTimeOfDay');
    expect(await daily("startTimeOfDay: '09:30'")).toEqual(['01-01 09:30:00', '01-01 15:30:00', '01-01 21:30:00']);
  });
  it('`endTimeOfDay` sets the last possible fire time of each day', async () => {
    proves('schedule-file', 'dailyTimeInterval endTimeOfDay');
    expect(await daily("endTimeOfDay: '06:00'")).toEqual(['01-01 00:00:00', '01-01 06:00:00']);
  });
  it('`daysOfWeek` restricts the trigger to certain days', async () => {
    proves('schedule-file', 'dailyTimeInterval daysOfWeek');
    expect(await daily("daysOfWeek: [SAT], endTimeOfDay: '01:00'", '2026-01-11')).toEqual([
      '01-03 00:00:00',
      '01-10 00:00:00',
    ]);
  });
  it('`dailyTimeInterval.repeatCount` limits the number of repetitions', async () => {
    proves('schedule-file', 'dailyTimeInterval repeatCount');
    expect([(await daily('repeatCount: 1')).length, (await daily('repeatCount: -1')).length]).toEqual([2, 4]);
  });
});
