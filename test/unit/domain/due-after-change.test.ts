import { CronCalendar } from '../../../src/domain/calendars/cron-calendar';
import { DailyCalendar } from '../../../src/domain/calendars/daily-calendar';
import { MonthlyCalendar } from '../../../src/domain/calendars/monthly-calendar';
import { WeeklyCalendar } from '../../../src/domain/calendars/weekly-calendar';
import { dueAfterChange } from '../../../src/domain/due-after-change';
import type { Trigger } from '../../../src/domain/trigger';
import { cronTrigger, simpleTrigger } from '../../support/sample-triggers';

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 2, 2, 12); // a Monday
const NONE = { nextFireTime: null, missed: null, due: [] };

/** Times of day that are due after a change at `now`. The stored trigger fires at 9:00 and the following full hours. */
function dueAt(now: number, requested: Trigger, { misfireThreshold = 24 * HOUR, calendar = null as never } = {}) {
  const clock = { now, misfireThreshold };
  return dueAfterChange({ stored: hourly(NOON), storedCalendar: () => null, requested, calendar, clock });
}

const cron = (cronExpression: string, changes: Partial<Trigger> = {}) =>
  cronTrigger({ cronExpression, startTime: NOON - 3 * HOUR, ...(changes as object) });

/** Due at `nextFireTime` and then hourly. */
const hourly = (nextFireTime: number) => ({ ...cron('0 0 * * * ?'), nextFireTime });

const timesOf = (due: readonly Trigger[]) => due.map(({ key }) => key.name.slice(11, 16));

describe('a change of a schedule', () => {
  it('makes nothing due if no fire time was due before', () => {
    expect(dueAt(NOON - 1, cron('0 0 * * * ?'))).toEqual(NONE);
    const clock = { now: NOON, misfireThreshold: 0 };
    const stored = { ...hourly(NOON), nextFireTime: null };
    expect(
      dueAfterChange({ stored, storedCalendar: () => null, requested: hourly(NOON), calendar: null, clock }),
    ).toEqual(NONE);
  });

  it('keeps a due fire time of both schedules as the next fire time', () => {
    expect(dueAt(NOON + 1, cron('0 0 12 * * ?'))).toEqual({ ...NONE, nextFireTime: NOON });
    expect(dueAt(NOON + HOUR, cron('0 0 * * * ?', { priority: 9 }))).toEqual({ ...NONE, nextFireTime: NOON });
  });

  it('drops a due fire time that only the old schedule has, and reports it', () => {
    expect(dueAt(NOON + 1, cron('0 30 * * * ?'))).toEqual({ ...NONE, missed: { time: NOON, isDropped: true } });
    expect(dueAt(NOON + 1, cron('0 0 * * * ?', { startTime: NOON + HOUR }))).toMatchObject({
      nextFireTime: null,
      missed: { time: NOON, isDropped: true },
    });
    expect(dueAt(NOON + 1, cron('0 0 * * * ?', { endTime: NOON - 1 }))).toMatchObject({
      nextFireTime: null,
      missed: { isDropped: true },
    });
  });

  it('keeps a later due fire time of both schedules even if the first one is dropped', () => {
    const { nextFireTime, missed, due } = dueAt(NOON + HOUR + 1, cron('0 0 13 * * ?'));
    expect([nextFireTime, missed, due]).toEqual([NOON + HOUR, { time: NOON, isDropped: true }, []]);
  });

  it('creates one-shot triggers if the new schedule has other fire times between the due ones', () => {
    const { nextFireTime, missed, due } = dueAt(NOON + 2 * HOUR, cron('0 0/30 * * * ?'));
    expect([nextFireTime, missed]).toEqual([null, null]);
    expect(timesOf(due)).toEqual(['12:00', '13:00', '14:00']);
  });

  it.each([
    { misfireInstruction: 'FIRE_ONCE_NOW' as const, times: ['14:00'], missed: null },
    { misfireInstruction: 'DO_NOTHING' as const, times: [], missed: { time: NOON, isDropped: false } },
    { misfireInstruction: 'IGNORE_MISFIRE_POLICY' as const, times: ['12:00', '13:00', '14:00'], missed: null },
  ])('applies the misfire instruction to missed fire times: $misfireInstruction', ({
    misfireInstruction,
    times,
    missed,
  }) => {
    const requested = cron('0 0/30 * * * ?', { misfireInstruction });
    const found = dueAt(NOON + 2 * HOUR, requested, { misfireThreshold: 60_000 });
    expect([timesOf(found.due), found.missed]).toEqual([times, missed]);
  });

  it('catches up the newest missed fire times within the window of the new policy', () => {
    const policy = { catchUp: { max: 5, window: HOUR, pace: 0 } };
    const requested = cron('0 0/30 * * * ?', { policy });
    expect(timesOf(dueAt(NOON + 2 * HOUR, requested, { misfireThreshold: 60_000 }).due)).toEqual(['13:00', '14:00']);
  });

  it('applies the calendar of the new schedule', () => {
    const noMondays = new WeeklyCalendar({ excludedDays: [2], timeZone: 'UTC' });
    const noFirsts = new MonthlyCalendar({ excludedDays: [1], timeZone: 'UTC' });
    const requested = cron('0 0 * * * ?', { calendarName: 'days' });
    expect(dueAt(NOON + 1, requested, { calendar: noMondays as never })).toMatchObject({
      nextFireTime: null,
      missed: { time: NOON, isDropped: true },
    });
    expect(dueAt(NOON + 1, requested, { calendar: noFirsts as never })).toEqual({ ...NONE, nextFireTime: NOON });
  });

  it('ignores due fire times that the calendar of the old schedule excludes', () => {
    const noAfternoon = new DailyCalendar({ from: '12:01', to: '13:59', timeZone: 'UTC' });
    const clock = { now: NOON + 2 * HOUR, misfireThreshold: 24 * HOUR };
    const requested = cron('0 0/30 * * * ?');
    const stored = hourly(NOON);
    const { due } = dueAfterChange({ stored, storedCalendar: () => noAfternoon, requested, calendar: null, clock });
    expect(timesOf(due)).toEqual(['12:00', '14:00']);
  });

  it('creates one-shot triggers even if the calendar excludes the other fire times of the new schedule', () => {
    const fullHours = new CronCalendar({ cronExpression: '* 1-59 * * * ?', timeZone: 'UTC' });
    const requested = cron('0 0/30 * * * ?', { calendarName: 'hours' });
    expect(timesOf(dueAt(NOON + HOUR, requested, { calendar: fullHours as never }).due)).toEqual(['12:00', '13:00']);
  });

  it('compares schedules of different types of triggers', () => {
    const everyTwo = simpleTrigger({ startTime: NOON - 2 * HOUR, repeatInterval: 2 * HOUR });
    expect(dueAt(NOON + 1, everyTwo)).toEqual({ ...NONE, nextFireTime: NOON });
    const odd = simpleTrigger({ startTime: NOON - HOUR, repeatInterval: 2 * HOUR });
    expect(dueAt(NOON + 1, odd)).toEqual({ ...NONE, missed: { time: NOON, isDropped: true } });
  });
});
