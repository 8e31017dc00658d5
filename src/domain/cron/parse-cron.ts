import type { TriggerKey } from '../keys';
import { CRON_FIELDS, type CronField, type CronFields, DAY_OF_MONTH, DAY_OF_WEEK, FIELDS } from './cron-fields';
import { CronSyntaxError } from './cron-syntax-error';
import { formatFields } from './format-cron';
import { readAsQuartz } from './read-fields';
import { type CronText, splitFields } from './split-cron';
import { drawn, firstSpread, isSpread, NO_KEY, spreadProblem } from './spread';
import { toQuartzCron } from './unix-cron';

/*
 * Grammar of strict expressions. Contains only forms that Quartz interprets as written here, and omits forms that Quartz merely tolerates.
 *
 *     expression  second minute hour day-of-month month day-of-week [year]
 *     field       item {"," item} | special
 *     item        "*" | "*" "/" n | "/" n | a | a "/" n | a "-" b | a "-" b "/" n | NAME | NAME "-" NAME
 *                 | "L" | "L-" n | "LW" | "L-" n "W" | a "W"   in day-of-month
 *                 | "H" …                                    in all fields but the year; replaced before parsing (spread.ts)
 *     special     "?"                                          in exactly one of the two day fields
 *                 "L" | a "L" | NAME "L" | a "#" k | NAME "#" k   in day-of-week
 */

interface GrammarFault {
  /** Index of the invalid field; null if the error does not concern a single field. */
  readonly index: number | null;
  readonly position: number;
  readonly problem: string;
  readonly hint?: string;
}

/** Last year in Quartz's documented range. The scheduler never searches beyond MAX_YEAR. */
const LAST_YEAR = 2199;

/** Lenient: accepts all that Quartz 2.3.2 accepts, with its meaning. Strict: accepts only the documented grammar. Throws only CronSyntaxError. */
export function parseCron(expression: string, lenient: boolean): CronFields {
  const texts = splitFields(expression);
  const fault = lenient ? null : (findGrammarFault(expression, texts) ?? keylessFault(texts));
  if (fault === null) return readAsQuartz(expression, texts);
  throw syntaxError(expression, texts, fault);
}

/** Replaces each `H` in a strict expression by a value hashed from the key. Returns an expression without `H` unchanged. Throws CronSyntaxError. */
export function spreadCron(expression: string, key: TriggerKey): string {
  const texts = splitFields(expression);
  if (firstSpread(texts) < 0) return expression;
  const fault = findGrammarFault(expression, texts);
  if (fault !== null) throw syntaxError(expression, texts, fault);
  return texts.map(({ text }, index) => drawn(text, FIELDS[index] as CronField, key)).join(' ');
}

function syntaxError(expression: string, texts: readonly CronText[], fault: GrammarFault): CronSyntaxError {
  const { index, position, problem } = fault;
  const hint = fault.hint ?? (index === null ? undefined : quartzMeaning(expression, texts, index));
  const field = index === null ? null : (FIELDS[index] as CronField).name;
  return new CronSyntaxError({ expression, field, position, problem, ...(hint === undefined ? {} : { hint }) });
}

function keylessFault(texts: readonly CronText[]): GrammarFault | null {
  const index = firstSpread(texts);
  return index < 0 ? null : { index, position: texts[index]?.position ?? 0, ...NO_KEY };
}

/** Describes how Quartz interprets a field that the strict grammar rejects. Undefined if Quartz rejects the expression. */
function quartzMeaning(expression: string, texts: readonly CronText[], index: number): string | undefined {
  try {
    const meaning = formatFields(readAsQuartz(expression, texts))[index];
    if (meaning === '') return 'Quartz accepts it, but it never fires.';
    return `Quartz reads it as '${meaning}': write that.`;
  } catch {
    return undefined; // Quartz rejects it too
  }
}

function findGrammarFault(expression: string, texts: readonly CronText[]): GrammarFault | null {
  return countFault(expression, texts) ?? firstFieldFault(texts) ?? questionFault(texts);
}

function countFault(expression: string, texts: readonly CronText[]): GrammarFault | null {
  if (texts.length === 6 || texts.length === 7) return null;
  const found = `expected 6 or 7 fields, found ${texts.length}`;
  const extra = texts[7];
  if (extra !== undefined) {
    const hint = `Quartz ignores everything from '${extra.text}' on: remove it.`;
    return { index: null, position: extra.position, problem: `${found}.`, hint };
  }
  const hint = unixHint(expression, texts) ?? "Examples: '0 0/5 * * * ?', '0 0 12 ? * MON-FRI'.";
  const problem = `${found}: second minute hour day-of-month month day-of-week [year].`;
  return { index: null, position: 0, problem, hint };
}

