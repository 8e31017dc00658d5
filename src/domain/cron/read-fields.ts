import { minOf } from '../../base/lists';
import { CRON_FIELDS, type CronField, type CronFields, DAY_OF_MONTH, DAY_OF_WEEK, FIELDS } from './cron-fields';
import { CronSyntaxError } from './cron-syntax-error';
import type { DayRule } from './day-rules';
import { type CronText, splitFields, splitItems } from './split-cron';

const EVERY_YEAR: CronText = { text: '*', position: 0 };

/** Quartz's markers. A field with ANY matches all values. If a day field contains NONE (`?`), the other day field determines the days. */
const ANY = 99;
const NONE = 98;

/** A field as Quartz parses it: its values, and the meaning of the letters `L`, `W` and `#`. */
interface FieldReading {
  readonly values: ReadonlySet<number>;
  /** Rules for `L` and `W` in day-of-month. */
  readonly specialDays: readonly DayRule[];
  /** True for `nL` in day-of-week. */
  readonly lastDayOfWeek: boolean;
  /** The k of `n#k` in day-of-week; null if there is no `#`. */
  readonly nth: number | null;
}

/** Parses an expression as Quartz 2.3.2 does. Ignores fields after the seventh. Throws CronSyntaxError if Quartz rejects the expression. */
export function readAsQuartz(expression: string, texts: readonly CronText[] = splitFields(expression)): CronFields {
  const refuse = (index: number, problem: string): never => {
    const field = FIELDS[index]?.name ?? null;
    throw new CronSyntaxError({ expression, field, position: texts[index]?.position ?? expression.length, problem });
  };
  if (texts.length < 6) refuse(-1, `expected 6 or 7 fields, found ${texts.length}.`);
  const readings = FIELDS.map((field, index) => readField(texts[index] ?? EVERY_YEAR, field, expression));
  const valuesOf = (index: number): readonly number[] => {
    const values = datesWithin(readings[index] as FieldReading, FIELDS[index] as CronField);
    return values.length > 0 ? values : refuse(index, 'selects no value.');
  };
  return {
    seconds: valuesOf(0),
    minutes: valuesOf(1),
    hours: valuesOf(2),
    days: dayRule(readings, valuesOf) ?? refuse(DAY_OF_WEEK, "expected '?' in exactly one of the two day fields."),
    months: valuesOf(4),
    years: datesWithin(readings[6] as FieldReading, CRON_FIELDS.year),
  };
}

/** Returns the values within the field's range. Omits marker values and values outside the range. */
function datesWithin({ values }: FieldReading, { min, max }: CronField): number[] {
  return [...values].filter((value) => value >= min && value <= max).sort((a, b) => a - b);
}

/** Returns the rule of the day field that is not `?`. Null if both fields or neither of them is `?`. */
function dayRule(readings: readonly FieldReading[], valuesOf: (index: number) => readonly number[]): DayRule | null {
  const month = readings[DAY_OF_MONTH] as FieldReading;
  const week = readings[DAY_OF_WEEK] as FieldReading;
  const usesMonth = !month.values.has(NONE);
  if (usesMonth === !week.values.has(NONE)) return null;
  if (usesMonth) return dayOfMonthRule(month) ?? { kind: 'daysOfMonth', days: valuesOf(DAY_OF_MONTH) };
  return dayOfWeekRule(week) ?? { kind: 'daysOfWeek', days: valuesOf(DAY_OF_WEEK) };
}

/** Returns null for a field without `L` and `W`. As in Quartz since 2.4, a list matches the days that at least one item matches. */
function dayOfMonthRule(reading: FieldReading): DayRule | null {
  const { specialDays } = reading;
  const days = datesWithin(reading, CRON_FIELDS.dayOfMonth);
  const rules: DayRule[] = days.length === 0 ? [...specialDays] : [{ kind: 'daysOfMonth', days }, ...specialDays];
  return rules.length > 1 ? { kind: 'anyOf', rules } : (specialDays[0] ?? null);
}

/** Returns null for a field without `L` and `#`. As in Quartz, `#` uses only the smallest value of a list: 0 means Saturday, above 7 never fires. */
function dayOfWeekRule({ values, lastDayOfWeek, nth }: FieldReading): DayRule | null {
  const day = (minOf(values) ?? Number.POSITIVE_INFINITY) || 7;
  if (lastDayOfWeek) return { kind: 'lastDayOfWeek', day };
  if (nth === null) return null;
  return day > 7 ? { kind: 'daysOfWeek', days: [] } : { kind: 'nthDayOfWeek', day, nth };
}

