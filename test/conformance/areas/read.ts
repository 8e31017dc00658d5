import { jobKey, triggerKey } from '../../../src/domain/keys';
import type { TriggerState } from '../../../src/domain/trigger-state';
import { allTriggers } from '../../support/all-stored';
import type { StoreContext } from '../describe-job-store';
import { everyMinute, everyNoon, HOUR, job, NOW, once, without } from '../samples';

/** Reads by key, and states as they are read. */
export function describeReading(context: StoreContext): void {
  describe('reading', () => {
    describeByKey(context);
    describeStates(context);
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

function describeStates({ driver }: StoreContext): void {
  const namesIn = async (state: TriggerState) =>
    (await allTriggers(driver().store, { states: [state] })).items.map(({ trigger }) => trigger.key.name);

  it('shows triggers of an executing non-concurrent job as BLOCKED', async () => {
    await driver().schedule(job('job', { disallowConcurrentExecution: true }), everyMinute('a'), everyMinute('b'));
    await driver().fireOne();
    expect(await namesIn('BLOCKED')).toEqual(['a', 'b']);
    expect(await namesIn('WAITING')).toEqual([]);
  });
}
