import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Calendar } from '../../src/domain/calendars/calendar';
import { CronExpression, cronExpressionOf } from '../../src/domain/cron/cron-expression';
import { afterMisfire } from '../../src/domain/misfire';
import { misfireInstructionOf } from '../../src/domain/misfire-instructions';
import { newCalendarTimes } from '../../src/domain/new-calendar';
import type { Rules } from '../../src/domain/rules';
import type { Trigger } from '../../src/domain/trigger';
import {
  afterFiring,
  finalFireTime,
  fireTimeAfter,
  scheduled,
  validateTrigger,
} from '../../src/domain/trigger-behaviour';
import { calendarFromGolden, type GoldenCalendar } from './golden-calendar';
import { type GoldenState, type GoldenTrigger, goldenState, KINDS, triggerFromGolden } from './golden-trigger';

/*
 * Rows of the golden files, and our answers to them under both rules. Fields that end in `Err` or `err` are exceptions of Java, or HANG.
 */

export type CronRow = { readonly id: string; readonly expr: string } & (
  | { readonly kind: 'next'; readonly tz: string; readonly after: number; readonly next: (number | null)[] }
  | { readonly kind: 'hang'; readonly tz: string; readonly after: number; readonly before: number[] }
  | { readonly kind: 'satisfied'; readonly tz: string; readonly at: number; readonly is: boolean }
  | { readonly kind: 'invalidAfter'; readonly tz: string; readonly after: number; readonly next: number }
  | { readonly kind: 'invalid' | 'throws' }
);

export interface CalendarRow {
  readonly id: string;
  readonly kind: string;
  readonly cal: GoldenCalendar;
  readonly defaultTz?: string;
  readonly at: number;
  readonly included?: boolean;
  readonly includedErr?: string;
  readonly next?: number;
  readonly nextErr?: string;
  readonly ok?: boolean;
}

interface TriggerCase {
  readonly id: string;
  readonly kind: GoldenTrigger['type'];
  readonly defaultTz: string;
  readonly cfg: GoldenTrigger;
  readonly calendar: GoldenCalendar | null;
}

export interface TriggerAnswer {
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

export type AnsweredTriggerRow = TriggerCase & TriggerAnswer;
export type TriggerRow = TriggerCase & (TriggerAnswer | { readonly err: string });

export interface CodeRow {
  readonly op: 'setMisfireInstruction';
  readonly id: string;
  readonly kind: GoldenTrigger['type'];
  readonly instruction: number;
  readonly ok: boolean;
}

export interface MisfireRow extends TriggerCase {
  readonly op: 'updateAfterMisfire' | 'updateWithNewCalendar';
  readonly instruction: number;
  readonly now: number;
  readonly misfireThreshold?: number;
  readonly fired: number;
  readonly before: GoldenState;
  readonly after: GoldenState;
  readonly mayFireAgain: boolean;
  readonly then: readonly (number | null)[];
  readonly finally: GoldenState;
}

/** Rows of a file of `test/golden`. */
export function goldenRows<Row>(file: string): readonly Row[] {
  const text = readFileSync(join(__dirname, '../golden', file), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
}

/** Fire times after `after`, in order; a null at the end if there are no more. */
export function chainOfCron(
  { expr, tz, after }: { readonly expr: string; readonly tz: string; readonly after: number },
  count: number,
  rules: Rules = 'quartz',
): (number | null)[] {
  const cron = cronExpressionOf(expr, tz, { lenient: true, rules });
  const times: (number | null)[] = [];
  for (let last: number | null = after; last !== null && times.length < count; times.push(last)) {
    last = cron.nextTimeAfter(last);
  }
  return times;
}

export function answerOfCron(row: CronRow, rules: Rules): unknown {
  switch (row.kind) {
    case 'next':
      return chainOfCron(row, row.next.length, rules);
    case 'hang':
      return chainOfCron(row, row.before.length, rules);
    case 'satisfied':
      return cronExpressionOf(row.expr, row.tz, { lenient: true, rules }).isSatisfiedBy(row.at);
    case 'invalidAfter':
      return cronExpressionOf(row.expr, row.tz, { lenient: true, rules }).nextInvalidTimeAfter(row.after);
    default:
      return CronExpression.isValidExpression(row.expr, { lenient: true, rules });
  }
}

export const calendarOfRow = (row: CalendarRow, rules: Rules = 'quartz') =>
  calendarFromGolden(row.cal, row.defaultTz ?? 'UTC', rules) as Calendar;

/** Returns the answer, or 'refused'. */
export function orRefused<T>(answer: () => T): T | 'refused' {
  try {
    return answer();
  } catch {
    return 'refused';
  }
}

export function answerOfCalendar(row: CalendarRow, rules: Rules): unknown {
  const calendar = orRefused(() => calendarOfRow(row, rules));
  if (row.kind === 'construct' || calendar === 'refused') return calendar !== 'refused';
  return [orRefused(() => calendar.isIncluded(row.at)), orRefused(() => calendar.nextIncludedTime(row.at) ?? 0)];
}

/** All answers to a row; `fires` as many as the row has. */
export function answerOfTrigger(row: AnsweredTriggerRow, rules: Rules = 'quartz'): TriggerAnswer {
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
    valid: orRefused(() => validateTrigger(fresh)) !== 'refused',
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

export function answerOfMisfire(row: MisfireRow, rules: Rules = 'quartz') {
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
