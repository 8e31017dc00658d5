import { type Calendar, DailyCalendar, HolidayCalendar, newJob, newTrigger, repeatHourlyForever } from '../../../src';
import { proves } from '../../support/proves';
import { at, codeOf, shutdownAll, testScheduler } from './support';

afterEach(shutdownAll);

const nights = new DailyCalendar({ from: '00:00', to: '06:00', timeZone: 'UTC' });
const mornings = new DailyCalendar({ from: '00:00', to: '12:00', timeZone: 'UTC' });
const hourly = newTrigger().withIdentity('t').modifiedByCalendar('quiet').withSchedule(repeatHourlyForever()).build();
const job = newJob('noop').withIdentity('j').build();

describe('calendars', () => {
  it('are stored and returned by name', async () => {
    const { scheduler } = await testScheduler();
    await scheduler.addCalendar('quiet', nights);
    await scheduler.addCalendar('holidays', new HolidayCalendar({ excludedDates: ['2026-12-25'], timeZone: 'UTC' }));
    expect(await scheduler.getCalendarNames()).toEqual(['holidays', 'quiet']);
    const stored = await scheduler.getCalendar('quiet');
    expect(stored?.toJSON()).toEqual(nights.toJSON());
    expect(stored?.isIncluded(at('03:00:00').getTime())).toBe(false);
    expect(await scheduler.getCalendar('nothing')).toBeNull();
  });

  it('keep triggers from firing at excluded times', async () => {
    const { scheduler } = await testScheduler();
    await scheduler.addCalendar('quiet', nights);
    expect((await scheduler.scheduleJob(job, hourly)).getTime()).toBeGreaterThan(at('06:00:00').getTime());
  });

  it('are replaced only with the option replace, and reschedule their triggers with updateTriggers', async () => {
    proves('errors', 'OBJECT_ALREADY_EXISTS');
    const { scheduler } = await testScheduler();
    await scheduler.addCalendar('quiet', nights);
    await scheduler.scheduleJob(job, hourly);
    expect(await codeOf(() => scheduler.addCalendar('quiet', mornings))).toBe('OBJECT_ALREADY_EXISTS');
    await scheduler.addCalendar('quiet', mornings, { replace: true });
    expect((await scheduler.getTrigger('t'))?.nextFireTime).toEqual(at('13:00:00'));
    await scheduler.addCalendar('quiet', nights, { replace: true });
    expect((await scheduler.getTrigger('t'))?.nextFireTime).toEqual(at('13:00:00'));
    const renamed = new DailyCalendar({ from: '00:00', to: '06:00', timeZone: 'UTC', description: 'nights' });
    await scheduler.addCalendar('quiet', renamed, { replace: true, updateTriggers: true });
    expect((await scheduler.getTrigger('t'))?.nextFireTime).toEqual(at('07:00:00'));
  });

  it('cannot be deleted while a trigger refers to them', async () => {
    proves('errors', 'CALENDAR_IN_USE');
    const { scheduler } = await testScheduler();
    await scheduler.addCalendar('quiet', nights);
    await scheduler.scheduleJob(job, hourly);
    expect(await codeOf(() => scheduler.deleteCalendar('quiet'))).toBe('CALENDAR_IN_USE');
    await expect(scheduler.deleteCalendar('quiet')).rejects.toThrow(/found '[^']+'\. Delete or reschedule it first\.$/);
    await scheduler.deleteJob('j');
    expect(await scheduler.deleteCalendar('quiet')).toBe(true);
    expect(await scheduler.deleteCalendar('quiet')).toBe(false);
  });

  it('must exist before a trigger refers to them', async () => {
    proves('errors', 'CALENDAR_NOT_FOUND');
    const { scheduler } = await testScheduler();
    expect(await codeOf(() => scheduler.scheduleJob(job, hourly))).toBe('CALENDAR_NOT_FOUND');
    expect(await scheduler.checkExists({ job: 'j' })).toBe(false);
  });

  it('are refused if they are too large to store', async () => {
    const { scheduler } = await testScheduler();
    const day = (n: number) => new Date(n * 86_400_000).toISOString().slice(0, 10);
    const century = new HolidayCalendar({
      excludedDates: Array.from({ length: 6_000 }, (_, n) => day(n)),
      timeZone: 'UTC',
    });
    expect(await codeOf(() => scheduler.addCalendar('century', century))).toBe('INVALID_CALENDAR');
  });

  it('are refused if they are custom classes or not calendars', async () => {
    proves('errors', 'INVALID_CALENDAR');
    const { scheduler } = await testScheduler();
    const own = { isIncluded: () => true, nextIncludedTime: () => 0, toJSON: () => ({ type: 'lunar' }) };
    for (const wrong of [own, null, 'quiet', { type: 'daily', from: '0', to: '1' }]) {
      expect(await codeOf(() => scheduler.addCalendar('x', wrong as unknown as Calendar))).toBe('INVALID_CALENDAR');
    }
    expect(await codeOf(() => scheduler.addCalendar('', nights))).toBe('INVALID_ARGUMENT');
    expect(await scheduler.getCalendarNames()).toEqual([]);
  });
});
