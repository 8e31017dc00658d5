import { ManualClock } from '../../../src/base/manual-clock';
import type { ScheduleChange } from '../../../src/domain/schedule-change';
import { CalendarFollowers } from '../../../src/scheduler/calendar-followers';
import { MemoryJobStore } from '../../../src/store/memory/memory-job-store';
import { DAY, everyNoon, MINUTE, NOW, without } from '../../conformance/samples';
import { StoreDriver, storingCalendar } from '../../conformance/store-driver';

/** Changes a calendar of `count` triggers. Returns the sizes of the transactions that rescheduled them, and their fire times. */
async function change(count: number, storing: ScheduleChange = storingCalendar(without('2026-01-01'), 'replace')) {
  const store = new MemoryJobStore(() => 'id');
  const driver = new StoreDriver(store);
  await driver.open();
  const users = Array.from({ length: count }, (_, index) => everyNoon(`t${index}`, { calendarName: 'holidays' }));
  await driver.apply(storingCalendar(without()));
  await driver.scheduleAll(...users);
  const portions: number[] = [];
  const followers = new CalendarFollowers({
    store: {
      pageTriggers: (query) => store.pageTriggers(query),
      getCalendar: (name) => store.getCalendar(name),
      applySchedule(changes, options) {
        portions.push(...changes.map((each) => (each.type === 'followCalendar' ? each.triggers.length : -1)));
        return store.applySchedule(changes, options);
      },
    },
    clock: new ManualClock(NOW),
    misfireThreshold: MINUTE,
  });
  const changes: readonly ScheduleChange[] = [storing];
  const first = await followers.withoutMany(changes);
  const { outcomes } = await store.applySchedule(first, driver.options);
  await followers.follow(changes, first, outcomes);
  const times = new Set(
    (await store.getTriggers(users.map(({ key }) => key))).map((each) => each.trigger.nextFireTime),
  );
  return { first, portions, times: [...times] };
}

describe('triggers of a replaced calendar', () => {
  it('are rescheduled in the transaction of the calendar if there are few of them', async () => {
    const { first, portions, times } = await change(200);
    expect(first).toMatchObject([{ updateTriggers: true }]);
    expect(portions).toEqual([]);
    expect(times).toEqual([NOW + DAY]);
  });

  it('are rescheduled in several transactions if there are many of them', async () => {
    const { first, portions, times } = await change(450);
    expect(first).toMatchObject([{ usersLater: true }]);
    expect(portions).toEqual([200, 250]);
    expect(times).toEqual([NOW + DAY]);
  });

  it('make the change fail if it would end them, and end with allowEnding', async () => {
    const never = {
      type: 'cron',
      cronExpression: '* * * * * ?',
      description: null,
      timeZone: 'UTC',
      base: null,
    } as const;
    await expect(change(450, storingCalendar(never, 'replace'))).rejects.toMatchObject({
      code: 'CALENDAR_ENDS_TRIGGERS',
      message: expect.stringMatching(/450 triggers: .* and 440 more/),
    });
    const { times } = await change(450, { ...storingCalendar(never, 'replace'), allowEnding: true });
    expect(times).toEqual([null]);
  });
});
