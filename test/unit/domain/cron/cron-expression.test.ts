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
  it('finds the next fire time after a date, whose milliseconds do not matter', () => {
    const cron = utc('0 0/5 * * * ?');
    expect(cron.getNextValidTimeAfter(date('2026-01-01T00:04:59.999Z'))).toEqual(date('2026-01-01T00:05:00Z'));
    expect(cron.getNextValidTimeAfter(date('2026-01-01T00:05:00.000Z'))).toEqual(date('2026-01-01T00:10:00Z'));
    expect(cron.getNextValidTimeAfter(date('2026-01-01T00:05:00.001Z'))).toEqual(date('2026-01-01T00:10:00Z'));
  });

  it('finds the last fire time before a date', () => {
    const cron = utc('0 15 10 L * ?');
    expect(cron.getTimeBefore(date('2024-03-31T10:15:00.001Z'))).toEqual(date('2024-03-31T10:15:00Z'));
    expect(cron.getTimeBefore(date('2024-03-31T10:15:00Z'))).toEqual(date('2024-02-29T10:15:00Z'));
    expect(utc('0 0 0 1 1 ? 2020').getTimeBefore(date('2019-06-01T00:00:00Z'))).toBeNull();
    expect(utc('0 0 0 1 1 ? 2020').getTimeBefore(date('2999-06-01T00:00:00Z'))).toEqual(date('2020-01-01T00:00:00Z'));
  });

  it('looks back over the ends of minutes, hours, days, months and years', () => {
    const cron = utc('20,40 10,30 6,18 5,25 3,9 ?');
    const times = ['2026-03-05T06:30:40Z', '2026-03-05T06:10:20Z', '2026-03-05T06:10:40Z', '2025-09-25T18:30:40Z'];
    expect(cron.getTimeBefore(date('2026-03-05T18:10:20Z'))).toEqual(date(times[0] as string));
    expect(cron.getTimeBefore(date('2026-03-05T06:10:40Z'))).toEqual(date(times[1] as string));
    expect(cron.getTimeBefore(date('2026-03-05T06:30:20Z'))).toEqual(date(times[2] as string));
    expect(cron.getTimeBefore(date('2026-03-05T06:10:20Z'))).toEqual(date(times[3] as string));
  });

  it('finds the end of a run of fire times', () => {
    const cron = utc('* * 9 ? * MON-FRI');
    expect(cron.getNextInvalidTimeAfter(date('2026-01-05T09:30:00Z'))).toEqual(date('2026-01-05T10:00:00Z'));
    expect(cron.getNextInvalidTimeAfter(date('2026-01-05T10:30:00Z'))).toEqual(date('2026-01-05T10:30:01Z'));
    expect(utc('* * * ? * MON-FRI').getNextInvalidTimeAfter(date('2026-01-05T09:30:00Z'))).toEqual(
      date('2026-01-10T00:00:00Z'),
    );
  });

  it('says whether the second of a date is a fire time', () => {
    const cron = utc('30 0 12 * * ?');
    expect(cron.isSatisfiedBy(date('2026-01-01T12:00:30.999Z'))).toBe(true);
    expect(cron.isSatisfiedBy(date('2026-01-01T12:00:31Z'))).toBe(false);
    expect(cron.isSatisfiedBy(Date.UTC(2026, 0, 1, 12, 0, 30))).toBe(true);
  });

  it('reads the wall clock of its zone', () => {
    const cron = new CronExpression('0 0 9 * * ?', { timeZone: 'Asia/Kathmandu' });
    expect(nextTimes(cron, '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-01T03:15:00Z']);
  });

  it('uses the zone of the process when none is given', () => {
    expect(new CronExpression('0 0 9 * * ?').timeZone).toBe('UTC');
  });

  it('fires in the second pass of a repeated hour only', () => {
    const cron = new CronExpression('0 30 * * * ?', { timeZone: 'Europe/Berlin' });
    expect(nextTimes(cron, '2024-10-26T23:00:00Z', 3)).toEqual([
      '2024-10-26T23:30:00Z',
      '2024-10-27T01:30:00Z',
      '2024-10-27T02:30:00Z',
    ]);
  });

  it('leaves out a time of day that its zone skips', () => {
    const cron = new CronExpression('0 30 2 * * ?', { timeZone: 'Europe/Berlin' });
    expect(nextTimes(cron, '2024-03-30T00:00:00Z', 2)).toEqual(['2024-03-30T01:30:00Z', '2024-04-01T00:30:00Z']);
  });

  it('goes on behind a gap from where Quartz does, under its rules', () => {
    // 02:10 is moved by the gap of 30 minutes to 02:40, behind 02:35.
    const cron = new CronExpression('0 10,35 * * * ?', { timeZone: 'Australia/Lord_Howe', rules: 'quartz' });
    expect(nextTimes(cron, '2024-10-05T15:00:00Z', 3)).toEqual([
      '2024-10-05T15:05:00Z',
      '2024-10-05T16:10:00Z',
      '2024-10-05T16:35:00Z',
    ]);
  });

  it('looks back over gaps and repeated hours', () => {
    const cron = new CronExpression('0 30 2 * * ?', { timeZone: 'Europe/Berlin' });
    expect(cron.getTimeBefore(date('2024-04-01T00:00:00Z'))).toEqual(date('2024-03-30T01:30:00Z'));
    expect(cron.getTimeBefore(date('2024-10-27T01:00:00Z'))).toEqual(date('2024-10-26T00:30:00Z'));
    expect(cron.getTimeBefore(date('2024-10-27T02:00:00Z'))).toEqual(date('2024-10-27T01:30:00Z'));
  });

  it('ends with the last year that is searched, and begins in 1970', () => {
    const cron = utc('0 0 0 1 1 ?');
    expect(nextTimes(cron, `${MAX_YEAR - 1}-06-01T00:00:00Z`, 3)).toEqual([`${MAX_YEAR}-01-01T00:00:00Z`, null]);
    expect(cron.getNextValidTimeAfter(new Date(8.64e15))).toBeNull();
    expect(nextTimes(cron, '1066-10-14T00:00:00Z', 1)).toEqual(['1970-01-01T00:00:00Z']);
    expect(cron.getTimeBefore(new Date(-8.64e15))).toBeNull();
    expect(cron.isSatisfiedBy(new Date(-8.64e15))).toBe(false);
    expect(cron.getNextInvalidTimeAfter(new Date(-1))).toEqual(date('1970-01-01T00:00:01Z'));
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('survives %p as an instant', (instant) => {
    const cron = utc('* * * * * ?');
    expect(cron.isSatisfiedBy(instant)).toBe(false);
    expect([cron.nextTimeAfter(instant), cron.timeBefore(instant)].some((time) => Number.isNaN(time))).toBe(false);
  });

  it('refuses what is no valid date', () => {
    const cron = utc('* * * * * ?');
    for (const value of [new Date(Number.NaN), null, 'now'] as Date[]) {
      expect(() => cron.getNextValidTimeAfter(value)).toThrow('Expected a valid Date');
      expect(() => cron.isSatisfiedBy(value)).toThrow(SchedulerError);
    }
  });

  it('keeps its text in upper case with single blanks', () => {
    expect(String(utc(' 0  0\t12 ? * mon-fri '))).toBe('0 0 12 ? * MON-FRI');
    expect(utc('0 0 12 ? * mon-fri').cronExpression).toBe('0 0 12 ? * MON-FRI');
  });

  it('translates the unix dialect, and keeps only the translation', () => {
    const cron = new CronExpression('*/15 9-17 * * 1-5', { dialect: 'unix', timeZone: 'UTC' });
    expect(cron.cronExpression).toBe('0 0/15 9-17 ? * MON-FRI');
    expect(CronExpression.isValidExpression('*/15 9-17 * * 1-5', { dialect: 'unix' })).toBe(true);
    expect(CronExpression.isValidExpression('*/15 9-17 * * 1-5')).toBe(false);
  });

  it('sums itself up field by field', () => {
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

  it('refuses unknown zones and dialects as such, also when asked for validity', () => {
    expect(() => new CronExpression('* * * * * ?', { timeZone: 'Mars/Phobos' })).toThrow('IANA time zone');
    expect(() => CronExpression.isValidExpression('* * * * * ?', { timeZone: 'Mars/Phobos' })).toThrow('IANA');
    expect(() => CronExpression.validateExpression('* * * * * ?', { dialect: 'vixie' as 'unix' })).toThrow(
      "Expected the dialect 'quartz' or 'unix', found 'vixie'",
    );
  });
});

describe('cronExpressionOf', () => {
  it('parses an expression once per zone and reading', () => {
    const cron = cronExpressionOf('0 0 12 * * ?', 'UTC');
    expect(cronExpressionOf('0 0 12 * * ?', 'UTC')).toBe(cron);
    expect(cronExpressionOf('0 0 12 * * ?', 'Europe/Berlin')).not.toBe(cron);
    expect(cronExpressionOf('0 0 12 * * ?', 'UTC', { lenient: true })).not.toBe(cron);
  });

  it('does not let a lenient reading pass as a strict one', () => {
    cronExpressionOf('5x * * * * ?', 'UTC', { lenient: true });
    expect(() => cronExpressionOf('5x * * * * ?', 'UTC')).toThrow("found '5X'.");
  });
});

describe('the worst expressions', () => {
  it.each([
    '0 0 0 31 2 ?',
    '0 0 0 ? 2 MON#5',
    '59 59 23 31 12 ? 2130',
    '0 0 12 L-30W 2 ?',
    '* * * * * ?',
    '* * * ? * SUN-SAT',
  ])('answer within 50 ms: %p', (expression) => {
    const cron = new CronExpression(expression, { timeZone: 'Asia/Kathmandu' });
    const start = Date.UTC(1970, 0, 2);
    const end = Date.UTC(2130, 11, 31);
    expect(fastestRun(() => cron.nextTimeAfter(start), 50)).toBeLessThan(50);
    expect(fastestRun(() => cron.timeBefore(end), 50)).toBeLessThan(50);
    expect(fastestRun(() => cron.nextInvalidTimeAfter(start), 50)).toBeLessThan(50);
  });
});
