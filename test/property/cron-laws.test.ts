import fc from 'fast-check';
import { DateTime } from 'luxon';
import { CronExpression } from '../../src/domain/cron/cron-expression';
import { runsOf } from '../support/long-forms';
import { instants, moments, type Specimen, settings, specimens } from './cron-expressions';

/** True in the first pass of a repeated hour. Only the second pass fires. */
function isFirstPass(time: DateTime): boolean {
  const [first, second] = time.getPossibleOffsets();
  return (
    second !== undefined && first !== undefined && time.toMillis() === Math.min(first.toMillis(), second.toMillis())
  );
}

/** True if the instant is a fire time, computed only from the fields and luxon. */
function fires(specimen: Specimen, zone: string, instant: number): boolean {
  const time = DateTime.fromMillis(instant, { zone });
  return (
    specimen.seconds.has(time.second) &&
    specimen.minutes.has(time.minute) &&
    specimen.hours.has(time.hour) &&
    specimen.months.has(time.month) &&
    specimen.days.matches(time) &&
    !isFirstPass(time)
  );
}

const cases = fc.tuple(specimens, moments);

describe('cron expressions of the strict grammar', () => {
  it('have strictly increasing fire times, each of which satisfies them', () => {
    fc.assert(
      fc.property(cases, ([{ text }, { timeZone, after }]) => {
        const cron = new CronExpression(text, { timeZone });
        let last = after;
        for (let count = 0; count < 20; count++) {
          const next = cron.nextTimeAfter(last);
          if (next === null) return;
          expect(next).toBeGreaterThan(last);
          expect(next % 1000).toBe(0);
          expect(cron.isSatisfiedBy(next)).toBe(true);
          last = next;
        }
      }),
      { numRuns: runsOf(500), ...settings },
    );
  });

  it('fire next at the earliest matching time', () => {
    fc.assert(
      fc.property(cases, fc.integer({ min: 1, max: 1_200 }), ([specimen, { timeZone: zone, after: from }], seconds) => {
        const cron = new CronExpression(specimen.text, { timeZone: zone });
        const next = cron.nextTimeAfter(from);
        if (next === null) return;
        const after = next - seconds * 1000;
        // A search that begins in the first pass continues in the second one at the same local time, as in Quartz.
        if (isFirstPass(DateTime.fromMillis(after + 1000, { zone }))) return;
        let smallest = after + 1000;
        while (smallest < next && !fires(specimen, zone, smallest)) smallest += 1000;
        expect(fires(specimen, zone, smallest)).toBe(true);
        expect(cron.nextTimeAfter(after)).toBe(smallest);
      }),
      { numRuns: runsOf(400), ...settings },
    );
  });

  it('have the same fire times with getTimeBefore as with getNextValidTimeAfter', () => {
    fc.assert(
      fc.property(cases, ([{ text }, { timeZone, after }]) => {
        const cron = new CronExpression(text, { timeZone });
        const first = cron.nextTimeAfter(after);
        const second = first === null ? null : cron.nextTimeAfter(first);
        if (first === null || second === null) return;
        expect(cron.timeBefore(second)).toBe(first);
        expect(cron.timeBefore(first + 1)).toBe(first);
      }),
      { numRuns: runsOf(500), ...settings },
    );
  });

  it('have as next invalid time the first second that does not satisfy them', () => {
    fc.assert(
      fc.property(specimens, instants, ({ text }, after) => {
        const cron = new CronExpression(text, { timeZone: 'UTC' });
        const invalid = cron.nextInvalidTimeAfter(after);
        expect(cron.isSatisfiedBy(invalid)).toBe(false);
        for (let time = invalid - 1000; time > after && time > invalid - 100_000; time -= 1000) {
          expect(cron.isSatisfiedBy(time)).toBe(true);
        }
      }),
      { numRuns: runsOf(500), ...settings },
    );
  });

  it('have the same fire times when read leniently or from their normalized text', () => {
    fc.assert(
      fc.property(cases, ([{ text }, { timeZone, after }]) => {
        const strict = new CronExpression(text.toLowerCase().replaceAll(' ', '  '), { timeZone });
        const lenient = new CronExpression(text, { timeZone, lenient: true });
        const again = new CronExpression(strict.cronExpression, { timeZone });
        expect(lenient.nextTimeAfter(after)).toBe(strict.nextTimeAfter(after));
        expect(again.nextTimeAfter(after)).toBe(strict.nextTimeAfter(after));
        expect(again.cronExpression).toBe(strict.cronExpression);
      }),
      { numRuns: runsOf(300), ...settings },
    );
  });
});
