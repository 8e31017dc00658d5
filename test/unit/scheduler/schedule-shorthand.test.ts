import type { JobExecutionContext, ScheduleOptions } from '../../../src';
import { GroupMatcher, jobKey, newJob, newTrigger, repeatSecondlyForever, type Scheduler } from '../../../src';
import { at, codeOf, heard, noop, START, shutdownAll, testScheduler, times } from './support';

afterEach(shutdownAll);

const hourly = { every: 'PT1H' } as const;

describe('scheduler.schedule', () => {
  it('names, registers and schedules a job in one call', async () => {
    const seen: unknown[] = [];
    const { scheduler, advanceTo } = await testScheduler();
    const next = await scheduler.schedule(
      'cleanup',
      { cron: '0 0/15 * * * ?', startAt: at('00:10:00'), data: { keep: 3 }, priority: 7, description: 'tidies up' },
      ({ data }: JobExecutionContext<{ keep: number }>) => void seen.push(data.keep),
    );
    expect(next).toEqual(at('00:15:00'));
    expect(await scheduler.getJobDetail('cleanup')).toMatchObject({
      jobType: 'cleanup',
      durable: false,
      data: { keep: 3 },
    });
    expect(await scheduler.getTrigger('cleanup')).toMatchObject({
      kind: 'CRON',
      priority: 7,
      description: 'tidies up',
    });
    expect(times(await advanceTo(at('00:45:00')))).toEqual([
      'cleanup@00:15:00',
      'cleanup@00:30:00',
      'cleanup@00:45:00',
    ]);
    expect(seen).toEqual([3, 3, 3]);
  });

  it('accepts group/name, like every method that takes a key', async () => {
    const { scheduler, advanceBy } = await testScheduler();
    await scheduler.schedule('reports/daily', { every: 20_000 }, noop);
    expect(await scheduler.getJobDetail('reports/daily')).toMatchObject({
      key: jobKey('daily', 'reports'),
      jobType: 'reports/daily',
    });
    expect(await scheduler.getTrigger({ group: 'reports', name: 'daily' })).not.toBeNull();
    expect(await scheduler.schedule('mail', { after: 'reports/daily' }, noop)).toBeNull();
    expect(times(await advanceBy(0))).toEqual(['daily@00:00:00', expect.stringMatching(/^chain_\S+@00:00:00$/)]);
    expect((await scheduler.listTriggers({ search: 'reports/da' })).items).toHaveLength(1);
    expect(await scheduler.unscheduleJob('reports/daily')).toBe(true);
    expect(await scheduler.checkExists({ job: 'reports/daily' })).toBe(false);
  });

  it('repeats a job after a given number of milliseconds, starting now', async () => {
    const { scheduler, advanceBy } = await testScheduler();
    expect(await scheduler.schedule('tick', { every: 20_000 }, noop)).toEqual(START);
    expect(times(await advanceBy(60_000))).toEqual([
      'tick@00:00:00',
      'tick@00:00:20',
      'tick@00:00:40',
      'tick@00:01:00',
    ]);
  });

  it('accepts a time as a Date or a string, in its time zone if the string has no offset', async () => {
    const { scheduler } = await testScheduler();
    const next = (at: string) => scheduler.schedule('once', { at, timeZone: 'Europe/Berlin' }, noop);
    expect(await next('2026-02-01T08:00')).toEqual(new Date('2026-02-01T07:00:00Z'));
    expect(await next('2026-02-01T08:00Z')).toEqual(new Date('2026-02-01T08:00:00Z'));
    expect(await codeOf(() => next('tomorrow'))).toBe('INVALID_ARGUMENT');
    expect(await codeOf(() => next('2026-02-30T08:00'))).toBe('INVALID_ARGUMENT');
  });

  it('repeats a job at the same local time across daylight saving for a calendar interval', async () => {
    const { scheduler, advanceTo } = await testScheduler();
    const startAt = new Date('2026-03-28T08:00:00Z');
    await scheduler.schedule('daily', { every: 'P1D', startAt, timeZone: 'Europe/Berlin' }, noop);
    const firings = await advanceTo(new Date('2026-03-30T12:00:00Z'));
    expect(firings.map(({ fireTime }) => fireTime.toISOString())).toEqual([
      '2026-03-28T08:00:00.000Z',
      '2026-03-29T07:00:00.000Z',
      '2026-03-30T07:00:00.000Z',
    ]);
  });

  it('runs a job once at a given time, and then deletes it', async () => {
    const { scheduler, advanceTo } = await testScheduler();
    expect(await scheduler.schedule('once', { at: at('02:00:00') }, noop)).toEqual(at('02:00:00'));
    expect(times(await advanceTo(at('05:00:00')))).toEqual(['once@02:00:00']);
    expect(await scheduler.checkExists({ job: 'once' })).toBe(false);
  });

  it('reads unix cron expressions with the dialect option', async () => {
    const { scheduler } = await testScheduler();
    const next = await scheduler.schedule('weekdays', { cron: '30 6 * * 1-5', dialect: 'unix' }, noop);
    expect(next).toEqual(at('06:30:00'));
  });

  it.each<[ScheduleOptions, string]>([
    [{ cron: '0 H H * * ?' }, '0 59 18 * * ?'],
    [{ cron: 'H H * * *', dialect: 'unix' }, '0 59 18 * * ?'],
    [{ cron: '0 H H * * ?', group: 'billing' }, '0 47 11 * * ?'],
  ])('stores the hashed value of H, which later declarations keep: %p', async (when, cronExpression) => {
    const { scheduler } = await testScheduler();
    const key = { name: 'report', group: when.group ?? 'DEFAULT' };
    const next = await scheduler.schedule('report', when, noop);
    expect(await scheduler.getTrigger(key)).toMatchObject({ cronExpression });
    expect(await scheduler.declare({ report: when })).toMatchObject({ nextFireTimes: { report: next } });
    expect(await scheduler.getTrigger(key)).toMatchObject({ cronExpression });
  });

  it('allows the same name in two groups', async () => {
    const { scheduler } = await testScheduler();
    await scheduler.schedule('job', { every: 1_000, group: 'a' }, noop);
    await scheduler.schedule('job', { every: 1_000, group: 'b' });
    expect(await scheduler.checkExists({ job: jobKey('job', 'a') })).toBe(true);
    expect(await scheduler.checkExists({ trigger: { group: 'b', name: 'job' } })).toBe(true);
  });

  it('sets the execution options of the job', async () => {
    const { scheduler } = await testScheduler();
    await scheduler.schedule(
      'job',
      { every: 1_000, disallowConcurrentExecution: true, persistJobDataAfterExecution: true, requestsRecovery: true },
      noop,
    );
    expect(await scheduler.getJobDetail('job')).toMatchObject({
      disallowConcurrentExecution: true,
      persistJobDataAfterExecution: true,
      requestsRecovery: true,
    });
  });
});

