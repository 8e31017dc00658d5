import { CronSyntaxError } from '../../../../src/domain/cron/cron-syntax-error';
import { describeCron } from '../../../../src/domain/cron/describe-cron';

describe('describeCron', () => {
  it.each([
    ['* * * * * ?', 'Every second'],
    ['0 * * * * ?', 'Every minute'],
    ['0 0/5 * * * ?', 'Every 5 minutes'],
    ['0 2/5 * * * ?', 'Every 5 minutes from 00:02 to 23:57'],
    ['0 0 * * * ?', 'Every hour'],
    ['0 30 * * * ?', 'At minute 30 of every hour'],
    ['10 * * * * ?', 'At second 10 of every minute'],
    ['0 0 */2 * * ?', 'Every 2 hours'],
    ['0 0 9-17 ? * 2-6', 'Every hour from 09:00 to 17:00, Monday to Friday'],
    ['0 0/15 22-2 * * ?', 'Every 15 minutes from 00:00 to 02:45 and from 22:00 to 23:45'],
    ['0/10 * 9-17 * * ?', 'Every 10 seconds from 09:00:00 to 17:59:50'],
    ['0 0 12 ? * MON-FRI', 'At 12:00, Monday to Friday'],
    ['0 0 12 ? * SAT,SUN', 'At 12:00, on Saturday and Sunday'],
    ['5 0 6,18 * * ?', 'At 06:00:05 and 18:00:05'],
    ['0 0 9 ? * 6#3', 'At 09:00, on the third Friday of the month'],
    ['0 0 9 ? * 06#03', 'At 09:00, on the third Friday of the month'],
    ['0 0 9 ? * FRIL', 'At 09:00, on the last Friday of the month'],
    ['0 0 0 L * ?', 'At 00:00, on the last day of the month'],
    ['0 0 0 L-0 * ?', 'At 00:00, on the last day of the month'],
    ['0 15 10 L-2 * ? 2005-2035', 'At 10:15, 2 days before the last day of the month, 2005 to 2035'],
    ['0 0 0 LW * ?', 'At 00:00, on the last weekday of the month'],
    ['0 0 0 L-3W * ?', 'At 00:00, on the weekday nearest to 3 days before the last day of the month'],
    ['0 0 9 15W * ?', 'At 09:00, on the weekday nearest to day 15 of the month'],
    ['0 0 0 1 /3 ?', 'At 00:00, on day 1 of the month, in January, April, July and October'],
    ['0 0 0 1 1 ? 2199', 'Never'],
    ['0 0 0 30 FEB ?', 'Never'],
    ['0 0 0 L,15 * ?', 'At 00:00, on day 15 of the month and on the last day of the month'],
    ['0 0 9 1 1 ? 2027,2029', 'At 09:00, on day 1 of the month, in January, in 2027 and 2029'],
    // Expressions from public code and from Quartz's documentation that are easily described wrongly.
    ['0 10,44 14 ? 3 WED', 'At 14:10 and 14:44, on Wednesday, in March'],
    ['0 0/5 14,18 * * ?', 'Every 5 minutes from 14:00 to 14:55 and from 18:00 to 18:55'],
    [
      '0 0/30 0-6,12,19-21,22 * * ?',
      'Every 30 minutes from 00:00 to 06:30, from 12:00 to 12:30 and from 19:00 to 22:30',
    ],
    ['0 40-20 0 ? * TUE', 'Every minute from 00:00 to 00:20 and from 00:40 to 00:59, on Tuesday'],
    ['0 0/45 * * * ?', 'At minutes 0 and 45 of every hour'],
    ['0/25 * * * * ?', 'At seconds 0, 25 and 50 of every minute'],
    ['0 0 0/5 * * ?', 'Every 5 hours from 00:00 to 20:00'],
    ['0 0 0 1 7/6 ?', 'At 00:00, on day 1 of the month, in July'],
    ['0 0 2 ? * 1/7', 'At 02:00, on Sunday'],
    ['0 0 0 15 8 ? 2025/2', 'At 00:00, on day 15 of the month, in August, every 2nd year from 2025'],
    ['0 3/7 9-17 * * ?', 'At every 7th minute from 3 to 59 of hours 9 to 17'],
  ])('describes %p in words', (expression, words) => {
    expect(describeCron(expression)).toBe(words);
  });

  it('describes a lenient expression as Quartz interprets it', () => {
    expect(describeCron('5x 0 0 ? * MON/2', { lenient: true })).toBe('At 00:00:05, on Monday');
  });

  it('describes unix expressions, and H by its hashed value', () => {
    expect(describeCron('*/15 9-17 * * 1-5', { dialect: 'unix' })).toBe(
      'Every 15 minutes from 09:00 to 17:45, Monday to Friday',
    );
    expect(describeCron('0 H H(8-17) * * ?', { key: 'report' })).toBe('At 16:59');
  });

  it('refuses an invalid expression', () => {
    expect(() => describeCron('0 0/61 * * * ?')).toThrow(CronSyntaxError);
  });
});
