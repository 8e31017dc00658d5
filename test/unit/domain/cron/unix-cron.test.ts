import { CronSyntaxError } from '../../../../src/domain/cron/cron-syntax-error';
import { toQuartzCron } from '../../../../src/domain/cron/unix-cron';

describe('a unix expression', () => {
  it.each([
    ['* * * * *', '0 * * * * ?'],
    ['*/5 * * * *', '0 0/5 * * * ?'],
    ['*/10 0 * * * *', '0/10 0 * * * ?'],
    ['0 9-17 * * *', '0 0 9-17 * * ?'],
    ['0-30/10 8 * * *', '0 0-30/10 8 * * ?'],
    ['0 0 1,15 * *', '0 0 0 1,15 * ?'],
    ['0 0 L * *', '0 0 0 L * ?'],
    ['0 0 */10 2-4 *', '0 0 0 1/10 2-4 ?'],
    ['0 0 * jan-mar/2 *', '0 0 0 * 1,3 ?'],
    ['0 0 ? * ?', '0 0 0 * * ?'],
    ['0 0 * * 0', '0 0 0 ? * SUN'],
    ['0 0 * * 7', '0 0 0 ? * SUN'],
    ['0 0 * * 1-5', '0 0 0 ? * MON-FRI'],
    ['0 0 * * 5-7', '0 0 0 ? * SUN,FRI,SAT'],
    ['0 0 * * tue,THU', '0 0 0 ? * TUE,THU'],
    ['0 0 * * 5L', '0 0 0 ? * FRIL'],
    ['0 0 * * 5#3', '0 0 0 ? * FRI#3'],
    ['1-5,3 * * * *', '0 1-5 * * * ?'],
    ['*/5,30 * * * *', '0 0/5 * * * ?'],
    ['7,*/30,7 1,1 * * *', '0 0,7,30 1 * * ?'],
    ['0 0 1-10,5-12 * *', '0 0 0 1-12 * ?'],
    ['0 0 * 1-6,mar *', '0 0 0 * 1-6 ?'],
    ['0 0 * * 0,7', '0 0 0 ? * SUN'],
    ['0 0 * * SUN,0,mon-fri,3', '0 0 0 ? * SUN-FRI'],
    ['1,1 0 0 * * *', '1 0 0 * * ?'],
    ['0 0 */2 * *', '0 0 0 1/2 * ?'],
    ['0 0 * * */2', '0 0 0 ? * SUN,TUE,THU,SAT'],
    ['0 0 */1 * 1', '0 0 0 ? * MON'],
    ['0 0 1 * */1', '0 0 0 1 * ?'],
    ['0 0 1-31 * 1', '0 0 0 * * ?'],
    ['0 0 1 * 0-6', '0 0 0 * * ?'],
    ['0 0 1,15 * 0-7', '0 0 0 * * ?'],
    ['0 0 1-31 * 0-6', '0 0 0 * * ?'],
    ['@hourly', '0 0 * * * ?'],
    ['@daily', '0 0 0 * * ?'],
    ['@weekly', '0 0 0 ? * SUN'],
    ['@yearly', '0 0 0 1 1 ?'],
    ['  5 4 * * sun ', '0 5 4 ? * SUN'],
  ])('%p is translated to %p', (unix, quartz) => {
    expect(toQuartzCron(unix)).toBe(quartz);
  });

  it.each([
    ['60 * * * *', 'minute', 0, '60 is out of range; expected 0-59'],
    ['0 0 * * 8', 'day-of-week', 8, '8 is out of range; expected 0-7'],
    ['0 0 1 * 1', 'day-of-week', 8, 'crontab fires when either day field matches'],
    ['0 0 1,15 * MON-FRI', 'day-of-week', 11, "Use two triggers, '0 0 1,15 * *' and '0 0 * * MON-FRI'"],
    ['0 0 */2 * 1', 'day-of-week', 10, "Use '0 0 */2 * *' or '0 0 * * 1', and exclude the other days with a calendar"],
    ['0 0 */2 * 1', 'day-of-week', 10, 'fires when both day fields match, because one of them begins'],
    ['0 0 1 * */2,1', 'day-of-week', 8, 'fires when both day fields match'],
    ['1,1,60 * * * *', 'minute', 0, '60 is out of range'],
    ['0 0 1,1,L * *', 'day-of-month', 4, "'L' is not allowed in a list"],
    ['0 0 1,L * *', 'day-of-month', 4, "'L' is not allowed in a list"],
    ['0 0 * * 1L,3', 'day-of-week', 8, "'L' is not allowed in a list"],
    ['0 H * * *', 'hour', 2, 'Set the key'],
    ['0 0 31 2 *', null, 0, 'day 31 exists in none of the months'],
    ['0 0 30,31 2 *', null, 0, 'day 30 exists in none of the months'],
    ['0 0 * * L', 'day-of-week', 8, "'L' is not allowed"],
    ['0 0 * * 1#6', 'day-of-week', 8, "'#6' is out of range; expected #1-#5"],
    ['5-1 * * * *', 'minute', 0, "'5-1': the range runs backwards"],
    ['*/0 * * * *', 'minute', 0, "the step of '*/0' must be at least 1"],
    ['1,,2 * * * *', 'minute', 0, "expected a value, a range such as 1-5 or a step such as */5, found ''"],
    ['0 0 * foo *', 'month', 6, "expected a number or a name, found 'FOO'"],
    ['* * * *', null, 0, 'expected 5 fields (minute first) or 6 (second first), found 4'],
    ['0 0 0 * * ? 2030', null, 0, 'found 7'],
    ['', null, 0, 'found 0'],
    ['@nope', null, 0, 'expected one of @yearly, @annually, @monthly, '],
    ['x'.repeat(121), null, 0, 'at most 120 characters'],
  ])('%p is refused with field and position', (unix, field, position, problem) => {
    expect(() => toQuartzCron(unix)).toThrow(CronSyntaxError);
    expect(() => toQuartzCron(unix)).toThrow(problem);
    expect(() => toQuartzCron(unix)).toThrow(expect.objectContaining({ expression: unix, field, position }));
  });

  it('does not treat the H in names of months and weekdays as a hashed value', () => {
    expect(toQuartzCron('0 0 * MAR THU')).toBe('0 0 0 ? 3 THU');
  });
});