describe('the retry and history options of a job', () => {
  const when = { every: 1_000, retry: [60_000, 'PT5M'], history: true } as const;
  const policy = { retry: { max: 2, delays: [60_000, 300_000] }, history: 'all' };

  it('are stored with the job, not with its trigger', async () => {
    const { scheduler } = await testScheduler();
    await scheduler.schedule('job', when, noop);
    await scheduler.declare({ declared: { ...when, job: noop } });
    expect((await scheduler.getJobDetail('job'))?.policy).toEqual(policy);
    expect((await scheduler.getJobDetail('declared'))?.policy).toEqual(policy);
    expect(await scheduler.getTrigger('job')).not.toHaveProperty('policy');
  });

  it('change a job only when they have changed', async () => {
    const { scheduler } = await testScheduler();
    const data = { data: { runs: 0 }, persistJobDataAfterExecution: true } as const;
    const cases: readonly (readonly [string, Pick<ScheduleOptions, 'data'>])[] = [
      ['plain', {}],
      ['persisting', data],
    ];
    for (const [name, more] of cases) {
      await scheduler.schedule(name, { ...when, ...more }, noop);
      const events = heard(scheduler);
      await scheduler.schedule(name, { ...when, ...more, retry: ['1m', 300_000], history: 'all' });
      expect(events).toEqual([]);
      await scheduler.schedule(name, { ...when, ...more, history: 'failures' });
      expect((await scheduler.getJobDetail(name))?.policy).toEqual({ ...policy, history: 'failures' });
      await scheduler.schedule(name, { every: 1_000, ...more });
      expect(await scheduler.getJobDetail(name)).not.toHaveProperty('policy');
    }
  });

  it.each<[string, object]>([
    ['an invalid retry policy', { retry: 'often' }],
    ['an unknown history mode', { history: 'some' }],
    ['the misspelt option retries', { retries: 3 }],
  ])('refuse %s, and nothing is stored', async (_, wrong) => {
    const { scheduler } = await testScheduler();
    expect(await codeOf(() => scheduler.schedule('job', { every: 1_000, ...wrong } as never, noop))).toBe(
      'INVALID_ARGUMENT',
    );
    expect(await scheduler.checkExists({ job: 'job' })).toBe(false);
  });
});

