import type { CronField } from './cron-fields';
import { CronSyntaxError } from './cron-syntax-error';
import { type CronText, splitItems } from './split-cron';

/** Quartz's markers: a set with ANY matches all, a day field with NONE leaves the choice to the other day field. */
const ANY = 99;
export const NONE = 98;

/** What Quartz understands of one field: values and the flags that some letters set. */
export interface FieldReading {
  readonly values: Set<number>;
  /** `L`, `L-n` in day-of-month: n; otherwise null. */
  lastDayOffset: number | null;
  nearestWeekday: boolean;
  /** `nL` in day-of-week. */
  lastDayOfWeek: boolean;
  /** `n#k` in day-of-week: k; otherwise null. */
  nth: number | null;
}

/**
 * Reads one field as Quartz 2.3.2 does, with all that it tolerates: junk after most numbers and names, empty items,
 * out-of-range markers, steps of 0. Bounded: at most a few thousand values whatever the numbers. Throws CronSyntaxError.
 */
export function readField(text: CronText, field: CronField, expression: string): FieldReading {
  const reading = {
    values: new Set<number>(),
    lastDayOffset: null,
    nearestWeekday: false,
    lastDayOfWeek: false,
    nth: null,
  };
  refuseLists(text, field, expression);
  for (const item of splitItems(text)) new ItemReader(item, { field, reading, expression }).read();
  return reading;
}

function refuseLists({ text, position }: CronText, { name }: CronField, expression: string): void {
  if (name !== 'day-of-month' && name !== 'day-of-week') return;
  const refuse = (problem: string): never => {
    throw new CronSyntaxError({ expression, field: name, position, problem });
  };
  if (text.includes('L') && text.includes(',')) refuse("'L' cannot stand in a list.");
  if (name === 'day-of-week' && text.split('#').length > 2) refuse("only one '#' is possible.");
}

interface ItemContext {
  readonly field: CronField;
  readonly reading: FieldReading;
  readonly expression: string;
}

/** Reads one item of a list into the reading of its field. */
class ItemReader {
  readonly #item: CronText;
  readonly #text: string;
  readonly #field: CronField;
  readonly #reading: FieldReading;
  readonly #expression: string;

  constructor(item: CronText, { field, reading, expression }: ItemContext) {
    this.#item = item;
    this.#text = item.text;
    this.#field = field;
    this.#reading = reading;
    this.#expression = expression;
  }

