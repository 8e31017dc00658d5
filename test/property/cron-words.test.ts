import fc from 'fast-check';
import { CronExpression } from '../../src/domain/cron/cron-expression';
import { describeCron } from '../../src/domain/cron/describe-cron';
import { readWords } from '../support/cron/read-words';
import { runsOf } from '../support/long-forms';
import { settings, specimens } from './cron-expressions';

const DAY_MS = 86_400_000;
const years = fc.constantFrom(
  '',
  ' *',
  ' 2027',
  ' 2025/2',
  ' 2026-2031',
  ' 2026-2040/3',
  ' 2027,2029-2033',
  ' 2026-2099',
);
/** Lists with `L` or `W`, which the specimens do not contain. */
const listsOfDays = fc
  .constantFrom('L,15', '1,15W,LW', '1-3,L-2', '1/7,L-3W', '15W,20W')
  .map((days) => `0 0 9 ${days} * ?`);
const expressions = fc.tuple(fc.oneof({ weight: 9, arbitrary: specimens.map(({ text }) => text) }, listsOfDays), years);
const crontab = fc
  .tuple(
    fc.constantFrom('*', '*/7', '10-50/20', '3,33,40-59', '0'),
    fc.constantFrom('*', '9-17', '*/5', '22,23', '1-23/2'),
    fc.constantFrom('* *', '1,15 *', '*/2 *', '* jan-mar', '* 2,4,6-9'),
    fc.constantFrom('*', '*', '1-5', 'sat,sun', '0', '5L', '2#3'),
  )
  .filter(([, , days, week]) => days.startsWith('* ') || week === '*')
  .map((fields) => fields.join(' '));
/** Maximum number of fire times of a day that are compared completely; larger sets are sampled. */
const MAX_COMPARED = 500;

/** Days from 2026 to 2046, and seconds of a day. */
const samples = fc.record({
  days: fc.array(fc.integer({ min: 20_454, max: 28_000 }), { minLength: 12, maxLength: 12 }),
  seconds: fc.array(fc.integer({ min: 0, max: 86_399 }), { minLength: 50, maxLength: 50 }),
});
interface Samples {
  readonly days: readonly number[];
  readonly seconds: readonly number[];
}

function expectWordsToFire(words: string, cron: CronExpression, { days, seconds }: Samples): void {
  if (words === 'Never') {
    expect(cron.nextTimeAfter(0)).toBeNull();
    return;
  }
  const read = readWords(words);
  const fires = (at: number) => read.isDay(at - (at % DAY_MS)) && read.times.has((at % DAY_MS) / 1000);
  const times: number[] = [];
  for (const day of days) {
    expect(`${words} | ${new Date(day * DAY_MS).toISOString()} ${read.isDay(day * DAY_MS)}`).toBe(
      `${words} | ${new Date(day * DAY_MS).toISOString()} ${cron.matchesDate(day * DAY_MS)}`,
    );
    const next = cron.nextTimeAfter(day * DAY_MS);
    if (next !== null) times.push(next);
  }
  const first = times[0];
  if (first === undefined) return;
  const midnight = first - (first % DAY_MS);
  for (const at of times) expect(fires(at)).toBe(true);
  const named = [...read.times].sort((a, b) => a - b);
  if (named.length > MAX_COMPARED) {
    for (const second of [...seconds, ...named.slice(0, 100).flatMap((time) => [time - 1, time + 1])].filter(
      (each) => each >= 0,
    ))
      expect([words, second, read.times.has(second)]).toEqual([
        words,
        second,
        cron.isSatisfiedBy(midnight + second * 1000),
      ]);
    return;
  }
  const fired: number[] = [];
  for (let at = cron.nextTimeAfter(midnight - 1); at !== null && at < midnight + DAY_MS; at = cron.nextTimeAfter(at))
    fired.push((at - midnight) / 1000);
  expect([words, named]).toEqual([words, fired]);
}

describe('the description of a cron expression', () => {
  it('names exactly the times at which the expression fires', () => {
    fc.assert(
      fc.property(expressions, samples, ([text, year], sample) => {
        const expression = text + year;
        if (expression.length > 120) return;
        expectWordsToFire(describeCron(expression), new CronExpression(expression, { timeZone: 'UTC' }), sample);
      }),
      { numRuns: runsOf(450), ...settings },
    );
  });

  it('names exactly the times of a crontab expression', () => {
    fc.assert(
      fc.property(crontab, samples, (text, sample) => {
        const cron = new CronExpression(text, { dialect: 'unix', timeZone: 'UTC' });
        expectWordsToFire(describeCron(text, { dialect: 'unix' }), cron, sample);
      }),
      { numRuns: runsOf(300), ...settings },
    );
  });
});