describe('a repeated call of schedule', () => {
  it('changes nothing if nothing has changed', async () => {
    const { scheduler, advanceTo } = await testScheduler();
    const schedule = () => scheduler.schedule('tick', { every: 'PT1H' }, noop);
    await schedule();
    await advanceTo(at('02:30:00'));
    const events = heard(scheduler);
    expect(await schedule()).toEqual(at('03:00:00'));
    expect(events).toEqual([]);
    expect(await scheduler.getTrigger('tick')).toMatchObject({ startTime: START, previousFireTime: at('02:00:00') });
  });

  it('applies a new schedule from now on', async () => {
    const { scheduler, advanceTo } = await testScheduler();
    await scheduler.schedule('job', { cron: '0 0 * * * ?' }, noop);
    await advanceTo(at('01:30:00'));
    expect(await scheduler.schedule('job', { cron: '0 45 * * * ?' }, noop)).toEqual(at('01:45:00'));
  });

  it('can change the kind of schedule', async () => {
    const { scheduler, advanceTo } = await testScheduler();
    await scheduler.schedule('job', { every: 'PT1H' }, noop);
    await advanceTo(at('01:30:00'));
    await scheduler.schedule('job', { cron: '0 45 * * * ?' });
    expect(times(await advanceTo(at('02:50:00')))).toEqual(['job@01:45:00', 'job@02:45:00']);
  });

  it('replaces the function of the job', async () => {
    const ran: string[] = [];
    const { scheduler, advanceBy } = await testScheduler();
    await scheduler.schedule('job', { every: 1_000 }, () => void ran.push('old'));
    await advanceBy(0);
    await scheduler.schedule('job', { every: 1_000 }, () => void ran.push('new'));
    await advanceBy(1_000);
    expect(ran).toEqual(['old', 'new']);
  });

  it('keeps the data that a job has persisted', async () => {
    const { scheduler, advanceBy } = await testScheduler();
    const count = () =>
      scheduler.schedule(
        'count',
        { every: 1_000, data: { runs: 0 }, persistJobDataAfterExecution: true },
        ({ data }: JobExecutionContext<{ runs: number }>) => ({ runs: data.runs + 1 }),
      );
    await count();
    await advanceBy(2_000);
    await count();
    expect((await scheduler.getJobDetail('count'))?.data).toEqual({ runs: 3 });
    await scheduler.schedule('count', { every: 1_000, persistJobDataAfterExecution: true, description: 'counts' });
    expect(await scheduler.getJobDetail('count')).toMatchObject({ data: { runs: 3 }, description: 'counts' });
  });

  it('replaces the data of a job that does not persist its data', async () => {
    const { scheduler } = await testScheduler();
    await scheduler.schedule('job', { every: 1_000, data: { a: 1 } }, noop);
    await scheduler.schedule('job', { every: 1_000, data: { a: 2 } });
    expect((await scheduler.getJobDetail('job'))?.data).toEqual({ a: 2 });
  });
});

describe('a schedule that has ended', () => {
  const once = { at: at('01:00:00') };

  it('stays ended when it is scheduled again unchanged, as at each start of a program', async () => {
    const { scheduler, advanceTo } = await testScheduler();
    await scheduler.schedule('mail', once, noop);
    expect(times(await advanceTo(at('02:00:00')))).toEqual(['mail@01:00:00']);
    const events = heard(scheduler);
    expect(await scheduler.schedule('mail', once, noop)).toBeNull();
    expect(times(await advanceTo(at('03:00:00')))).toEqual([]);
    expect(events).toEqual([]);
    expect(await scheduler.checkExists({ job: 'mail' })).toBe(false);
  });

  it('runs again at another time, and at the same time after it was unscheduled', async () => {
    const { scheduler, advanceTo } = await testScheduler();
    await scheduler.schedule('mail', once, noop);
    await advanceTo(at('02:00:00'));
    expect(await scheduler.schedule('mail', { at: at('03:00:00') })).toEqual(at('03:00:00'));
    await advanceTo(at('04:00:00'));
    await scheduler.unscheduleJob('mail');
    expect(await scheduler.schedule('mail', { at: at('03:00:00') })).toEqual(at('03:00:00'));
    expect(times(await advanceTo(at('04:30:00')))).toHaveLength(1);
  });
});

