import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Calendar } from '../../src/domain/calendars/calendar';
import { afterMisfire } from '../../src/domain/misfire';
import { misfireCodeOf, misfireInstructionOf } from '../../src/domain/misfire-instructions';
import { newCalendarTimes } from '../../src/domain/new-calendar';
import type { Rules } from '../../src/domain/rules';
import type { Trigger } from '../../src/domain/trigger';
import { afterFiring, scheduled } from '../../src/domain/trigger-behaviour';
import { calendarFromGolden, type GoldenCalendar } from '../support/golden-calendar';
import { type GoldenState, type GoldenTrigger, goldenState, KINDS, triggerFromGolden } from '../support/golden-trigger';

interface CodeRow {
  readonly op: 'setMisfireInstruction';
  readonly kind: GoldenTrigger['type'];
  readonly instruction: number;
  readonly ok: boolean;
}

interface MisfireRow {
  readonly op: 'updateAfterMisfire' | 'updateWithNewCalendar';
  readonly id: string;
  readonly kind: GoldenTrigger['type'];
  readonly instruction: number;
  readonly now: number;
  readonly misfireThreshold?: number;
  readonly defaultTz: string;
  readonly cfg: GoldenTrigger;
  readonly calendar: GoldenCalendar | null;
  readonly fired: number;
  readonly before: GoldenState;
  readonly after: GoldenState;
  readonly mayFireAgain: boolean;
  readonly then: readonly (number | null)[];
  readonly finally: GoldenState;
}

const rows = readFileSync(join(__dirname, 'misfire.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as CodeRow | MisfireRow);
const kinds = Object.keys(KINDS) as GoldenTrigger['type'][];

/** What Quartz recorded of a row, as we answer it. */
function answer(row: MisfireRow, rules: Rules = 'quartz') {
  const calendar = calendarFromGolden(row.calendar, row.defaultTz, rules);
  const before = firedTrigger(row, row.op === 'updateAfterMisfire' ? calendar : null, rules);
  const after =
    row.op === 'updateAfterMisfire'
      ? afterMisfire(before, row.now, calendar, rules)
      : { ...before, nextFireTime: newCalendarTimes(calendar, row.now, row.misfireThreshold as number, rules)(before) };

  let trigger = after;
  const then = row.then.map(() => {
    trigger = afterFiring(trigger, calendar, rules);
    return trigger.nextFireTime;
  });
  return {
    before: goldenState(before),
    after: goldenState(after),
    mayFireAgain: after.nextFireTime !== null,
    then,
    finally: goldenState(trigger),
  };
}

/** The row's trigger after it fired as often as the row says. */
function firedTrigger(row: MisfireRow, calendar: Calendar | null, rules: Rules): Trigger {
  const instruction = misfireInstructionOf(KINDS[row.kind], row.instruction);
  if (instruction === null) throw new Error(`row ${row.id} has the unknown instruction ${row.instruction}`);
  let trigger = scheduled(triggerFromGolden(row.cfg, row.defaultTz, instruction), calendar, rules);
  for (let i = 0; i < row.fired; i++) trigger = afterFiring(trigger, calendar, rules);
  return trigger;
}

function expectSameAnswers(mine: readonly MisfireRow[]): void {
  const differences = mine.flatMap((row) => {
    const { before, after, mayFireAgain, then, finally: end } = row;
    const expected = { before, after, mayFireAgain, then, finally: end };
    const actual = answer(row);
    return JSON.stringify(actual) === JSON.stringify(expected) ? [] : [{ row, actual }];
  });
  expect(differences.slice(0, 3)).toEqual([]);
}

describe('misfire.jsonl, recorded from Quartz 2.3.2', () => {
  it.each(kinds)('%s: updateAfterMisfire', (kind) => {
    const mine = rows.filter((row) => row.op === 'updateAfterMisfire' && row.kind === kind) as MisfireRow[];
    expect(mine.length).toBeGreaterThan(50);
    expectSameAnswers(mine);
  });

  it.each(kinds)('%s: updateWithNewCalendar', (kind) => {
    const mine = rows.filter((row) => row.op === 'updateWithNewCalendar' && row.kind === kind) as MisfireRow[];
    expect(mine.length).toBeGreaterThan(50);
    expectSameAnswers(mine);
  });

  it('accepts the same instruction codes, and names them both ways', () => {
    const mine = rows.filter((row): row is CodeRow => row.op === 'setMisfireInstruction');
    expect(mine).toHaveLength(32);
    for (const { kind, instruction: code, ok } of mine) {
      const name = misfireInstructionOf(KINDS[kind], code);
      expect([kind, code, name !== null]).toEqual([kind, code, ok]);
      if (name !== null) expect(misfireCodeOf(KINDS[kind], name)).toBe(code);
    }
  });
});
