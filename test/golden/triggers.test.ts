import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Rules } from '../../src/domain/rules';
import { timeZoneOf } from '../../src/domain/time/time-zone';
import { MAX_YEAR, type Trigger } from '../../src/domain/trigger';
import {
  afterFiring,
  finalFireTime,
  fireTimeAfter,
  scheduled,
  validateTrigger,
} from '../../src/domain/trigger-behaviour';
import { fastestRun } from '../support/fastest-run';
import { calendarFromGolden, type GoldenCalendar } from '../support/golden-calendar';
import { type GoldenState, type GoldenTrigger, goldenState, triggerFromGolden } from '../support/golden-trigger';

interface Case {
  readonly id: string;
  readonly kind: GoldenTrigger['type'];
  readonly defaultTz: string;
  readonly cfg: GoldenTrigger;
  readonly calendar: GoldenCalendar | null;
}

interface Answer {
  readonly valid: boolean;
  readonly startAsSet: number;
  readonly after: readonly (readonly [number, number | null])[];
  readonly final: number | null;
  readonly first: number | null;
  readonly fires: readonly (number | null)[];
  readonly mayFireAgain: boolean;
  readonly end: GoldenState;
  readonly finalAfter: number | null;
}

type Row = Case & (Answer | { readonly err: string });

const rows = readFileSync(join(__dirname, 'triggers.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);
const answered = rows.filter((row): row is Case & Answer => !('err' in row));
const hanging = rows.filter((row) => 'err' in row);

/** All we answer to a row; `fires` as many as the row asks for. */
function answer(row: Case & Answer, rules: Rules = 'quartz'): Answer {
  const calendar = calendarFromGolden(row.calendar, row.defaultTz, rules);
  const fresh = triggerFromGolden(row.cfg, row.defaultTz);
  let trigger = scheduled(fresh, calendar, rules);
  const { startTime, nextFireTime: first } = trigger;
  const fires: (number | null)[] = [];
  for (const _ of row.fires) {
    if (fires.length > 0) trigger = afterFiring(trigger, calendar, rules);
    fires.push(trigger.nextFireTime);
  }
  return {
    valid: isValid(fresh),
    startAsSet: startTime,
    after: row.after.map(([after]) => [after, fireTimeAfter(fresh, after, rules)]),
    final: finalFireTime(fresh, rules),
    first,
    fires,
    mayFireAgain: trigger.nextFireTime !== null,
    end: goldenState(trigger),
    finalAfter: finalFireTime(trigger, rules),
  };
}

function isValid(trigger: Trigger): boolean {
  try {
    validateTrigger(trigger);
    return true;
  } catch {
    return false;
  }
}

/** Reads a hundred years of a zone, which takes a process some 50 ms once: not what the test below is about. */
function fillZoneTable(name: string): void {
  const zone = timeZoneOf(name);
  for (let year = 2000; year <= MAX_YEAR; year++) {
    for (const month of [0, 3, 6, 9]) zone.offsetAt(Date.UTC(year, month, 1));
  }
}

describe('triggers.jsonl, recorded from Quartz 2.3.2', () => {
  it.each([
    'simple',
    'cron',
    'calendarInterval',
    'dailyTimeInterval',
  ] as const)('answers every %s row alike', (kind) => {
    const mine = answered.filter((row) => row.kind === kind);
    const differences = mine.flatMap((row) => {
      const { id, kind, defaultTz, cfg, calendar, ...expected } = row;
      const actual = answer(row);
      return JSON.stringify(actual) === JSON.stringify(expected)
        ? []
        : [{ id, cfg, calendar, defaultTz, expected, actual }];
    });
    expect(differences.slice(0, 3)).toEqual([]);
    expect(mine.length).toBeGreaterThan(100);
  });

  it('ends within a fifth of a second where Quartz never did', () => {
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