describe('a declared set', () => {
  it('is registered and scheduled completely or not at all', async () => {
    const { scheduler, advanceTo } = await testScheduler();
    const broken = { a: { ...hourly, job: noop }, b: { cron: 'nonsense', job: noop } };
    expect(await codeOf(() => scheduler.declare(broken))).toBe('CRON_SYNTAX');
    expect(await codeOf(() => scheduler.declare({ a: { ...hourly, job: noop }, b: hourly }))).toBe('UNKNOWN_JOB_TYPE');
    expect(await codeOf(() => scheduler.schedule('a', hourly))).toBe('UNKNOWN_JOB_TYPE');
    const { nextFireTimes, undeclared } = await scheduler.declare({
      a: { ...hourly, job: noop },
      noop: { at: at('00:30:00') },
    });
    expect(nextFireTimes).toEqual({ a: START, noop: at('00:30:00') });
    expect(undeclared).toEqual([]);
    expect(times(await advanceTo(at('01:00:00')))).toEqual(['a@00:00:00', 'noop@00:30:00', 'a@01:00:00']);
  });

  it('reports jobs that it no longer contains, and deletes them only with prune', async () => {
    const { scheduler } = await testScheduler();
    await scheduler.schedule('single', hourly, noop);
    await scheduler.declare({ other: { ...hourly, job: noop } }, { set: 'of another program' });
    await scheduler.declare({ a: { ...hourly, job: noop }, b: { ...hourly, job: noop } });
    const warnings: string[] = [];
    scheduler.subscribe((event) => event.type === 'configurationWarning' && warnings.push(event.message));

    expect((await scheduler.declare({ a: hourly })).undeclared).toEqual([jobKey('b')]);
    expect(warnings).toEqual([expect.stringContaining("no longer contains 'DEFAULT/b'. It stays stored")]);
    expect(await scheduler.checkExists({ trigger: 'b' })).toBe(true);

    expect((await scheduler.declare({ a: hourly }, { prune: true })).undeclared).toEqual([jobKey('b')]);
    expect(await scheduler.checkExists({ job: 'b' })).toBe(false);
    expect((await scheduler.declare({ a: hourly }, { prune: true })).undeclared).toEqual([]);
    expect((await scheduler.getTriggerKeys(GroupMatcher.anyGroup())).map(({ name }) => name).sort()).toEqual([
      'a',
      'other',
      'single',
    ]);
    expect(warnings).toHaveLength(1);
  });

  it('forgets an ended one-shot trigger when it no longer contains it', async () => {
    const { scheduler, advanceTo } = await testScheduler();
    const once = { mail: { at: at('01:00:00'), job: noop } };
    await scheduler.declare(once);
    await advanceTo(at('02:00:00'));
    expect((await scheduler.declare(once)).nextFireTimes).toEqual({ mail: null });
    expect((await scheduler.declare({}, { prune: true })).undeclared).toEqual([jobKey('mail')]);
    expect((await scheduler.declare(once)).nextFireTimes).toEqual({ mail: at('01:00:00') });
  });

  it.each<[string, unknown, unknown]>([
    ['undefined as the set', undefined, {}],
    ['a number as a schedule', { a: 5 }, {}],
    ['null as a schedule', { a: null }, {}],
    ['an unknown prune mode', {}, { prune: 'yes' }],
    ['an empty set name', {}, { set: '' }],
    ['an unknown option', {}, { purge: true }],
  ])('refuses %s', async (_, schedules, options) => {
    const { scheduler } = await testScheduler();
    expect(await codeOf(() => scheduler.declare(schedules as never, options as never))).toBe('INVALID_ARGUMENT');
    expect(await codeOf(() => scheduler.sync(schedules as never, options as never))).toBe('INVALID_ARGUMENT');
  });
});

