import { CronExpressionParser } from 'cron-parser';
import fc from 'fast-check';
import { CronExpression } from '../../src/domain/cron/cron-expression';
import { CronSyntaxError } from '../../src/domain/cron/cron-syntax-error';
import { describeCron } from '../../src/domain/cron/describe-cron';
import { toQuartzCron } from '../../src/domain/cron/unix-cron';
import { runsOf } from '../support/long-forms';
import { instants, settings } from './cron-expressions';

const piece = fc.oneof(
  fc.constantFrom(
    '*',
    '?',
    '/',
    '-',
    ',',
    '#',
    'L',
    'W',
    'LW',
    ' ',
    '\t',
    'MON',
    'jan',
    'FRI',
    'H',
    'H(1-7)',
    'H/3',
    '@',
    '0',
    '99',
    '98',
  ),
  fc.nat({ max: 99 }).map(String),
  fc.nat().map(String),
);
const junk = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
const field = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join('').replace(/\s/g, ''));
const nearly = fc
  .array(fc.oneof(fc.constantFrom('*', '0', '?'), field), { minLength: 5, maxLength: 8 })
  .map((fields) => fields.join(' '));
const input = fc.oneof(junk, nearly, fc.string({ unit: 'binary', maxLength: 200 }));

/** Returns the result of `work`, or null if it throws a CronSyntaxError. Any other error fails the test. */
function outcome<Value>(work: () => Value): Value | null {
  try {
    return work();
  } catch (error) {
    expect(error).toBeInstanceOf(CronSyntaxError);
    expect((error as CronSyntaxError).code).toBe('CRON_SYNTAX');
    return null;
  }
}

describe('any text as a cron expression', () => {
  it.each([
    false,
    true,
  ])('is accepted with valid fire times, or refused with CronSyntaxError (lenient: %s)', (lenient) => {
    fc.assert(
      fc.property(input, instants, (text, instant) => {
        const cron = outcome(() => new CronExpression(text, { timeZone: 'Europe/Berlin', lenient }));
        if (cron === null) return;
        const next = cron.nextTimeAfter(instant);
        expect(next === null || next > instant).toBe(true);
        const before = cron.timeBefore(instant);
        expect(before === null || before < instant).toBe(true);
        expect(cron.nextInvalidTimeAfter(instant)).toBeGreaterThan(instant);
        expect(describeCron(text, { lenient })).not.toBe('');
        expect(cron.getExpressionSummary().split('\n')).toHaveLength(7);
      }),
      { numRuns: runsOf(3_000), ...settings },
    );
  });

  it('contains no H after its values are drawn, and is then a valid expression', () => {
    fc.assert(
      fc.property(input, fc.string(), fc.constantFrom('quartz', 'unix'), (text, key, dialect) => {
        const drawn = outcome(() => new CronExpression(text, { key, dialect, timeZone: 'UTC' }));
        if (drawn === null) return;
        expect(drawn.cronExpression.replace(/MAR|MARCH|THU/g, '')).not.toContain('H');
        expect(CronExpression.isValidExpression(drawn.cronExpression)).toBe(true);
      }),
      { numRuns: runsOf(3_000), ...settings },
    );
  });

  it('that is accepted strictly is accepted leniently, with the same fire times', () => {
    fc.assert(
      fc.property(input, instants, (text, instant) => {
        const strict = outcome(() => new CronExpression(text, { timeZone: 'UTC' }));
        if (strict === null) return;
        const lenient = new CronExpression(text, { timeZone: 'UTC', lenient: true });
        expect(lenient.nextTimeAfter(instant)).toBe(strict.nextTimeAfter(instant));
      }),
      { numRuns: runsOf(3_000), ...settings },
    );
  });

  it('in the unix dialect becomes a strict Quartz expression or is refused with CronSyntaxError', () => {
    fc.assert(
      fc.property(input, (text) => {
        const quartz = outcome(() => toQuartzCron(text));
        if (quartz !== null && quartz.length <= 120) expect(CronExpression.isValidExpression(quartz)).toBe(true);
      }),
      { numRuns: runsOf(3_000), ...settings },
    );
  });
});

const sixty = fc.constantFrom('*', '0', '*/5', '7-19/3', '3,33', '0,15,30,45');
const unix = fc
  .tuple(
    sixty,
    fc.constantFrom('*', '0', '9-17', '*/6', '22,23'),
    fc.constantFrom(
      '*/2 * *',
      '1 * *',
      'L * *',
      '* jan-mar *',
      '13,31 4,5 *',
      '* * mon-fri',
      '* * 0',
      '* * 7',
      '* * 5-7',
      '* * 5L',
      '* * 2#3',
      '* * */3',
      '* * *',
    ),
  )
  .map((fields) => fields.join(' '));

describe('a unix expression translated to Quartz', () => {
  it('has the fire times that cron-parser computes', () => {
    fc.assert(
      fc.property(unix, instants, (text, instant) => {
        const theirs = CronExpressionParser.parse(text, { currentDate: new Date(instant), tz: 'UTC' });
        const ours = new CronExpression(text, { dialect: 'unix', timeZone: 'UTC' });
        let last: Date | null = new Date(instant);
        for (let count = 0; count < 5 && last !== null; count++) {
          last = ours.getNextValidTimeAfter(last);
          expect(last?.getTime()).toBe(theirs.next().getTime());
        }
      }),
      { numRuns: runsOf(300), ...settings },
    );
  });
});
