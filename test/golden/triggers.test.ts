import { timeZoneOf } from '../../src/domain/time/time-zone';
import { MAX_YEAR } from '../../src/domain/trigger';
import { afterFiring, scheduled } from '../../src/domain/trigger-behaviour';
import { fastestRun } from '../support/fastest-run';
import { type AnsweredTriggerRow, answerOfTrigger, goldenRows, type TriggerRow } from '../support/golden-answers';
import { calendarFromGolden } from '../support/golden-calendar';
import { triggerFromGolden } from '../support/golden-trigger';

const rows = goldenRows<TriggerRow>('triggers.jsonl');
const answered = rows.filter((row): row is AnsweredTriggerRow => !('err' in row));
const hanging = rows.filter((row) => 'err' in row);

/** Fills the table of a zone for a hundred years. This takes some 50 ms per process, which the test below must not measure. */
function fillZoneTable(name: string): void {
  const zone = timeZoneOf(name);
  for (let year = 2000; year <= MAX_YEAR; year++) {
    for (const month of [0, 3, 6, 9]) zone.offsetAt(Date.UTC(year, month, 1));
  }
}

describe('trigger answers recorded from Quartz 2.3.2', () => {
  it.each([
    'simple',
    'cron',
    'calendarInterval',
    'dailyTimeInterval',
  ] as const)('are the same for all rows of the kind %s', (kind) => {
    const mine = answered.filter((row) => row.kind === kind);
    const differences = mine.flatMap((row) => {
      const { id, kind, defaultTz, cfg, calendar, ...expected } = row;
      const actual = answerOfTrigger(row);
      return JSON.stringify(actual) === JSON.stringify(expected)
        ? []
        : [{ id, cfg, calendar, defaultTz, expected, actual }];
    });
    expect(differences.slice(0, 3)).toEqual([]);
    expect(mine.length).toBeGreaterThan(100);
  });

  it('are computed within 200 ms if Quartz never returned', () => {
    for (const { defaultTz, cfg } of hanging) fillZoneTable(('tz' in cfg && cfg.tz) || defaultTz);
    const slow = hanging.filter((row) => {
      const calendar = calendarFromGolden(row.calendar, row.defaultTz);
      const fireTenTimes = () => {
        let trigger = scheduled(triggerFromGolden(row.cfg, row.defaultTz), calendar, 'quartz');
        for (let i = 0; i < 10 && trigger.nextFireTime !== null; i++)
          trigger = afterFiring(trigger, calendar, 'quartz');
      };
      return fastestRun(fireTenTimes, 200) >= 200;
    });
    expect(slow).toEqual([]);
    expect(hanging).toHaveLength(12);
  });
});