/** Returns a hint if the expression looks like crontab: five fields, or a name such as `@daily`. Null otherwise. */
function unixHint(expression: string, texts: readonly CronText[]): string | null {
  if (texts.length !== 5 && !texts[0]?.text.startsWith('@')) return null;
  const dialect = "This looks like crontab: set dialect to 'unix'";
  try {
    return `${dialect}, or write '${toQuartzCron(expression)}'.`;
  } catch {
    return `${dialect}.`; // also invalid in crontab; the unix dialect reports its own error
  }
}

function firstFieldFault(texts: readonly CronText[]): GrammarFault | null {
  for (const [index, { text, position }] of texts.entries()) {
    const field = FIELDS[index] as CronField;
    if (isSpecial(text, field)) {
      const problem = specialProblem(text, field);
      if (problem !== null) return { index, position, problem, ...zeroHint(text, field) };
      continue;
    }
    let offset = position;
    for (const item of text.split(',')) {
      const isSpecialDay = field.name === 'day-of-month' && isSpecial(item, field) && item !== '?';
      const problem = isSpecialDay ? specialProblem(item, field) : itemProblem(item, field);
      if (problem !== null) return { index, position: offset, problem, ...zeroHint(text, field) };
      offset += item.length + 1;
    }
  }
  return null;
}

/** Returns a hint for day of the week 0, which is Sunday in crontab and invalid in Quartz. */
function zeroHint(text: string, { name }: CronField): Pick<GrammarFault, 'hint'> {
  const named = name === 'day-of-week' && /(^|[,-])0(\D|$)/.test(text) ? withDayNames(text, CRONTAB_DAYS) : null;
  return named === null ? {} : { hint: `Crontab counts from 0 = Sunday, Quartz from 1 = Sunday: write '${named}'.` };
}

/** Names of the days of the week, by Quartz number and by crontab number. */
const QUARTZ_DAYS: readonly string[] = ['', ...CRON_FIELDS.dayOfWeek.names];
const CRONTAB_DAYS: readonly string[] = [...CRON_FIELDS.dayOfWeek.names, 'SUN'];

/** Replaces the day numbers of a field by names. Null if the field contains no day numbers, or contains a step, which cannot follow a name. */
function withDayNames(text: string, names: readonly string[]): string | null {
  const named = text.replace(/(^|[,-])(\d)(?!\d)/g, (_, before, day) => `${before}${names[Number(day)] ?? day}`);
  return named === text || text.includes('/') ? null : named;
}

/** Returns an error unless exactly one of the two day fields is `?`, because Quartz uses only one of them. */
function questionFault(texts: readonly CronText[]): GrammarFault | null {
  const month = texts[DAY_OF_MONTH]?.text;
  const week = texts[DAY_OF_WEEK]?.text;
  if ((month === '?') !== (week === '?')) return null;
  const problem = "expected '?' in exactly one of day-of-month and day-of-week.";
  return { index: DAY_OF_WEEK, position: texts[DAY_OF_WEEK]?.position ?? 0, problem, hint: questionHint(texts) };
}

function questionHint(texts: readonly CronText[]): string {
  const write = (index: number, text: string) =>
    `Write '${texts.map((field, at) => (at === index ? text : field.text)).join(' ')}'.`;
  if (texts[DAY_OF_WEEK]?.text === '?') return write(DAY_OF_MONTH, '*');
  if (texts[DAY_OF_WEEK]?.text === '*') return write(DAY_OF_WEEK, '?');
  if (texts[DAY_OF_MONTH]?.text === '*') return dayOfWeekHint(texts);
  return 'Use two triggers, one for each day field.';
}

/** Offers the expression in Quartz's and in crontab's numbering of days, because many users expect crontab's. */
function dayOfWeekHint(texts: readonly CronText[]): string {
  const days = texts[DAY_OF_WEEK]?.text ?? '';
  const write = (week: string) =>
    `'${texts.map(({ text }, at) => (at === DAY_OF_MONTH ? '?' : at === DAY_OF_WEEK ? week : text)).join(' ')}'`;
  const here = withDayNames(days, QUARTZ_DAYS);
  const inCrontab = withDayNames(days, CRONTAB_DAYS);
  if (here === null || inCrontab === null) return `Write ${write(days)}.`;
  return `Quartz counts from 1 = Sunday: write ${write(here)}, or ${write(inCrontab)} if you mean the days of crontab.`;
}

const LAST_DAY = /^L(?:-(\d+))?W?$/;
const NEAREST_WEEKDAY = /^(\d+)W$/;
const LAST_DAY_OF_WEEK = /^(\d+|[A-Z]{3})L$/;
const NTH_DAY_OF_WEEK = /^(\d+|[A-Z]{3})#(\d+)$/;

