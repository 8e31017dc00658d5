import { CronExpression } from '../../../../src/domain/cron/cron-expression';
import { triggerKey } from '../../../../src/domain/keys';

const drawnFor = (expression: string, key = triggerKey('report')) =>
  new CronExpression(expression, { key, timeZone: 'UTC' }).cronExpression;

/*
 * Stored triggers must not move when a newer version of this package declares them again: lines may be added here, but never changed.
 * The values are those of `printf 'DEFAULT.report minute' | sha256sum | head -c 12`, modulo the number of values of the field.
 */
describe('the hashed value of H', () => {
  it.each([
    ['DEFAULT', 'report', '52 59 18 6 4 ?', '52 59 18 ? 4 4'],
    ['billing', 'monthly close', '49 57 23 27 5 ?', '49 57 23 ? 5 5'],
    ['DEFAULT', 'größe €', '27 25 14 23 11 ?', '27 25 14 ? 11 6'],
  ])('is stable in every field for %s.%s', (group, name, dayOfMonth, dayOfWeek) => {
    expect(drawnFor('H H H H H ?', triggerKey(name, group))).toBe(dayOfMonth);
    expect(drawnFor('H H H ? H H', triggerKey(name, group))).toBe(dayOfWeek);
  });

  it.each([
    ['0 H/15 * * * ?', '0 14/15 * * * ?'],
    ['0 H(0-29)/10 * * * ?', '0 9-29/10 * * * ?'],
    ['0 H(0-29) * * * ?', '0 29 * * * ?'],
    ['0 0 H(8-17) * * ?', '0 0 16 * * ?'],
    ['0 0 H(22-4) * * ?', '0 0 23 * * ?'],
    ['0 0 0 H(28-3) * ?', '0 0 0 2 * ?'],
    ['0 0 0 H/7 * ?', '0 0 0 6-28/7 * ?'],
    ['0 0 0 1 H(OCT-MAR) ?', '0 0 0 1 1 ?'],
    ['0 0 0 ? * H(MON-FRI)', '0 0 0 ? * 6'],
    ['0 0 0 ? * H/2', '0 0 0 ? * 1/2'],
    ['0 H/60 0 * * ?', '0 59 0 * * ?'],
    ['0 H(0-29),h(30-59) 0 * * ?', '0 29,59 0 * * ?'],
    ['0 0,H,5-7 0 ? MAR THU 2030', '0 0,59,5-7 0 ? MAR THU 2030'],
  ])('is stable: %p for DEFAULT.report becomes %p', (expression, stored) => {
    expect(drawnFor(expression)).toBe(stored);
  });

  it.each([
    ['H H * * *', '0 59 18 * * ?'],
    ['H H/15 H(9-17) * * *', '52 14/15 15 * * ?'],
    ['0 0 * * H', '0 0 0 ? * WED'],
    ['0 0 H * *', '0 0 0 6 * ?'],
  ])('is stable: the unix expression %p becomes %p', (unix, stored) => {
    expect(new CronExpression(unix, { dialect: 'unix', key: 'report' }).cronExpression).toBe(stored);
  });
});

describe('the cron symbol H', () => {
  it('distributes triggers evenly', () => {
    const counts = new Array<number>(60).fill(0);
    for (let index = 0; index < 6_000; index++) {
      const minute = Number(drawnFor('0 H * * * ?', triggerKey(`job-${index}`)).split(' ')[1]);
      counts[minute] = (counts[minute] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(60);
    expect(Math.max(...counts)).toBeLessThan(150);
  });

  it('is rejected in lenient expressions, as in Quartz', () => {
    expect(() => new CronExpression('0 H * * * ?', { key: 'report', lenient: true })).toThrow("'H' is not a number");
  });

  it('requires a key', () => {
    expect(CronExpression.isValidExpression('0 H * * * ?')).toBe(false);
    expect(CronExpression.isValidExpression('0 H * * * ?', { key: 'report' })).toBe(true);
    const none = expect.objectContaining({
      code: 'CRON_SYNTAX',
      field: 'minute',
      position: 2,
      hint: 'Set the key option.',
    });
    expect(() => new CronExpression('0 H * * * ?')).toThrow(none);
    expect(() => new CronExpression('0 H * * * ?', { key: 5 as never })).toThrow('the key of a trigger, or its name');
  });

  it.each([
    ['0 0,H(0-29)/40 0 * * ?', 'minute', 4, "the step 40 of 'H(0-29)/40' is out of range; expected 1-30."],
    ['0 H/0 0 * * ?', 'minute', 2, "the step 0 of 'H/0' is out of range; expected 1-60."],
    ['0 0 0 H/29 * ?', 'day-of-month', 6, 'expected 1-28.'],
    ['H 0 H(8-25) * * ?', 'hour', 4, "'H(8-25)' is out of range; expected 0-23."],
    ['0 0 0 H(0-5) * ?', 'day-of-month', 6, 'expected 1-31.'],
    ['0 0 0 * * ? H', 'year', 12, "'H' is not allowed in the year."],
    ['0 H(5 0 * * ?', 'minute', 2, "expected H, H/15, H(0-29) or H(0-29)/10, found 'H(5'."],
    ['0 H(1-MAR) 0 * * ?', 'minute', 2, 'a range of two numbers or of two names'],
    ['0 H(MON-FRI) 0 * * ?', 'minute', 2, 'a range of two numbers or of two names'],
    ['HOUR 0 0 * * ?', 'second', 0, "found 'HOUR'."],
    ['H 99 * * * ?', 'minute', 2, '99 is out of range; expected 0-59.'],
    ['0 H H * * MON', 'day-of-week', 10, "Write '0 H H ? * MON'."],
    ['H H * * *', null, 0, 'expected 6 or 7 fields, found 5'],
  ])('in an invalid expression gives an error with field and position: %p', (expression, field, position, problem) => {
    const fault = expect.objectContaining({ code: 'CRON_SYNTAX', expression, field, position });
    expect(() => drawnFor(expression)).toThrow(fault);
    expect(() => drawnFor(expression)).toThrow(problem);
  });

  it.each([
    ['H(40-20) 0 * * *', 'minute', 0, 'the range runs backwards'],
    ['0 0 * * H(1-7)', 'day-of-week', 8, 'expected 0-6'],
    ['0 H 1 * 1', 'day-of-week', 8, 'Use two triggers'],
    ['H 25 * * *', 'hour', 2, '25 is out of range; expected 0-23'],
    ['0 0 * * 1,H/8', 'day-of-week', 10, 'expected 1-7'],
  ])('in an invalid unix expression gives an error with field and position: %p', (expression, field, position, problem) => {
    const read = () => new CronExpression(expression, { dialect: 'unix', key: 'report' });
    expect(read).toThrow(expect.objectContaining({ code: 'CRON_SYNTAX', expression, field, position }));
    expect(read).toThrow(problem);
  });
});
