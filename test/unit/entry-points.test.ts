import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../../src/base/version';
import * as index from '../../src/index';
import * as openTelemetry from '../../src/opentelemetry';
import * as testing from '../../src/testing';

const SRC = join(__dirname, '../../src');

/** The names between the braces of `export { … }`. */
const namesOf = (file: string) =>
  (/^export \{([^}]*)\}/m.exec(readFileSync(join(SRC, file), 'utf8'))?.[1]?.match(/\w+/g) ?? []).sort();

describe('entry points', () => {
  it('offer to import what they offer to require', () => {
    expect(namesOf('index.mjs')).toEqual(Object.keys(index).sort());
    expect(namesOf('testing.mjs')).toEqual(Object.keys(testing).sort());
    expect(namesOf('opentelemetry.mjs')).toEqual(Object.keys(openTelemetry).sort());
  });

  it('carry the names that must not drift', () => {
    expect(Object.keys(index)).toEqual(
      expect.arrayContaining([
        ...['createScheduler', 'newJob', 'newTrigger', 'cronSchedule', 'simpleSchedule', 'calendarIntervalSchedule'],
        ...['dailyTimeIntervalSchedule', 'CronExpression', 'AnnualCalendar', 'CronCalendar', 'DailyCalendar'],
        ...['HolidayCalendar', 'MonthlyCalendar', 'WeeklyCalendar', 'computeFireTimes', 'JobExecutionException'],
      ]),
    );
    expect(Object.keys(testing)).toEqual(expect.arrayContaining(['createTestScheduler', 'ManualClock']));
  });

  it('know the version of the package', () => {
    expect(VERSION).toBe((require('../../package.json') as { version: string }).version);
  });
});