describe('sync', () => {
  /** A set with a and b in the group DEFAULT and c in another group, and two triggers that do not belong to the set. */
  async function synced() {
    const test = await testScheduler();
    const { scheduler } = test;
    await scheduler.schedule('by hand', hourly, noop);
    await scheduler.declare({ theirs: { ...hourly, job: noop } }, { set: 'theirs' });
    const elsewhere = { ...hourly, group: 'reports', job: noop };
    await scheduler.sync({ a: { ...hourly, job: noop }, b: { ...hourly, job: noop }, c: elsewhere });
    const warnings: string[] = [];
    scheduler.subscribe((event) => event.type === 'configurationWarning' && warnings.push(event.message));
    const stored = async () => (await scheduler.getTriggerKeys(GroupMatcher.anyGroup())).map(({ name }) => name).sort();
    return { ...test, stored, warnings };
  }

  it('deletes by default jobs that it no longer contains, in the groups that it contains', async () => {
    const { scheduler, stored, warnings } = await synced();
    expect(await scheduler.sync({ a: hourly })).toEqual({ nextFireTimes: { a: START }, undeclared: [jobKey('b')] });
    expect(await stored()).toEqual(['a', 'by hand', 'c', 'theirs']);
    expect(await scheduler.sync({})).toEqual({ nextFireTimes: {}, undeclared: [] });
    expect(await stored()).toEqual(['a', 'by hand', 'c', 'theirs']);
    expect(warnings).toEqual([]);
  });

  it('deletes jobs in every group with prune: all', async () => {
    const { scheduler, stored } = await synced();
    const { undeclared } = await scheduler.sync({ a: hourly }, { prune: 'all' });
    expect(undeclared.map(({ name }) => name).sort()).toEqual(['b', 'c']);
    expect(await stored()).toEqual(['a', 'by hand', 'theirs']);
    await scheduler.sync({}, { prune: 'all' });
    expect(await stored()).toEqual(['by hand', 'theirs']);
  });

  it('only reports jobs that it no longer contains with prune: false', async () => {
    const { scheduler, stored, warnings } = await synced();
    await scheduler.sync({ a: hourly }, { prune: false });
    expect(warnings).toEqual([
      expect.stringMatching(/no longer contains 'DEFAULT\/b', 'reports\/c'\. They stay stored/),
    ]);
    expect(await stored()).toEqual(['a', 'b', 'by hand', 'c', 'theirs']);
    await scheduler.unscheduleJob('b');
    await scheduler.unscheduleJob({ group: 'reports', name: 'c' });
    await scheduler.sync({ a: hourly }, { prune: false });
    expect(warnings).toHaveLength(1);
  });

  it('uses the same sets as declare', async () => {
    const { scheduler, stored } = await synced();
    await scheduler.declare({ a: hourly }, { prune: 'group' });
    expect(await stored()).toEqual(['a', 'by hand', 'c', 'theirs']);
  });

  it('does not delete a job that another set has taken over', async () => {
    const { scheduler, stored } = await synced();
    await scheduler.sync({ b: hourly }, { set: 'theirs', prune: false });
    expect((await scheduler.sync({ a: hourly })).undeclared).toEqual([]);
    expect(await stored()).toContain('b');
  });

  it('deletes nothing if a part of the set is refused', async () => {
    const { scheduler, stored } = await synced();
    const unknown = { a: hourly, x: { ...hourly, calendar: 'nowhere' } };
    expect(await codeOf(() => scheduler.sync({ ...unknown, x: { ...unknown.x, job: noop } }))).toBe(
      'CALENDAR_NOT_FOUND',
    );
    expect(await stored()).toContain('b');
  });
});

