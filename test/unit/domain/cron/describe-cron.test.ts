import { CronSyntaxError } from '../../../../src/domain/cron/cron-syntax-error';
import { describeCron } from '../../../../src/domain/cron/describe-cron';

describe('describeCron', () => {
  it.each([
    ['0 0/5 * * * ?', 'Every 5 minutes'],
    ['0 0 12 ? * MON-FRI', 'At 12:00, Monday through Friday'],
    ['0 0 12 ? * 2-6', 'At 12:00, Monday through Friday'],
    ['0 0 9 ? * 6#3', 'At 09:00, on the third Friday of the month'],
    ['0 0 9 ? * 06#03', 'At 09:00, on the third Friday of the month'],
    ['0 0 9 ? * FRIL', 'At 09:00, on the last Friday of the month'],
    ['0 0 0 L * ?', 'At 00:00, on the last day of the month'],
    ['0 0 0 L-0 * ?', 'At 00:00, on the last day of the month'],
    ['0 15 10 L-2 * ? 2005-2035', 'At 10:15, 2 days before the last day of the month, 2005 through 2035'],
    ['0 0 0 LW * ?', 'At 00:00, on the last weekday of the month'],
    ['0 0 0 L-3W * ?', 'At 00:00, on the weekday nearest to 3 days before the last day of the month'],
    ['0 0 9 15W * ?', 'At 09:00, on the weekday nearest day 15 of the month'],
    ['0 0 0 1 /3 ?', 'At 00:00, on day 1 of the month, every 3 months'],
    ['0 0 0 1 1 ? 2199', 'Never'],
    ['0 0 0 L,15 * ?', 'At 00:00, on day 15 of the month; at 00:00, on the last day of the month'],
    [
      '0 0 9 15W,20W * ?',
      'At 09:00, on the weekday nearest day 15 of the month; at 09:00, on the weekday nearest day 20 of the month',
    ],
  ])('puts %p into words', (expression, words) => {
    expect(describeCron(expression)).toBe(words);
  });

  it('describes what Quartz makes of lenient text', () => {
    expect(describeCron('5x 0 0 ? * MON/2', { lenient: true })).toBe('At 00:00:05, only on Monday');
  });

  it('refuses nonsense instead of describing it', () => {
    expect(() => describeCron('0 0/61 * * * ?')).toThrow(CronSyntaxError);
  });
});