function isSpecial(text: string, { name }: CronField): boolean {
  if (name === 'day-of-month') return text === '?' || LAST_DAY.test(text) || NEAREST_WEEKDAY.test(text);
  if (name !== 'day-of-week') return false;
  return text === '?' || text === 'L' || LAST_DAY_OF_WEEK.test(text) || NTH_DAY_OF_WEEK.test(text);
}

function specialProblem(text: string, field: CronField): string | null {
  const offset = LAST_DAY.exec(text)?.[1];
  if (offset !== undefined && Number(offset) > 30) return `'${text}' is more than 30 days before the last day.`;
  const nth = NTH_DAY_OF_WEEK.exec(text)?.[2];
  if (nth !== undefined && (Number(nth) < 1 || Number(nth) > 5))
    return `'${text}': expected a number from 1 to 5 after '#'.`;
  const day = (NEAREST_WEEKDAY.exec(text) ?? LAST_DAY_OF_WEEK.exec(text) ?? NTH_DAY_OF_WEEK.exec(text))?.[1];
  return day === undefined ? null : valueProblem(day, field);
}

function itemProblem(item: string, field: CronField): string | null {
  if (isSpread(item)) return spreadProblem(item, field, true);
  const every = /^(?:\*|\*?\/(\d+))$/.exec(item);
  if (every !== null) return stepProblem(every[1], field);
  const numbers = /^(\d+)(?:-(\d+))?(?:\/(\d+))?$/.exec(item);
  const names = field.names.length === 0 ? null : /^([A-Z]{3})(?:-([A-Z]{3}))?$/.exec(item);
  const [, from, to, step] = numbers ?? names ?? [];
  if (from === undefined) return strangeProblem(item, field);
  return (
    valueProblem(from, field) ?? (to === undefined ? null : endProblem(from, to, field)) ?? stepProblem(step, field)
  );
}

function valueProblem(value: string, { name, min, max, names }: CronField): string | null {
  if (/^[A-Z]/.test(value))
    return names.includes(value) ? null : `expected one of ${names.join(', ')}, found '${value}'.`;
  const last = name === 'year' ? LAST_YEAR : max;
  return Number(value) >= min && Number(value) <= last ? null : `${value} is out of range; expected ${min}-${last}.`;
}

/** Returns the problem with the end of a range, or null. Ranges may wrap around (22-2, FRI-MON), except in the year. */
function endProblem(from: string, to: string, field: CronField): string | null {
  const wraps = field.name === 'year' && Number(to) < Number(from);
  return wraps ? `the years ${from}-${to} run backwards.` : valueProblem(to, field);
}

function stepProblem(step: string | undefined, { maxStep, name }: CronField): string | null {
  if (step === undefined || (Number(step) >= 1 && Number(step) <= maxStep)) return null;
  return `the step ${step} is out of range; expected ${name === 'year' ? 'at least 1' : `1-${maxStep}`}.`;
}

const RANGE_OF_TWO_KINDS = /^(?:\d+-[A-Z]|[A-Z]+-\d)/;
const MISPLACED_SPECIAL = /[?#]|^L(?:W|-\d+W?)?$|(?:\d|[A-Z]{3})[LW]$/;

function strangeProblem(item: string, field: CronField): string {
  const beginsWithName = field.names.includes(item.slice(0, 3));
  if (item === '') return 'expected a value, found an empty item.';
  if (beginsWithName && /^[A-Z-]+\//.test(item)) return `'${item}': a name cannot have a step.`;
  if (beginsWithName && /^[A-Z]+$/.test(item) && !MISPLACED_SPECIAL.test(item))
    return `'${item}': a name has three letters, as in ${field.names[0]}.`;
  if (RANGE_OF_TWO_KINDS.test(item)) return `'${item}': expected a range of two numbers or of two names.`;
  if (MISPLACED_SPECIAL.test(item)) return `'${item}' is not allowed here: ${placeOf(item)}.`;
  return `expected ${expectation(field)}, found '${item}'.`;
}

function placeOf(item: string): string {
  if (item.includes('?')) return "'?' is used alone, in day-of-month or day-of-week";
  if (item.includes('#')) return "'#' is used in day-of-week, in a single item such as FRI#3";
  if (item.includes('W')) return "'W' is used in day-of-month, in items such as 15W or LW";
  return "'L' is used in day-of-month, as in L or L-3, and in day-of-week as a single item, as in FRIL";
}

function expectation({ name, min, max, names }: CronField): string {
  const values = `${min}-${name === 'year' ? LAST_YEAR : max}${names.length === 0 ? '' : ` or ${names[0]}-${names.at(-1)}`}`;
  return `*, numbers ${values}, ranges a-b, steps */n, a/n, a-b/n, or a list of these`;
}
