import { calendarIntervalSchedule } from '../../../src/api/builders/calendar-interval-schedule-builder';
import { cronSchedule } from '../../../src/api/builders/cron-schedule-builder';
import type { ScheduleBuilder } from '../../../src/api/builders/schedule-builder';
import { simpleSchedule } from '../../../src/api/builders/simple-schedule-builder';
import { newTrigger } from '../../../src/api/builders/trigger-builder';
import { fromTrigger } from '../../../src/api/trigger';
import { parseScheduleFile } from '../../../src/definitions/parse-schedule-file';
import { shorthandChanges } from '../../../src/scheduler/shorthand-changes';

const DEFAULTS = { timeZone: 'Europe/Berlin', timeZoneDefaulted: false };

async function inFile(when: object) {
  const text = JSON.stringify({ jobs: [{ name: 'mail', triggers: [{ name: 'mail', ...when }] }] });
  const { changes } = await parseScheduleFile(text, 'schedule.json', { ...DEFAULTS, now: 0 });
  return changes.find(({ type }) => type === 'storeTrigger');
}

function inCode(when: object) {
  const [, change] = shorthandChanges('mail', when as never, { ...DEFAULTS, startTime: 0 }, {
    set: 's',
    kind: 'code',
  } as never);
  return change;
}

function byBuilder(schedule: ScheduleBuilder) {
  const trigger = newTrigger().withIdentity('mail').forJob('mail').withSchedule(schedule).build();
  return fromTrigger(trigger, { ...DEFAULTS, startTime: 0 });
}

describe('a trigger of a schedule file', () => {
  it.each([
    ...[5_000, '5m', '90s', '1h30m', 'PT5M', 'PT1H30M', '1d', '7d', 'P1D', 'P2W', 'P1M', 'P1Y'].map((every) => ({
      every,
    })),
    { every: '1d', startAt: '2027-01-01T06:00', misfire: 'skip' },
    { every: '5m', misfire: 'skip', timeZone: 'UTC' },
    { at: '2027-01-31T08:00' },
    { at: '2027-01-31T08:00Z', misfire: 'fire' },
    { at: '2027-01-31T08:00', timeZone: 'America/New_York' },
    { cron: '0 0 6 ? * *', timeZone: 'UTC' },
    { cron: '0 6 * * 1-5', dialect: 'unix', timeZone: 'UTC' },
    { cron: 'H H * * *', dialect: 'unix' },
    { cron: '0 0 6 ? * *', dialect: 'quartz' },
    { after: 'extract', on: 'end' },
  ])('equals the trigger with the same fields in code: %j', async (when) => {
    const [file, code] = [await inFile(when), inCode(when)];
    if (file?.type !== 'storeTrigger' || code.type !== 'storeTrigger') throw new Error('expected a trigger');
    expect(file.trigger).toEqual(code.trigger);
    expect(file.startTimeDefaulted).toBe(code.startTimeDefaulted);
  });

  it.each([
    [{ every: '5 minutes' }, /every: expected a positive number of milliseconds, or a duration such as '5m'/],
    [{ every: 0 }, /expected a positive number/],
    [{ every: 'P1DT1H' }, /one calendar unit/],
    [{ at: 'soon' }, /at: expected a time such as/],
    [
      { at: '2027-01-31T08:00', startAt: '2027-01-31T08:00' },
      /startAt: expected no startAt together with at, because at is the start time/,
    ],
    [{ at: '2027-01-31T08:00', every: '5m' }, /found every and at/],
  ])('is refused: %j', async (when, message) => {
    await expect(inFile(when)).rejects.toThrow(message);
  });

  it.each<[object, ScheduleBuilder]>([
    [{ every: '5m' }, simpleSchedule().withIntervalInMinutes(5).repeatForever()],
    [
      { every: 5_000, misfire: 'all' },
      simpleSchedule().withIntervalInSeconds(5).repeatForever().withMisfireHandlingInstructionIgnoreMisfires(),
    ],
    [
      { every: '1h', misfire: 'fire' },
      simpleSchedule().withIntervalInHours(1).repeatForever().withMisfireHandlingInstructionFireNow(),
    ],
    [
      { every: '1h', misfire: 'skip' },
      simpleSchedule().withIntervalInHours(1).repeatForever().withMisfireHandlingInstructionNextWithRemainingCount(),
    ],
    [{ every: '1d' }, calendarIntervalSchedule().withIntervalInDays(1).preserveHourOfDayAcrossDaylightSavings(true)],
    [{ cron: '0 0 6 ? * *', misfire: 'skip' }, cronSchedule('0 0 6 ? * *').withMisfireHandlingInstructionDoNothing()],
  ])('equals the trigger of a builder: %j', async (when, builder) => {
    const [file, code, built] = [await inFile(when), inCode(when), byBuilder(builder)];
    if (file?.type !== 'storeTrigger' || code.type !== 'storeTrigger') throw new Error('expected a trigger');
    expect([file.trigger, code.trigger]).toEqual([built, built]);
  });
});