describe('missed fire times', () => {
  /** Firings from 03:30 to 04:00 after a standby from 00:00 to 03:30. */
  async function missed(when: ScheduleOptions) {
    const { scheduler, advanceTo } = await testScheduler();
    await scheduler.schedule('job', when, noop);
    await scheduler.standby();
    await advanceTo(at('03:30:00'));
    await scheduler.start();
    return (await advanceTo(at('04:00:00'))).map(({ fireTime }) => fireTime.toISOString().slice(11, 16));
  }

  it('fire once by default for a cron schedule, are skipped with skip, and all fire with all', async () => {
    const when = { cron: '0 0 * * * ?', startAt: at('00:30:00') };
    expect(await missed(when)).toEqual(['03:30', '04:00']);
    expect(await missed({ ...when, misfire: 'skip' })).toEqual(['04:00']);
    expect(await missed({ ...when, misfire: 'all' })).toEqual(['03:30', '03:30', '03:30', '04:00']);
  });

  it('fire once by default for a calendar interval, and are skipped with skip', async () => {
    const when = { every: 'P1D', startAt: at('01:00:00') };
    expect(await missed(when)).toEqual(['03:30']);
    expect(await missed({ ...when, misfire: 'skip' })).toEqual([]);
    expect(await missed({ ...when, misfire: 'all' })).toEqual(['03:30']);
  });

  it('do not include times before the schedule was stored, although its start sets the phase', async () => {
    expect(await missed({ every: 'P1D', startAt: new Date('2025-12-31T04:00:00Z') })).toEqual(['04:00']);
  });

  it('are skipped by default for a fixed interval, fire once with fire, and all fire with all', async () => {
    const when = { every: 'PT1H', startAt: at('01:00:00') };
    expect(await missed(when)).toEqual(['04:00']);
    expect((await missed({ ...when, misfire: 'fire' }))[0]).toBe('03:30');
    expect(await missed({ ...when, misfire: 'skip' })).toEqual(['04:00']);
    expect(await missed({ ...when, misfire: 'all' })).toEqual(['03:30', '03:30', '03:30', '04:00']);
  });

  it.each([
    ['short form', (scheduler: Scheduler) => scheduler.schedule('job', { every: '5s' }, noop)],
    [
      'builders',
      (scheduler: Scheduler) =>
        scheduler.scheduleJob(newJob('noop').build(), newTrigger().withSchedule(repeatSecondlyForever(5)).build()),
    ],
  ])('fire for a 5 s interval (%s) if they are late but not misfired, and keep the phase', async (_, schedule) => {
    const firedAfter = async (down: number) => {
      const { scheduler, clock, advanceBy } = await testScheduler();
      await schedule(scheduler);
      await advanceBy(2_000);
      await scheduler.standby();
      clock.advanceTo(clock.now() + down);
      await scheduler.start();
      return (await advanceBy(5_000)).map(
        ({ scheduledFireTime, fireTime }) =>
          `${scheduledFireTime.toISOString().slice(14, 19)} at ${fireTime.toISOString().slice(14, 19)}`,
      );
    };
    const late = ['05', '10', '15', '20', '25', '30', '35', '40'].map((second) => `00:${second} at 00:42`);
    expect(await firedAfter(40_000)).toEqual([...late, '00:45 at 00:45']);
    expect(await firedAfter(300_000)).toEqual(['05:05 at 05:05']);
  });

  it('fire by default for a single time, and are skipped with skip', async () => {
    expect(await missed({ at: at('01:00:00') })).toEqual(['03:30']);
    expect(await missed({ at: at('01:00:00'), misfire: 'skip' })).toEqual([]);
  });
});

