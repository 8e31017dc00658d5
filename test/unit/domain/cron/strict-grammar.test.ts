import { CronExpression } from '../../../../src/domain/cron/cron-expression';
import { CronSyntaxError } from '../../../../src/domain/cron/cron-syntax-error';

function refusal(expression: unknown): CronSyntaxError {
  try {
    new CronExpression(expression as string, { timeZone: 'UTC' });
  } catch (error) {
    if (error instanceof CronSyntaxError) return error;
    throw error;
  }
  throw new Error(`'${String(expression)}' was accepted`);
}

describe('a strict expression', () => {
  it.each([
    '0 0 12 * * ?',
    '0 0 12 ? * * 2030',
    '*/5 /10 0/2 1-31/3 * ?',
    '0 0 22-2 28-3 NOV-FEB ?',
    '0 0 0 ? jan,Mar-MAY,7 fri-MON,3',
    '0 0 0 L * ?',
    '0 0 0 L-30 * ?',
    '0 0 0 LW * ?',
    '0 0 0 L-3W * ?',
    '0 0 0 15W * ?',
    '0 0 0 L,15 * ?',
    '0 0 0 1-5,LW,L-3W * ?',
    '0 0 0 15W,20W * ?',
    '0 0 0 ? * L',
    '0 0 0 ? * 6L',
    '0 0 0 ? * FRIL',
    '0 0 0 ? * 6#5',
    '0 0 0 ? * TUE#2',
    '007 00 012 01 02 ?',
    '  0\t0  12 * * ?\t',
    '0/5,* 0 12 * * ? 1970-2199',
    '0 0 12 * * ? 2024,2026/2,2030-2040/5',
  ])('is valid: %p', (expression) => {
    expect(CronExpression.isValidExpression(expression)).toBe(true);
  });

  it.each([
    ['0 60 * * * ?', 'minute', 2, '60 is out of range; expected 0-59'],
    ['0 0 24 * * ?', 'hour', 4, '24 is out of range; expected 0-23'],
    ['0 0 0 0 * ?', 'day-of-month', 6, '0 is out of range; expected 1-31'],
    ['0 0 0 5,32 * ?', 'day-of-month', 8, '32 is out of range; expected 1-31'],
    ['0 0 0 1 13 ?', 'month', 8, '13 is out of range; expected 1-12'],
    ['0 0 0 1 JAX ?', 'month', 8, 'expected one of JAN, FEB'],
    ['0 0 0 ? * 0', 'day-of-week', 10, '0 is out of range; expected 1-7'],
    ['0 0 0 ? * MON-FUN', 'day-of-week', 10, 'expected one of SUN, MON'],
    ['0 0 0 * * ? 1969', 'year', 12, '1969 is out of range; expected 1970-2199'],
    ['0 0 0 * * ? 2030-2020', 'year', 12, 'the years 2030-2020 run backwards'],
    ['0 0 0 * * ? 2150/5', 'year', 12, '2150 is after the last year, 2130'],
    ['0/60 * * * * ?', 'second', 0, 'the step 60 is out of range; expected 1-59'],
    ['0 0 0-12/30 * * ?', 'hour', 4, 'the step 30 is out of range; expected 1-23'],
    ['*/0 * * * * ?', 'second', 0, 'the step 0 is out of range'],
    ['0,,5 * * * * ?', 'second', 2, 'found an empty item'],
    ['0 0 0 L-31 * ?', 'day-of-month', 6, 'is more than 30 days before the last day'],
    ['0 0 0 32W * ?', 'day-of-month', 6, '32 is out of range; expected 1-31'],
    ['0 0 0 ? * FRI#6', 'day-of-week', 10, 'expected a number from 1 to 5'],
    ['0 0 0 ? * XYZ#1', 'day-of-week', 10, "FRI, SAT, found 'XYZ'"],
    ['0 0 0 1-MAR * ?', 'day-of-month', 6, 'expected a range of two numbers or of two names'],
    ['0 ? * * * ?', 'minute', 2, "'?' is used alone, in day-of-month or day-of-week"],
    ['0 0 0 6#3 * ?', 'day-of-month', 6, "'#' is used in day-of-week"],
    ['0 0 0 ? * 15W', 'day-of-week', 10, "'W' is used in day-of-month"],
    ['0 0 L * * ?', 'hour', 4, "'L' is used in day-of-month"],
    ['0 0 hello * * ?', 'hour', 4, "or a list of these, found 'HELLO'"],
  ])('is refused with field, position and reason: %p', (expression, field, position, problem) => {
    const error = refusal(expression);
    expect(error).toMatchObject({ code: 'CRON_SYNTAX', expression, field, position });
    expect(error.message).toContain(`Cron expression '${expression}': ${field} (character ${position + 1}): `);
    expect(error.message).toContain(problem);
  });

  it.each([
    ['0 5x * * * ?', "Quartz reads it as '5'"],
    ['0 0 0 ? * MON/2', "a name cannot have a step. Quartz reads it as 'MON'"],
    ['0 0 0 1 MARCH ?', "a name has three letters, as in JAN. Quartz reads it as '3'"],
    ['0 0 0 ? * MON,FRI#2', "Quartz reads it as 'MON#2'"],
    ['0 99 0 * * ?', "Quartz reads it as '*'"],
    ['0 0 0 ? * 8#2', 'Quartz accepts it, but it never fires'],
    ['0 0 12 * * ? 2024 EXTRA', "Quartz ignores everything from 'EXTRA' on"],
  ])('that Quartz would accept is refused with its meaning in Quartz: %p', (expression, meaning) => {
    expect(refusal(expression).message).toContain(meaning);
    expect(CronExpression.isValidExpression(expression, { lenient: true })).toBe(true);
  });

  it.each([
    ['*/5 * * * *', "set dialect to 'unix', or write '0 0/5 * * * ?'"],
    ['0 9 * * mon-fri', "or write '0 0 9 ? * MON-FRI'"],
    ['@daily', "set dialect to 'unix', or write '0 0 0 * * ?'"],
    ['0 0 13 * 5', "This looks like crontab: set dialect to 'unix'."],
    ['hello', "Examples: '0 0/5 * * * ?'"],
    ['', 'expected 6 or 7 fields, found 0'],
  ])('with missing fields is refused with an example: %p', (expression, hint) => {
    expect(refusal(expression)).toMatchObject({ field: null });
    expect(refusal(expression).message).toContain(hint);
  });

  it.each([
    ['0 0 12 * * *', "Write '0 0 12 * * ?'."],
    ['0 0 12 * * MON-FRI', "Write '0 0 12 ? * MON-FRI'."],
    ['0 0 12 ? * ?', "Write '0 0 12 * * ?'."],
    ['0 0 12 1 * MON', 'Use two triggers'],
    ['0 0 12 * * 2/2', "Write '0 0 12 ? * 2/2'."],
  ])('requires exactly one question mark: %p', (expression, hint) => {
    expect(refusal(expression).message).toContain("expected '?' in exactly one of day-of-month and day-of-week");
    expect(refusal(expression).hint).toContain(hint);
  });

  it.each([
    ['0 0 9 * * 1-5', "Quartz counts from 1 = Sunday: write '0 0 9 ? * SUN-THU', or '0 0 9 ? * MON-FRI' if you mean"],
    ['0 0 9 * * 7', "write '0 0 9 ? * SAT', or '0 0 9 ? * SUN' if you mean the days of crontab."],
    ['0 0 9 * * 6#3', "write '0 0 9 ? * FRI#3', or '0 0 9 ? * SAT#3' if you mean"],
    ['0 0 9 * * 0-6', "Crontab counts from 0 = Sunday, Quartz from 1 = Sunday: write 'SUN-SAT'."],
    ['0 0 9 ? * 0', "write 'SUN'."],
  ])('without a question mark is refused with the weekday names that its numbers mean: %p', (expression, hint) => {
    expect(refusal(expression).hint).toContain(hint);
  });

  it('has at most 120 characters, which is the size of the column', () => {
    const longest = `0 0 12 * * ? ${'2020,'.repeat(21)}20`.padEnd(120, '20');
    expect(longest).toHaveLength(120);
    expect(refusal(`${longest} `).message).toContain('expected at most 120 characters, found 121');
    expect(refusal('x'.repeat(1_000_000)).message.length).toBeLessThan(300);
  });

  it.each([null, undefined, 5, {}, [], Symbol.iterator])('must be a string, not %p', (value) => {
    expect(refusal(value).message).toContain('expected a string, found');
  });
});
