import fc from 'fast-check';

/** `SEED=… npm run test:property` repeats a run; fast-check prints the seed of a failure. */
export const settings = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) };

interface FieldShape {
  readonly min: number;
  readonly max: number;
  readonly maxStep: number;
  readonly names?: readonly string[];
}

const SIXTY: FieldShape = { min: 0, max: 59, maxStep: 59 };
const HOUR: FieldShape = { min: 0, max: 23, maxStep: 23 };
const DAY_OF_MONTH: FieldShape = { min: 1, max: 31, maxStep: 31 };
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const MONTH: FieldShape = { min: 1, max: 12, maxStep: 12, names: MONTHS };
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const DAY_OF_WEEK: FieldShape = { min: 1, max: 7, maxStep: 7, names: DAYS };

/** A field as text, with the values that it means, computed without the code under test. */
export interface Field {
  readonly text: string;
  readonly values: ReadonlySet<number>;
}

function every(from: number, to: number, { min, max }: FieldShape, step = 1): number[] {
  const size = max - min + 1;
  const values = [];
  for (let value = from; value <= (to < from ? to + size : to); value += step)
    values.push(((value - min) % size) + min);
  return values;
}

function item(shape: FieldShape): fc.Arbitrary<{ text: string; values: number[] }> {
  const { min, max, maxStep, names } = shape;
  const value = fc.integer({ min, max });
  const step = fc.integer({ min: 1, max: maxStep });
  const nameOf = (number: number) => names?.[number - min] as string;
  const numeric = [
    value.map((a) => ({ text: `${a}`, values: [a] })),
    fc.tuple(value, step).map(([a, n]) => ({ text: `${a}/${n}`, values: every(a, max, shape, n) })),
    step.map((n) => ({ text: `*/${n}`, values: every(min, max, shape, n) })),
    step.map((n) => ({ text: `/${n}`, values: every(min, max, shape, n) })),
    fc.tuple(value, value).map(([a, b]) => ({ text: `${a}-${b}`, values: every(a, b, shape) })),
    fc.tuple(value, value, step).map(([a, b, n]) => ({ text: `${a}-${b}/${n}`, values: every(a, b, shape, n) })),
  ];
  const named = [
    value.map((a) => ({ text: nameOf(a), values: [a] })),
    fc.tuple(value, value).map(([a, b]) => ({ text: `${nameOf(a)}-${nameOf(b)}`, values: every(a, b, shape) })),
  ];
  return fc.oneof(...numeric, ...(names === undefined ? [] : named));
}

function field(shape: FieldShape): fc.Arbitrary<Field> {
  const all = { text: '*', values: new Set(every(shape.min, shape.max, shape)) };
  const list = fc.array(item(shape), { minLength: 1, maxLength: 3 }).map((items) => ({
    text: items.map(({ text }) => text).join(','),
    values: new Set(items.flatMap(({ values }) => values)),
  }));
  // Half of all fields match any value, so that many expressions fire often, even around clock changes.
  return fc.oneof(fc.constant(all), list);
}

/** Date that a day rule is checked against: year, month 1-12 and day. */
export interface CivilDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

export interface Days {
  readonly dayOfMonth: string;
  readonly dayOfWeek: string;
  readonly matches: (date: CivilDate) => boolean;
}

const at = ({ year, month }: CivilDate, day: number) => new Date(Date.UTC(year, month - 1, day));
const lengthOf = (date: CivilDate) => new Date(Date.UTC(date.year, date.month, 0)).getUTCDate();
/** Day of the week; 1 is Sunday. */
const weekday = (date: CivilDate) => at(date, date.day).getUTCDay() + 1;

/** Working day nearest to `day`, which must exist in the month. */
function nearestWeekday(date: CivilDate, day: number): number {
  const weekdays = Array.from({ length: lengthOf(date) }, (_, i) => i + 1).filter((other) => {
    const dayOfWeek = at(date, other).getUTCDay();
    return dayOfWeek !== 0 && dayOfWeek !== 6;
  });
  return weekdays.reduce((best, other) => (Math.abs(other - day) < Math.abs(best - day) ? other : best));
}