describe('an invalid call of schedule', () => {
  const mistakes: readonly [string, unknown, string, RegExp][] = [
    ['no schedule', {}, 'INVALID_ARGUMENT', /exactly one of cron, every, at and after, found none/],
    ['two schedules', { cron: '0 0 6 * * ?', every: 5 }, 'INVALID_ARGUMENT', /found 2/],
    ['undefined', undefined, 'INVALID_ARGUMENT', /a schedule such as/],
    ['a string', '0 0 6 * * ?', 'INVALID_ARGUMENT', /a schedule such as .* found '0 0 6/],
    [
      'an unknown option',
      { every: 5, misFires: 'skip' },
      'INVALID_ARGUMENT',
      /no option 'misFires'. Did you mean 'misfire'/,
    ],
    [
      'startTime instead of startAt',
      { every: 5, startTime: at('01:00:00') },
      'INVALID_ARGUMENT',
      /no option 'startTime'. Did you mean 'startAt'/,
    ],
    [
      'calendarName instead of calendar',
      { every: 5, calendarName: 'b' },
      'INVALID_ARGUMENT',
      /no option 'calendarName'. Did you mean 'calendar'/,
    ],
    ['an unknown policy', { every: 5, misfire: 'retry' }, 'INVALID_ARGUMENT', /one of fire, skip, all as misfire/],
    ['a dialect without cron', { every: 5, dialect: 'unix' }, 'INVALID_ARGUMENT', /dialect only with cron/],
    ['an unknown dialect', { cron: '* * * * *', dialect: 'cron' }, 'INVALID_ARGUMENT', /quartz, unix as dialect/],
    ['a cron expression of five fields', { cron: '30 6 * * 1-5' }, 'CRON_SYNTAX', /unix/],
    ['a cron expression that only Quartz accepts', { cron: '0 0 6 ? * MON/2' }, 'CRON_SYNTAX', /MON/],
    ['a broken crontab line', { cron: 'x * * * *', dialect: 'unix' }, 'CRON_SYNTAX', /./],
    ['a number as cron', { cron: 5 }, 'CRON_SYNTAX', /./],
    ['an invalid Date', { at: new Date('never') }, 'INVALID_ARGUMENT', /valid Date, or an ISO-8601 time .* as at,/],
    [
      'an invalid string as a date',
      { every: 5, startAt: 'soon' },
      'INVALID_ARGUMENT',
      /valid Date, or an ISO-8601 time .* as startAt,/,
    ],
    [
      'an invalid end',
      { every: 5, endAt: new Date('never') },
      'INVALID_ARGUMENT',
      /valid Date, or an ISO-8601 time .* as endAt,/,
    ],
    [
      'an end before the start',
      { every: 5, endAt: at('00:00:00'), startAt: at('01:00:00') },
      'INVALID_TRIGGER',
      /endTime/,
    ],
    ['a cron expression that never fires', { cron: '0 0 0 1 1 ? 2020' }, 'INVALID_TRIGGER', /./],
    ['at and startAt together', { at: at('01:00:00'), startAt: at('01:00:00') }, 'INVALID_ARGUMENT', /at is the start/],
    ['an unknown time zone', { cron: '0 0 6 * * ?', timeZone: 'Mars/Olympus' }, 'UNKNOWN_TIME_ZONE', /Mars/],
    ['an unknown calendar', { every: 5, calendar: 'holidays' }, 'CALENDAR_NOT_FOUND', /holidays/],
    ['a group name of 191 characters', { every: 5, group: 'x'.repeat(191) }, 'INVALID_ARGUMENT', /at most 190/],
    ['data with a function', { every: 5, data: { f: noop } }, 'INVALID_JOB_DATA', /data\.f/],
    [
      'a string as a flag',
      { every: 5, requestsRecovery: 'yes' },
      'INVALID_ARGUMENT',
      /true or false as requestsRecovery/,
    ],
    ['a string as the priority', { every: 5, priority: '1' }, 'INVALID_ARGUMENT', /priority/],
  ];

  it.each(mistakes)('(%s) is refused, and nothing is registered or stored', async (_, when, code, message) => {
    const { scheduler } = await testScheduler();
    const attempt = () => scheduler.schedule('job', when as ScheduleOptions, noop);
    expect(await codeOf(attempt)).toBe(code);
    await expect(attempt()).rejects.toThrow(message);
    expect(await scheduler.checkExists({ job: 'job' })).toBe(false);
    expect(await codeOf(() => scheduler.schedule('job', { every: 1_000 }))).toBe('UNKNOWN_JOB_TYPE');
  });

  it('with an invalid name is refused', async () => {
    const { scheduler } = await testScheduler();
    for (const name of ['', 'x'.repeat(191), 'a\u0000b', 5 as unknown as string, undefined as unknown as string]) {
      expect(await codeOf(() => scheduler.schedule(name, { every: 1_000 }, noop))).toBe('INVALID_ARGUMENT');
    }
  });

  it('with an invalid job is refused', async () => {
    const { scheduler } = await testScheduler();
    for (const job of [null, 'run', {}, { execute: 1 }]) {
      expect(await codeOf(() => scheduler.schedule('job', { every: 1_000 }, job as never))).toBe('INVALID_ARGUMENT');
    }
    expect(await scheduler.checkExists({ job: 'job' })).toBe(false);
  });

  it('with an unknown job type is refused with the most similar known type', async () => {
    const { scheduler } = await testScheduler({ jobs: { 'send-report': noop } });
    expect(await codeOf(() => scheduler.schedule('sendReport', { every: 1_000 }))).toBe('UNKNOWN_JOB_TYPE');
    await expect(scheduler.schedule('sendReport', { every: 1_000 })).rejects.toThrow(/Did you mean 'send-report'/);
  });
});
