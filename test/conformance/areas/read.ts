import { GroupMatcher, jobKey, triggerKey } from '../../../src/domain/keys';
import type { JobQuery, TriggerQuery } from '../../../src/store/job-store';
import type { StoreContext } from '../describe-job-store';
import { everyMinute, everyNoon, HOUR, job, MINUTE, NOW, once, without } from '../samples';

const ALL = { skip: 0, take: 1000 } as const;

/** Reads by key, and filtered, sorted and paged lists. */
export function describeReading(context: StoreContext): void {
  describe('reading', () => {
    describeByKey(context);
    describe('jobs', () => describeJobs(context));
    describe('triggers', () => describeTriggers(context));
  });
}

function describeByKey({ driver }: StoreContext): void {
  it('returns stored objects by key, in the requested order, and omits missing ones', async () => {
    await driver().scheduleAll(once('a'), once('b'));
    await driver().schedule(
      job('other', { durable: true, description: 'x', data: { deep: { list: [1, null, 'x'] } } }),
    );
    const triggers = await driver().store.getTriggers(['b', 'nothing', 'a'].map((name) => triggerKey(name)));
    expect(triggers.map(({ trigger }) => trigger.key.name)).toEqual(['b', 'a']);
    const jobs = await driver().store.getJobs(['other', 'nothing', 'job'].map((name) => jobKey(name)));
    expect(jobs).toEqual([
      job('other', { durable: true, description: 'x', data: { deep: { list: [1, null, 'x'] } } }),
      job(),
    ]);
  });

  it('returns every field of every kind of trigger', async () => {
    const common = {
      description: 'x',
      data: { a: 1 },
      priority: -3,
      startTime: NOW + HOUR,
      endTime: NOW + 10_000 * HOUR,
      jobKey: jobKey('job'),
      calendarName: 'none',
    };
    await driver().applyOne({
      type: 'storeCalendar',
      name: 'none',
      calendar: without(),
      ifExists: 'fail',
      updateTriggers: false,
    });
    const triggers = [
      everyNoon('cron', { ...common, timeZone: 'Europe/Berlin', misfireInstruction: 'DO_NOTHING' }),
      everyMinute('simple', { ...common, misfireInstruction: 'RESCHEDULE_NEXT_WITH_REMAINING_COUNT' }),
      {
        ...once('interval', common),
        kind: 'CAL_INT' as const,
        repeatInterval: 2,
        repeatIntervalUnit: 'WEEK' as const,
        timeZone: 'America/New_York',
        preserveHourOfDayAcrossDaylightSavings: true,
        skipDayIfHourDoesNotExist: true,
        misfireInstruction: 'FIRE_ONCE_NOW' as const,
      },
      {
        ...once('daily', common),
        kind: 'DAILY_I' as const,
        repeatInterval: 90,
        repeatIntervalUnit: 'MINUTE' as const,
        startTimeOfDay: { hour: 8, minute: 0, second: 0 },
        endTimeOfDay: { hour: 17, minute: 30, second: 59 },
        daysOfWeek: [2, 4, 6],
        repeatCount: 7,
        timeZone: 'Asia/Tokyo',
        misfireInstruction: 'IGNORE_MISFIRE_POLICY' as const,
      },
    ].map((trigger) => {
      // CAL_INT has no repeat count.
      if (trigger.kind !== 'CAL_INT') return trigger;
      const { repeatCount: _, ...rest } = trigger;
      return rest;
    });
    await driver().scheduleAll(...triggers);
    for (const expected of triggers) {
      const found = await driver().trigger(expected.key);
      expect(found).toEqual({ ...expected, nextFireTime: expect.any(Number) });
      expect(found.nextFireTime).toBeGreaterThanOrEqual(NOW + HOUR);
    }
  });

  it('lists groups and calendars in order', async () => {
    expect(await driver().store.getJobGroupNames()).toEqual([]);
    for (const group of ['b', 'a', 'B']) {
      await driver().schedule(
        job('job', { key: jobKey('job', group) }),
        once('x', { key: triggerKey('x', `t-${group}`) }),
      );
      await driver().applyOne({
        type: 'storeCalendar',
        name: `c-${group}`,
        calendar: without(),
        ifExists: 'fail',
        updateTriggers: false,
      });
    }
    expect(await driver().store.getJobGroupNames()).toEqual(['B', 'a', 'b']);
    expect(await driver().store.getTriggerGroupNames()).toEqual(['t-B', 't-a', 't-b']);
    expect(await driver().store.getCalendarNames()).toEqual(['c-B', 'c-a', 'c-b']);
    expect(await driver().store.getCalendar('nothing')).toBeNull();
  });
}

