import { CronExpression } from '../../../../src/domain/cron/cron-expression';
import { CronSyntaxError } from '../../../../src/domain/cron/cron-syntax-error';

const lenient = (expression: string) => new CronExpression(expression, { timeZone: 'UTC', lenient: true });

/** Values of the expression summary on one line, without field names. */
function summary(expression: string): string {
  return lenient(expression)
    .getExpressionSummary()
    .replace(/^.*: ?/gm, '')
    .replaceAll('\n', ' ')
    .trim();
}

describe('a lenient expression', () => {
  it.each([
    ['5x 0 0 * * ?', '5 0 0 * * ? *'],
    ['0 */-5 0 * * ?', '0 * 0 * * ? *'],
    ['0 *5 0/15x * * ?', '0 * 0,15 * * ? *'],
    ['0,,30 0 0 * * ?', '0,30 0 0 * * ? *'],
    ['0 99 0 99 99 98', '0 * 0 * * ? *'],
    ['0 5-9/0 0 * * ?', '0 5 0 * * ? *'],
    ['0 0 0 5-0 * ?', '0 0 0 5-31 * ? *'],
    ['0 0 0 1,15W * ?', '0 0 0 1,15W * ? *'],
    ['0 0 0 L-W * ?', '0 0 0 LW * ? *'],
    ['0 0 0 ? MARCH 2,3#1', '0 0 0 ? 3 MON#1 *'],
    ['0 0 0 ? * 0#2', '0 0 0 ? * SAT#2 *'],
    ['0 0 0 ? * MON-FRI#2', '0 0 0 ? * MON-FRI *'],
    ['0 0 0 ? * LW', '0 0 0 ? * SAT *'],
    ['0 0 0 * * ? 1950-1972 EXTRA', '0 0 0 * * ? 1970-1972'],
    ['0 0 0 * * ? 99-2147483647/60', '0 0 0 * * ? 1970/60'],
    ['0 0 0 * * ? 2020\n', '0 0 0 * * ? 2020'],
  ])('%p is interpreted as %p', (expression, meaning) => {
    expect(summary(expression)).toBe(meaning);
  });

  it('never fires if its years or its day do not exist', () => {
    for (const expression of ['0 0 0 * * ? ,', '0 0 0 * * ? 3000', '0 0 0 ? * 8#2', '0 0 0 ? * 99#1']) {
      expect(lenient(expression).getNextValidTimeAfter(new Date(0))).toBeNull();
    }
  });

  it.each([
    'L 0 0 * * ?',
    ', 0 0 * * ?',
    '0 0 0 , * ?',
    '0 0 0 ? * ,',
    '0 0 0 98-5 * ?',
    '0/5x 0 0 * * ?',
    '* * * * *',
    '0 0 0 ? * ?',
  ])('is refused if Quartz refuses it or fails on it: %p', (expression) => {
    expect(() => lenient(expression)).toThrow(CronSyntaxError);
  });
});