/**
 * Parses one field with everything that Quartz 2.3.2 tolerates: extra text after most numbers and names, empty items, out-of-range markers, and steps
 * of 0. Lists with `L` and `W` in day-of-month follow Quartz 2.4. Returns at most a few thousand values, however large the numbers in the text are.
 */
function readField(text: CronText, field: CronField, expression: string): FieldReading {
  refuseLists(text, field, expression);
  const values = new Set<number>();
  const specialDays: DayRule[] = [];
  let letters: Pick<FieldReading, 'lastDayOfWeek' | 'nth'> = { lastDayOfWeek: false, nth: null };
  for (const item of splitItems(text)) {
    const { values: found, specialDay, ...flags } = new ItemReader(item, field, expression).read();
    for (const value of found) values.add(value);
    if (specialDay !== undefined) specialDays.push(specialDay);
    letters = { ...letters, ...flags };
  }
  return { values, specialDays, ...letters };
}

function refuseLists({ text, position }: CronText, { name }: CronField, expression: string): void {
  if (name !== 'day-of-week') return;
  const refuse = (problem: string): never => {
    throw new CronSyntaxError({ expression, field: name, position, problem });
  };
  if (text.includes('L') && text.includes(',')) refuse("'L' is not allowed in a list.");
  if (text.split('#').length > 2) refuse("only one '#' is allowed.");
}

interface ItemReading extends Partial<Pick<FieldReading, 'lastDayOfWeek' | 'nth'>> {
  readonly values: readonly number[];
  readonly specialDay?: DayRule;
}

class ItemReader {
  readonly #item: CronText;
  readonly #text: string;
  readonly #field: CronField;
  readonly #expression: string;

  constructor(item: CronText, field: CronField, expression: string) {
    this.#item = item;
    this.#text = item.text;
    this.#field = field;
    this.#expression = expression;
  }