const ofMonth = (text: string, matches: Days['matches']): Days => ({ dayOfMonth: text, dayOfWeek: '?', matches });
const ofWeek = (text: string, matches: Days['matches']): Days => ({ dayOfMonth: '?', dayOfWeek: text, matches });
const dayNumber = fc.integer({ min: 1, max: 7 });

const days: fc.Arbitrary<Days> = fc.oneof(
  field(DAY_OF_MONTH).map(({ text, values }) => ofMonth(text, ({ day }) => values.has(day))),
  field(DAY_OF_WEEK).map(({ text, values }) => ofWeek(text, (date) => values.has(weekday(date)))),
  fc
    .integer({ min: 0, max: 27 })
    .map((n) => ofMonth(n === 0 ? 'L' : `L-${n}`, (date) => date.day === lengthOf(date) - n)),
  fc
    .integer({ min: 0, max: 27 })
    .map((n) => ofMonth(n === 0 ? 'LW' : `L-${n}W`, (date) => date.day === nearestWeekday(date, lengthOf(date) - n))),
  fc.integer({ min: 1, max: 28 }).map((n) => ofMonth(`${n}W`, (date) => date.day === nearestWeekday(date, n))),
  dayNumber.map((n) => ofWeek(`${n}L`, (date) => weekday(date) === n && date.day + 7 > lengthOf(date))),
  fc
    .tuple(dayNumber, fc.integer({ min: 1, max: 5 }))
    .map(([n, k]) => ofWeek(`${DAYS[n - 1]}#${k}`, (date) => weekday(date) === n && Math.ceil(date.day / 7) === k)),
);

/** A strict expression together with the meaning of its fields. */
export interface Specimen {
  readonly text: string;
  readonly seconds: ReadonlySet<number>;
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly days: Days;
}

/** Expressions of the strict grammar without years, which always have further fire times. */
export const specimens: fc.Arbitrary<Specimen> = fc
  .record({ second: field(SIXTY), minute: field(SIXTY), hour: field(HOUR), days, month: field(MONTH) })
  .map(({ second, minute, hour, days, month }) => ({
    text: [second.text, minute.text, hour.text, days.dayOfMonth, month.text, days.dayOfWeek].join(' '),
    seconds: second.values,
    minutes: minute.values,
    hours: hour.values,
    months: month.values,
    days,
  }))
  .filter(({ text }) => text.length <= 120);

/**
 * Zones whose clocks go forward by whole hours, on the hour, with one change in each direction. In other zones the search of
 * Quartz may skip a fire time shortly after a gap (as recorded in the golden rows of Lord Howe and St. John's), so these laws
 * do not hold there.
 */
const CHANGES = [
  ['America/New_York', '2024-03-10T07:00:00Z'],
  ['America/New_York', '2024-11-03T06:00:00Z'],
  ['Europe/Berlin', '2024-03-31T01:00:00Z'],
  ['Europe/Berlin', '2024-10-27T01:00:00Z'],
  ['America/Sao_Paulo', '2018-11-04T03:00:00Z'],
  ['America/Sao_Paulo', '2018-02-18T02:00:00Z'],
] as const;

/** Whole seconds from 1990 to 2060. */
export const instants: fc.Arbitrary<number> = fc
  .integer({ min: Date.UTC(1990, 0, 1) / 1000, max: Date.UTC(2060, 0, 1) / 1000 })
  .map((second) => second * 1000);

/** A zone and an instant; half of the instants are within four hours of a clock change. */
export const moments: fc.Arbitrary<{ readonly timeZone: string; readonly after: number }> = fc.oneof(
  fc.record({
    timeZone: fc.constantFrom('UTC', 'America/New_York', 'Europe/Berlin', 'America/Sao_Paulo', 'Asia/Kathmandu'),
    after: instants,
  }),
  fc
    .tuple(fc.constantFrom(...CHANGES), fc.integer({ min: -14_400, max: 14_400 }))
    .map(([[timeZone, change], seconds]) => ({ timeZone, after: Date.parse(change) + seconds * 1000 })),
);
