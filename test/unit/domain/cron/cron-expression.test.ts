import { SchedulerError } from '../../../../src/base/errors';
import { CronExpression, cronExpressionOf } from '../../../../src/domain/cron/cron-expression';
import { MAX_YEAR } from '../../../../src/domain/trigger';
import { fastestRun } from '../../../support/fastest-run';

const date = (text: string) => new Date(text);
const utc = (expression: string) => new CronExpression(expression, { timeZone: 'UTC' });

/** The next times as ISO texts without milliseconds. */
function nextTimes(cron: CronExpression, after: string, count: number): (string | null)[] {
  const times: (string | null)[] = [];
  for (let last: Date | null = date(after); last !== null && times.length < count; ) {
    last = cron.getNextValidTimeAfter(last);
    times.push(last === null ? null : last.toISOString().replace('.000', ''));
  }
  return times;
}

describe('CronExpression', () => {
  it('returns the next fire time after a date, ignoring its milliseconds', () => {
    const cron = utc('0 0/5 * * * ?');
    expect(cron.getNextValidTimeAfter(date('2026-01-01T00:04:59.999Z'))).toEqual(date('2026-01-01T00:05:00Z'));
    expect(cron.getNextValidTimeAfter(date('2026-01-01T00:05:00.000Z'))).toEqual(date('2026-01-01T00:10:00Z'));
    expect(cron.getNextValidTimeAfter(date('2026-01-01T00:05:00.001Z'))).toEqual(date('2026-01-01T00:10:00Z'));
  });

  it('returns the last fire time before a date', () => {
    const cron = utc('0 15 10 L * ?');
    expect(cron.getTimeBefore(date('2024-03-31T10:15:00.001Z'))).toEqual(date('2024-03-31T10:15:00Z'));
    expect(cron.getTimeBefore(date('2024-03-31T10:15:00Z'))).toEqual(date('2024-02-29T10:15:00Z'));
    expect(utc('0 0 0 1 1 ? 2020').getTimeBefore(date('2019-06-01T00:00:00Z'))).toBeNull();
    expect(utc('0 0 0 1 1 ? 2020').getTimeBefore(date('2999-06-01T00:00:00Z'))).toEqual(date('2020-01-01T00:00:00Z'));
  });

  it('searches backwards across minutes, hours, days, months and years', () => {
    const cron = utc('20,40 10,30 6,18 5,25 3,9 ?');
    const times = ['2026-03-05T06:30:40Z', '2026-03-05T06:10:20Z', '2026-03-05T06:10:40Z', '2025-09-25T18:30:40Z'];
    expect(cron.getTimeBefore(date('2026-03-05T18:10:20Z'))).toEqual(date(times[0] as string));
    expect(cron.getTimeBefore(date('2026-03-05T06:10:40Z'))).toEqual(date(times[1] as string));
    expect(cron.getTimeBefore(date('2026-03-05T06:30:20Z'))).toEqual(date(times[2] as string));
    expect(cron.getTimeBefore(date('2026-03-05T06:10:20Z'))).toEqual(date(times[3] as string));
  });

  it('returns the end of a sequence of consecutive fire times', () => {
    const cron = utc('* * 9 ? * MON-FRI');
    expect(cron.getNextInvalidTimeAfter(date('2026-01-05T09:30:00Z'))).toEqual(date('2026-01-05T10:00:00Z'));
    expect(cron.getNextInvalidTimeAfter(date('2026-01-05T10:30:00Z'))).toEqual(date('2026-01-05T10:30:01Z'));
    expect(utc('* * * ? * MON-FRI').getNextInvalidTimeAfter(date('2026-01-05T09:30:00Z'))).toEqual(
      date('2026-01-10T00:00:00Z'),
    );
  });

  it('checks whether the second of a date is a fire time', () => {
    const cron = utc('30 0 12 * * ?');
    expect(cron.isSatisfiedBy(date('2026-01-01T12:00:30.999Z'))).toBe(true);
    expect(cron.isSatisfiedBy(date('2026-01-01T12:00:31Z'))).toBe(false);
    expect(cron.isSatisfiedBy(Date.UTC(2026, 0, 1, 12, 0, 30))).toBe(true);
  });

  it('uses the local time of its time zone', () => {
    const cron = new CronExpression('0 0 9 * * ?', { timeZone: 'Asia/Kathmandu' });
    expect(nextTimes(cron, '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-01T03:15:00Z']);
  });

  it('uses the time zone of the process by default', () => {
    expect(new CronExpression('0 0 9 * * ?').timeZone).toBe('UTC');
  });

  it('fires only in the second pass of a repeated hour', () => {
    const cron = new CronExpression('0 30 * * * ?', { timeZone: 'Europe/Berlin' });
    expect(nextTimes(cron, '2024-10-26T23:00:00Z', 3)).toEqual([
      '2024-10-26T23:30:00Z',
      '2024-10-27T01:30:00Z',
      '2024-10-27T02:30:00Z',
    ]);
  });

  it('skips a local time that does not exist in its time zone', () => {
    const cron = new CronExpression('0 30 2 * * ?', { timeZone: 'Europe/Berlin' });
    expect(nextTimes(cron, '2024-03-30T00:00:00Z', 2)).toEqual(['2024-03-30T01:30:00Z', '2024-04-01T00:30:00Z']);
  });

  it('continues after a clock change at the same time as Quartz, under Quartz rules', () => {
    // The gap of 30 minutes moves 02:10 to 02:40, which is after 02:35.
    const cron = new CronExpression('0 10,35 * * * ?', { timeZone: 'Australia/Lord_Howe', rules: 'quartz' });
    expect(nextTimes(cron, '2024-10-05T15:00:00Z', 3)).toEqual([
      '2024-10-05T15:05:00Z',
      '2024-10-05T16:10:00Z',
      '2024-10-05T16:35:00Z',
    ]);
  });

  it('searches backwards across skipped and repeated hours', () => {
    const cron = new CronExpression('0 30 2 * * ?', { timeZone: 'Europe/Berlin' });
    expect(cron.getTimeBefore(date('2024-04-01T00:00:00Z'))).toEqual(date('2024-03-30T01:30:00Z'));
    expect(cron.getTimeBefore(date('2024-10-27T01:00:00Z'))).toEqual(date('2024-10-26T00:30:00Z'));
    expect(cron.getTimeBefore(date('2024-10-27T02:00:00Z'))).toEqual(date('2024-10-27T01:30:00Z'));
  });

  it('returns no time after the last supported year or before 1970', () => {
    const cron = utc('0 0 0 1 1 ?');
    expect(nextTimes(cron, `${MAX_YEAR - 1}-06-01T00:00:00Z`, 3)).toEqual([`${MAX_YEAR}-01-01T00:00:00Z`, null]);
    expect(cron.getNextValidTimeAfter(new Date(8.64e15))).toBeNull();
    expect(nextTimes(cron, '1066-10-14T00:00:00Z', 1)).toEqual(['1970-01-01T00:00:00Z']);
    expect(cron.getTimeBefore(new Date(-8.64e15))).toBeNull();
    expect(cron.isSatisfiedBy(new Date(-8.64e15))).toBe(false);
    expect(cron.getNextInvalidTimeAfter(new Date(-1))).toEqual(date('1970-01-01T00:00:01Z'));
  });

  it.each([
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ])('accepts %p as a time without returning NaN', (instant) => {
    const cron = utc('* * * * * ?');
    expect(cron.isSatisfiedBy(instant)).toBe(false);
    expect([cron.nextTimeAfter(instant), cron.timeBefore(instant)].some((time) => Number.isNaN(time))).toBe(false);
  });

  it('refuses invalid dates', () => {
    const cron = utc('* * * * * ?');
    for (const value of [new Date(Number.NaN), null, 'now'] as Date[]) {
      expect(() => cron.getNextValidTimeAfter(value)).toThrow('Expected a valid Date');
      expect(() => cron.isSatisfiedBy(value)).toThrow(SchedulerError);
    }
  });

  it('normalizes its text to upper case and single spaces', () => {
    expect(String(utc(' 0  0\t12 ? * mon-fri '))).toBe('0 0 12 ? * MON-FRI');
    expect(utc('0 0 12 ? * mon-fri').cronExpression).toBe('0 0 12 ? * MON-FRI');
  });

  it('stores a unix expression in its Quartz form only', () => {
    const cron = new CronExpression('*/15 9-17 * * 1-5', { dialect: 'unix', timeZone: 'UTC' });
    expect(cron.cronExpression).toBe('0 0/15 9-17 ? * MON-FRI');
    expect(CronExpression.isValidExpression('*/15 9-17 * * 1-5', { dialect: 'unix' })).toBe(true);
    expect(CronExpression.isValidExpression('*/15 9-17 * * 1-5')).toBe(false);
  });

  it('summarizes each of its fields', () => {
    expect(utc('0 0/20 22-1 ? * FRI#2 2030').getExpressionSummary().split('\n')).toEqual([
      'second: 0',
      'minute: 0/20',
      'hour: 0,1,22,23',
      'day-of-month: ?',
      'month: *',
      'day-of-week: FRI#2',
      'year: 2030',
    ]);
  });

  it('refuses unknown time zones and dialects, also when it checks validity', () => {
    expect(() => new CronExpression('* * * * * ?', { timeZone: 'Mars/Phobos' })).toThrow('IANA time zone');
    expect(() => CronExpression.isValidExpression('* * * * * ?', { timeZone: 'Mars/Phobos' })).toThrow('IANA');
    expect(() => CronExpression.validateExpression('* * * * * ?', { dialect: 'vixie' as 'unix' })).toThrow(
      "Expected the dialect 'quartz' or 'unix', found 'vixie'",
    );
  });
});