  read(): ItemReading {
    if (/^L(?:W|-\d*W?)?$/.test(this.#text)) return this.#last();
    if (/^[A-Z]/.test(this.#text)) return this.#name();
    if (this.#text.startsWith('?')) return this.#question();
    if (/^[*/]/.test(this.#text)) return this.#every();
    if (/^\d/.test(this.#text)) return this.#number();
    return this.#refuse(`'${this.#text}' begins with an unexpected character.`);
  }

  /** Parses `L`. Outside the two day fields, `L` has no value, and Quartz then rejects the field as empty. */
  #last(): ItemReading {
    if (this.#field.name === 'day-of-week') return { values: [7] };
    if (this.#field.name !== 'day-of-month') return { values: [] };
    const [, offset = '-0', weekday] = /^L(-\d*)?(W)?$/.exec(this.#text) ?? [];
    if (offset === '-' && weekday === undefined) this.#refuse("'L-' needs a number of days.");
    const days = this.#integer(offset.slice(1));
    if (days > 30) this.#refuse(`'${this.#text}' is more than 30 days before the last day.`);
    return { values: [], specialDay: { kind: 'lastDay', offset: days, nearestWeekday: weekday !== undefined } };
  }

  /** Parses NAME, NAME-NAME, NAME#k or NAMEL, and ignores any further text. */
  #name(): ItemReading {
    const from = this.#named(this.#text.slice(0, 3));
    const rest = this.#text.slice(3);
    if (rest.startsWith('-')) return this.#values(from, this.#named(rest.slice(1, 4)), 1);
    if (this.#field.name !== 'day-of-week') return { values: [from] };
    if (rest.startsWith('#')) return this.#nth(from, rest.slice(1));
    return rest.startsWith('L') ? { values: [from], lastDayOfWeek: true } : { values: [from] };
  }

  #named(name: string): number {
    const { names, min } = this.#field;
    const index = names.indexOf(name);
    if (index >= 0) return index + min;
    return this.#refuse(
      names.length === 0 ? `'${name}' is not a number.` : `expected one of ${names.join(', ')}, found '${name}'.`,
    );
  }

  #question(): ItemReading {
    if (this.#text.length > 2) this.#refuse("nothing may follow '?'.");
    if (!this.#isDayField) this.#refuse("'?' is only allowed in day-of-month and day-of-week.");
    return { values: [NONE] };
  }

  /** Parses `*`, optionally with a step, or `/n`. Ignores any other text after `*`. */
  #every(): ItemReading {
    const [, step] = /^\*?\/(.*)$/s.exec(this.#text) ?? [];
    if (step === undefined) return this.#values(ANY, null, 1);
    if (!/^[+-]?\d+$/.test(step)) this.#refuse("'/' must be followed by a number.");
    return this.#values(ANY, null, this.#step(step));
  }

  #number(): ItemReading {
    const [, digits = '', rest = ''] = /^(\d+)(.*)$/s.exec(this.#text) ?? [];
    const value = this.#integer(digits);
    switch (rest[0]) {
      case 'L':
        return this.#lastDayOfWeek(value);
      case 'W':
        return this.#nearestWeekday(value);
      case '#':
        if (this.#field.name !== 'day-of-week') this.#refuse("'#' is only allowed in day-of-week.");
        return this.#nth(value, rest.slice(1));
      case '-':
        return this.#range(value, rest.slice(1));
      case '/':
        return this.#stepped(value, rest.slice(1));
      default:
        return this.#values(value, null, 0);
    }
  }

  #lastDayOfWeek(day: number): ItemReading {
    if (this.#field.name !== 'day-of-week') this.#refuse("a number with 'L' is only allowed in day-of-week.");
    if (day < 1 || day > 7) this.#refuse(`expected a day of the week, 1-7, found ${day}.`);
    return { values: [day], lastDayOfWeek: true };
  }

  #nearestWeekday(day: number): ItemReading {
    if (this.#field.name !== 'day-of-month') this.#refuse("'W' is only allowed in day-of-month.");
    if (day > 31) this.#refuse(`expected a day of the month, 1-31, found ${day}.`);
    return { values: [], specialDay: { kind: 'nearestWeekday', day } };
  }

  #nth(day: number, nth: string): ItemReading {
    if (!/^\+?0*[1-5]$/.test(nth)) this.#refuse("'#' must be followed by a number from 1 to 5.");
    return { values: [day], nth: Number(nth) };
  }

  #range(from: number, rest: string): ItemReading {
    const [, to, slash, step] = /^(\d+)(\/)?(\d+)?/.exec(rest) ?? [];
    if (to === undefined) return this.#refuse("'-' must be followed by a number.");
    if (slash === undefined) return this.#values(from, this.#integer(to), 1);
    if (step === undefined) return this.#refuse("'/' must be followed by a number.");
    return this.#values(from, this.#integer(to), this.#integer(step));
  }

  #stepped(from: number, rest: string): ItemReading {
    const [, step = '', junk = ''] = /^(\d*)(.*)$/s.exec(rest) ?? [];
    if (step === '') this.#refuse("'/' must be followed by a number.");
    if (step.length === 1 && junk !== '') this.#refuse(`'${junk}' cannot follow a step.`);
    return this.#values(from, null, this.#step(step));
  }

  #step(digits: string): number {
    const step = this.#integer(digits);
    if (step > this.#field.maxStep) this.#refuse(`the step ${step} is larger than ${this.#field.maxStep}.`);
    return step;
  }

  /** Returns every `step`-th value from `from` to `to`. If `to` is null, the field's maximum is used. A step of 0 returns only `from`. */
  #values(from: number, to: number | null, step: number): ItemReading {
    this.#checkRange(from, to);
    if (from !== ANY && step === 0) return { values: [from] };
    const { name, min, max } = this.#field;
    const start = from === ANY ? min : from;
    const end = to ?? max;
    const stride = Math.max(1, step);
    // Omits larger values, which are never used, so that the list stays short even for huge numbers.
    if (end >= start) return { values: sequence(start, Math.min(end, Math.max(max, ANY)), stride) };

    if (name === 'year') {
      this.#refuse(
        to === null ? `${start} is after the last year, ${max}.` : `the years ${start}-${end} run backwards.`,
      );
    }
    const size = name === 'day-of-month' ? 31 : max - min + 1;
    const wrap = (value: number) => (value % size === 0 && min === 1 ? size : value % size);
    return { values: sequence(start, end + size, stride).map(wrap) };
  }

  #checkRange(from: number, to: number | null): void {
    const { name, min, max } = this.#field;
    if (name === 'year' || from === ANY || (from === NONE && this.#isDayField)) return;
    const wrong = from < min || from > max ? from : to !== null && to > max ? to : null;
    if (wrong !== null) this.#refuse(`${wrong} is out of range; expected ${min}-${max}.`);
  }

  get #isDayField(): boolean {
    return this.#field.name === 'day-of-month' || this.#field.name === 'day-of-week';
  }

  /** Parses a 32-bit integer, as Java does. Throws CronSyntaxError if it is too large. */
  #integer(digits: string): number {
    const value = Number(digits);
    return value <= 2_147_483_647 ? value : this.#refuse(`the number ${digits} is too large.`);
  }

  #refuse(problem: string): never {
    const { position } = this.#item;
    throw new CronSyntaxError({ expression: this.#expression, field: this.#field.name, position, problem });
  }
}

function sequence(start: number, end: number, step: number): number[] {
  const values = [];
  for (let value = start; value <= end; value += step) values.push(value);
  return values;
}