function describeJobs({ driver }: StoreContext): void {
  const queried = async (query: Partial<JobQuery> = {}) => {
    const { items, total } = await driver().store.queryJobs({ ...ALL, ...query });
    return { names: items.map(({ key }) => `${key.group}.${key.name}`), total };
  };

  beforeEach(async () => {
    await driver().apply(
      ...(
        [
          ['web', 'Mail', 'send'],
          ['web', 'clean', 'sweep'],
          ['db', 'mail-retry', 'send'],
          ['db', 'backup', 'dump'],
        ] as const
      ).map(([group, name, jobType]) => ({
        type: 'storeJob' as const,
        job: job(name, { key: jobKey(name, group), jobType, durable: true }),
        ifExists: 'fail' as const,
        requireTrigger: true,
      })),
    );
  });

  it('filters jobs by group, type and part of the name', async () => {
    expect((await queried({ group: GroupMatcher.groupEquals('web') })).names).toEqual(['web.Mail', 'web.clean']);
    expect((await queried({ group: GroupMatcher.groupContains('b') })).total).toBe(4);
    expect((await queried({ jobType: 'send' })).names).toEqual(['db.mail-retry', 'web.Mail']);
    expect((await queried({ search: 'MAIL', group: GroupMatcher.anyGroup() })).total).toBe(2);
    expect(await queried({ search: '%' })).toEqual({ names: [], total: 0 });
    expect((await queried({ search: '' })).total).toBe(4);
  });

  it('sorts jobs by key or type, and returns pages', async () => {
    const byKey = ['db.backup', 'db.mail-retry', 'web.Mail', 'web.clean'];
    expect((await queried()).names).toEqual(byKey);
    expect((await queried({ descending: true })).names).toEqual([...byKey].reverse());
    const byType = ['db.backup', 'db.mail-retry', 'web.Mail', 'web.clean'];
    expect((await queried({ sort: 'jobType' })).names).toEqual(byType);
    expect((await queried({ sort: 'jobType', descending: true })).names).toEqual([
      'web.clean',
      'db.mail-retry',
      'web.Mail',
      'db.backup',
    ]);
    expect(await queried({ skip: 1, take: 2 })).toEqual({ names: byKey.slice(1, 3), total: 4 });
    expect(await queried({ skip: 4, take: 2 })).toEqual({ names: [], total: 4 });
    expect(await queried({ take: 0 })).toEqual({ names: [], total: 4 });
  });
}

function describeTriggers({ driver }: StoreContext): void {
  const queried = async (query: Partial<TriggerQuery> = {}) => {
    const { items, total } = await driver().store.queryTriggers({ ...ALL, ...query });
    return { names: items.map(({ trigger }) => trigger.key.name), total };
  };

  /** a: complete. b: waiting, has fired. c: paused, with a calendar. d: waiting, of another job. */
  const addTriggers = async () => {
    const calendar = without();
    await driver().applyOne({ type: 'storeCalendar', name: 'none', calendar, ifExists: 'fail', updateTriggers: false });
    await driver().scheduleAll(
      once('a', { priority: 1 }),
      everyMinute('b', { key: triggerKey('b', 'x'), priority: 3 }),
      once('c', { startTime: NOW + HOUR, priority: 2, calendarName: 'none' }),
    );
    await driver().schedule(job('other', { key: jobKey('other', 'jobs') }), once('D-long', { startTime: NOW + 1 }));
    await driver().fireDue();
    await driver().store.pauseTriggers([triggerKey('c')]);
  };

  it('filters triggers by group, job, state, calendar and text', async () => {
    await addTriggers();
    expect((await queried({ group: GroupMatcher.groupEquals('x') })).names).toEqual(['b']);
    expect((await queried({ jobKey: jobKey('job') })).names).toEqual(['a', 'c', 'b']);
    expect((await queried({ jobKey: jobKey('job'), group: GroupMatcher.groupEquals('x') })).names).toEqual(['b']);
    expect((await queried({ jobKey: jobKey('nothing') })).total).toBe(0);
    expect((await queried({ jobGroup: GroupMatcher.groupStartsWith('jo') })).names).toEqual(['D-long']);
    expect((await queried({ states: ['PAUSED', 'COMPLETE'] })).names).toEqual(['a', 'c']);
    expect((await queried({ states: [] })).total).toBe(0);
    expect((await queried({ calendarName: 'none' })).names).toEqual(['c']);
    expect((await queried({ calendarName: 'none', states: ['WAITING'] })).total).toBe(0);
    expect((await queried({ calendarName: 'nothing' })).total).toBe(0);
    expect((await queried({ search: 'd-L' })).names).toEqual(['D-long']);
  });

  it('sorts triggers in both directions, with null times last', async () => {
    await addTriggers();
    const sorted = async (sort: NonNullable<TriggerQuery['sort']>, descending: boolean) =>
      (await queried({ sort, descending })).names;
    expect(await sorted('key', false)).toEqual(['D-long', 'a', 'c', 'b']);
    expect(await sorted('key', true)).toEqual(['b', 'c', 'a', 'D-long']);
    expect(await sorted('nextFireTime', false)).toEqual(['D-long', 'b', 'c', 'a']);
    expect(await sorted('nextFireTime', true)).toEqual(['c', 'b', 'D-long', 'a']);
    expect(await sorted('previousFireTime', false)).toEqual(['a', 'b', 'D-long', 'c']);
    expect(await sorted('priority', false)).toEqual(['a', 'c', 'b', 'D-long']);
    expect(await sorted('priority', true)).toEqual(['D-long', 'b', 'c', 'a']);
  });

  it('returns every page of a long list, with its total', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `t${String(index).padStart(2, '0')}`);
    await driver().scheduleAll(...[...names].reverse().map((name) => once(name, { startTime: NOW + MINUTE })));
    const pages: string[] = [];
    for (let skip = 0; skip < 60; skip += 7) {
      const page = await queried({ sort: 'nextFireTime', skip, take: 7 });
      expect(page.total).toBe(60);
      pages.push(...page.names);
    }
    expect(pages).toEqual(names);
    expect((await queried({ skip: 0, take: Number.MAX_SAFE_INTEGER })).names).toEqual(names);
  });

  it('shows triggers of an executing non-concurrent job as BLOCKED', async () => {
    await driver().schedule(job('job', { disallowConcurrentExecution: true }), everyMinute('a'), everyMinute('b'));
    await driver().fireOne();
    expect((await queried({ states: ['BLOCKED'] })).names).toEqual(['a', 'b']);
    expect((await queried({ states: ['WAITING'] })).total).toBe(0);
  });
}