  read(): void {
    if (/^L(?:W|-\d*W?)?$/.test(this.#text)) return this.#last();
    if (/^[A-Z]/.test(this.#text)) return this.#name();
    if (this.#text.startsWith('?')) return this.#question();
    if (/^[*/]/.test(this.#text)) return this.#every();
    if (/^\d/.test(this.#text)) return this.#number();
    this.#refuse(`'${this.#text}' begins with an unexpected character.`);
  }

  get #isDayField(): boolean {
    return this.#field.name === 'day-of-month' || this.#field.name === 'day-of-week';
  }

  /** `L` names nothing outside the two day fields; Quartz then finds the field empty. */
  #last(): void {
    if (this.#field.name === 'day-of-week') this.#reading.values.add(7);
    if (this.#field.name !== 'day-of-month') return;
    const [, offset, weekday] = /^L(-\d*)?(W)?$/.exec(this.#text) ?? [];
    if (offset === '-' && weekday === undefined) this.#refuse("'L-' needs a number of days.");
    const days = this.#integer(offset?.slice(1) || '0');
    if (days > 30) this.#refuse(`'${this.#text}' goes back more than 30 days.`);
    this.#reading.lastDayOffset = days;
    this.#reading.nearestWeekday = weekday !== undefined;
  }

  /** NAME, NAME-NAME, NAME#k or NAMEL; whatever else follows is ignored. */
  #name(): void {
    const from = this.#named(this.#text.slice(0, 3));
    const rest = this.#text.slice(3);
    if (rest.startsWith('-')) return this.#add(from, this.#named(rest.slice(1, 4)), 1);
    if (this.#field.name === 'day-of-week' && rest.startsWith('#')) this.#reading.nth = this.#nth(rest.slice(1));
    if (this.#field.name === 'day-of-week' && rest.startsWith('L')) this.#reading.lastDayOfWeek = true;
    this.#reading.values.add(from);
  }

  #named(name: string): number {
    const index = this.#field.names.indexOf(name);
    if (index < 0) {
      const { names } = this.#field;
      this.#refuse(names.length === 0 ? `'${name}' is not a number.` : `'${name}' is none of ${names.join(', ')}.`);
    }
    return index + this.#field.min;
  }

  #question(): void {
    if (this.#text.length > 2) this.#refuse("nothing may follow '?'.");
    if (!this.#isDayField) this.#refuse("'?' is only possible in day-of-month and day-of-week.");
    this.#reading.values.add(NONE);
  }

  /** `*`, or every n-th value; anything but a step after `*` is ignored. */
  #every(): void {
    const [, step] = /^\*?\/(.*)$/s.exec(this.#text) ?? [];
    if (step === undefined) return this.#add(ANY, null, 1);
    if (!/^[+-]?\d+$/.test(step)) this.#refuse("'/' must be followed by a number.");
    this.#add(ANY, null, Math.max(1, this.#step(step)));
  }

  #number(): void {
    const [, digits = '', rest = ''] = /^(\d+)(.*)$/s.exec(this.#text) ?? [];
    const value = this.#integer(digits);
    switch (rest[0]) {
      case 'L':
        return this.#lastDayOfWeek(value);
      case 'W':
        return this.#nearestWeekday(value);
      case '#':
        return this.#nthDayOfWeek(value, rest.slice(1));
      case '-':
        return this.#range(value, rest.slice(1));
      case '/':
        return this.#stepped(value, rest.slice(1));
      default:
        return this.#add(value, null, 0);
    }
  }

  #lastDayOfWeek(day: number): void {
    if (this.#field.name !== 'day-of-week') this.#refuse("a number with 'L' is only possible in day-of-week.");
    if (day < 1 || day > 7) this.#refuse(`${day} is no day of the week; expected 1-7.`);
    this.#reading.lastDayOfWeek = true;
    this.#reading.values.add(day);
  }

  #nearestWeekday(day: number): void {
    if (this.#field.name !== 'day-of-month') this.#refuse("'W' is only possible in day-of-month.");
    if (day > 31) this.#refuse(`${day} is no day of a month; expected 1-31.`);
    this.#reading.nearestWeekday = true;
    this.#reading.values.add(day);
  }

  #nthDayOfWeek(day: number, nth: string): void {
    if (this.#field.name !== 'day-of-week') this.#refuse("'#' is only possible in day-of-week.");
    this.#reading.nth = this.#nth(nth);
    this.#reading.values.add(day);
  }

  #nth(text: string): number {
    if (!/^\+?0*[1-5]$/.test(text)) this.#refuse("'#' must be followed by a number from 1 to 5.");
    return Number(text);
  }

  #range(from: number, rest: string): void {
    const [, to, slash, step] = /^(\d+)(\/)?(\d+)?/.exec(rest) ?? [];
    if (to === undefined) this.#refuse("'-' must be followed by a number.");
    if (slash !== undefined && step === undefined) this.#refuse("'/' must be followed by a number.");
    this.#add(from, this.#integer(to), slash === undefined ? 1 : this.#integer(step as string));
  }

  #stepped(from: number, rest: string): void {
    const [, step = '', junk = ''] = /^(\d*)(.*)$/s.exec(rest) ?? [];
    if (step === '') this.#refuse("'/' must be followed by a number.");
    if (step.length === 1 && junk !== '') this.#refuse(`'${junk}' cannot follow a step.`);
    this.#add(from, null, this.#step(step));
  }

  #step(digits: string): number {
    const step = this.#integer(digits);
    if (step > this.#field.maxStep) this.#refuse(`the step ${step} is larger than ${this.#field.maxStep}.`);
    return step;
  }

  /** Adds `from`, or every `step`-th value of a range; `to` is the field's maximum when null. A step of 0 is one value. */
  #add(from: number, to: number | null, step: number): void {
    this.#checkRange(from, to);
    const { values } = this.#reading;
    const { name, min, max } = this.#field;
    if (from !== ANY && step === 0) return void values.add(from);

    const start = from === ANY ? min : from;
    const end = to ?? max;
    if (end >= start) {
      // Beyond these bounds nothing is ever looked up, however large the number.
      for (let value = start; value <= Math.min(end, Math.max(max, ANY)); value += Math.max(1, step)) values.add(value);
      return;
    }
    if (name === 'year') this.#refuse(`${start} is after the year ${end}.`);
    const size = name === 'day-of-month' ? 31 : max - min + 1;
    for (let value = start; value <= end + size; value += step)
      values.add(value % size === 0 && min === 1 ? size : value % size);
  }

  #checkRange(from: number, to: number | null): void {
    const { name, min, max } = this.#field;
    if (name === 'year' || from === ANY || (from === NONE && this.#isDayField)) return;
    const wrong = from < min || from > max ? from : to !== null && to > max ? to : null;
    if (wrong !== null) this.#refuse(`${wrong} is out of range; expected ${min}-${max}.`);
  }

  /** A 32-bit number, as in Java. */
  #integer(digits: string): number {
    const value = Number(digits);
    if (value > 2_147_483_647) this.#refuse(`the number ${digits.slice(0, 20)} is too large.`);
    return value;
  }

  #refuse(problem: string): never {
    const { position } = this.#item;
    throw new CronSyntaxError({ expression: this.#expression, field: this.#field.name, position, problem });
  }
}