describe('cronExpressionOf', () => {
  it('caches an expression by time zone and leniency', () => {
    const cron = cronExpressionOf('0 0 12 * * ?', 'UTC');
    expect(cronExpressionOf('0 0 12 * * ?', 'UTC')).toBe(cron);
    expect(cronExpressionOf('0 0 12 * * ?', 'Europe/Berlin')).not.toBe(cron);
    expect(cronExpressionOf('0 0 12 * * ?', 'UTC', { lenient: true })).not.toBe(cron);
  });

  it('does not return a cached lenient expression for a strict request', () => {
    cronExpressionOf('5x * * * * ?', 'UTC', { lenient: true });
    expect(() => cronExpressionOf('5x * * * * ?', 'UTC')).toThrow("found '5X'.");
  });
});

describe('the slowest expressions', () => {
  it.each([
    '0 0 0 31 2 ?',
    '0 0 0 ? 2 MON#5',
    '59 59 23 31 12 ? 2130',
    '0 0 12 L-30W 2 ?',
    '* * * * * ?',
    '* * * ? * SUN-SAT',
  ])('are evaluated within 50 ms: %p', (expression) => {
    const cron = new CronExpression(expression, { timeZone: 'Asia/Kathmandu' });
    const start = Date.UTC(1970, 0, 2);
    const end = Date.UTC(2130, 11, 31);
    expect(fastestRun(() => cron.nextTimeAfter(start), 50)).toBeLessThan(50);
    expect(fastestRun(() => cron.timeBefore(end), 50)).toBeLessThan(50);
    expect(fastestRun(() => cron.nextInvalidTimeAfter(start), 50)).toBeLessThan(50);
  });
});
