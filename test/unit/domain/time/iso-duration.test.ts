import fc from 'fast-check';
import { Duration } from 'luxon';
import { parseDuration, parseIsoDuration } from '../../../../src/domain/time/duration';

const amount = fc.oneof(
  fc.nat({ max: 400 }).map(String),
  fc.constantFrom('-3', '0.5', '1.25', '00', '12345678901', '1.001'),
);
const part = (letter: string) => fc.option(amount.map((value) => value + letter)).map((text) => text ?? '');
const time = fc.tuple(part('H'), part('M'), part('S')).map((parts) => `T${parts.join('')}`);
const text = fc
  .tuple(fc.constantFrom('', '-', 'x'), part('Y'), part('M'), part('W'), part('D'), fc.option(time))
  .map(([sign, ...parts]) => `${sign}P${parts.map((each) => each ?? '').join('')}`);

describe('an ISO-8601 duration', () => {
  it('is accepted with the value of luxon, or refused as by luxon', () => {
    fc.assert(
      fc.property(text, (iso) => {
        const theirs = Duration.fromISO(iso);
        const ours = parseIsoDuration(iso);
        expect([iso, ours !== null]).toEqual([iso, theirs.isValid]);
        if (ours === null) return;
        for (const unit of ['years', 'months', 'weeks', 'days'] as const) expect(ours[unit] + 0).toBe(theirs[unit] + 0);
        const isNear = (found: number, expected: number) =>
          expect(Math.abs(found - expected)).toBeLessThan(1e-3 + Math.abs(theirs.toMillis()) * 1e-9);
        const { hours, minutes, seconds, milliseconds } = theirs;
        isNear(ours.milliseconds, Duration.fromObject({ hours, minutes, seconds, milliseconds }).toMillis());
        if (iso.startsWith('P') && /\d/.test(iso)) isNear(parseDuration(iso), theirs.toMillis());
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    '',
    'P1',
    '1D',
    'PT',
    'P1H',
    'PT1D',
    'P1D2W',
    'PT1S1M',
    ' P1D',
    'P1D ',
    'P٣D',
  ])('%p is not more than luxon accepts', (iso) => {
    expect(parseIsoDuration(iso) !== null).toBe(Duration.fromISO(iso).isValid);
  });
});
