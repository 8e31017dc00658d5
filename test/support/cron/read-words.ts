/** Parses the words of `describeCron`. It shares no code or table with `describeCron`. */
export interface WordsReading {
  /** Matching seconds of the day. */
  readonly times: ReadonlySet<number>;
  /** True if the words name the day, given as midnight UTC. */
  isDay(midnight: number): boolean;
}

const DAY_MS = 86_400_000;
const WEEK = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const NTH = ['first', 'second', 'third', 'fourth', 'fifth'];
const UNITS: Record<string, number> = { second: 1, minute: 60, hour: 3600 };
type Test = (midnight: number) => boolean;

export function readWords(words: string): WordsReading {
  const times = new Set<number>();
  const tests: Test[] = [];
  const [clock = '', ...rest] = partsOf(words);
  readClock(clock, times);
  for (const part of rest) tests.push(readPart(part));
  return { times, isDay: (midnight) => tests.every((test) => test(midnight)) };
}

/** A comma separates parts, and items of a list: items are of the kind of the part before them, or plain numbers. */
function partsOf(words: string): string[] {
  const parts: string[] = [];
  for (const text of words.split(', ')) {
    const before = parts.at(-1);
    const isItem = /^\d\d?(?!\d| days? before)/.test(text) || kindOf(text) === kindOf(before ?? '');
    if (before !== undefined && isItem) parts[parts.length - 1] = `${before}, ${text}`;
    else parts.push(text);
  }
  return parts;
}

function kindOf(text: string): string {
  if (/of the month|^on days? /.test(text)) return 'day of month';
  if (/\b\d{4}\b/.test(text)) return 'year';
  if (WEEK.some((day) => text.includes(day))) return 'day of week';
  return MONTHS.some((month) => text.includes(month)) ? 'month' : 'time';
}

function readClock(text: string, times: Set<number>): void {
  const intervals = /^Every (?:(\d+) )?(second|minute|hour)s?( from .*:.*)?$/.exec(text);
  if (intervals !== null) {
    const step = Number(intervals[1] ?? 1) * (UNITS[intervals[2] as string] as number);
    const windows = [...(intervals[3] ?? '').matchAll(/from ([\d:]+) to ([\d:]+)/g)];
    if (windows.length === 0) addSteps(times, 0, 86_399, step);
    for (const [, from = '', to = ''] of windows) addSteps(times, secondOf(from), secondOf(to), step);
    return;
  }
  if (/^At \d\d:/.test(text)) {
    for (const [clock] of text.matchAll(/\d\d:\d\d(?::\d\d)?/g)) times.add(secondOf(clock));
    return;
  }
  const sets = { second: [0], minute: range(0, 59), hour: range(0, 23) };
  for (const phrase of text.replace(/^(At|Every) /, (begin) => (begin === 'At ' ? '' : 'each ')).split(' of ')) {
    const unit = /second|minute|hour/.exec(phrase)?.[0] as keyof typeof sets;
    sets[unit] = numbersOf(phrase, unit === 'hour' ? 23 : 59);
  }
  for (const hour of sets.hour)
    for (const minute of sets.minute) for (const second of sets.second) times.add(hour * 3600 + minute * 60 + second);
}

function secondOf(clock: string): number {
  const [hour = 0, minute = 0, second = 0] = clock.split(':').map(Number);
  return hour * 3600 + minute * 60 + second;
}

function addSteps(times: Set<number>, from: number, to: number, step: number): void {
  for (let time = from; time <= to; time += step) times.add(time);
}

const range = (from: number, to: number, step = 1) => {
  const values: number[] = [];
  for (let value = from; value <= to; value += step) values.push(value);
  return values;
};

/** Numbers of "every minute", "each 5 minutes", "every 7th minute from 3 to 59", "minutes 0, 5 to 9 and 20". */
function numbersOf(phrase: string, max: number): number[] {
  const progression = /^every (\d+)\w\w \w+ from (\d+) to (\d+)$/.exec(phrase);
  if (progression !== null) return range(Number(progression[2]), Number(progression[3]), Number(progression[1]));
  const even = /^(?:each|every) (?:(\d+) )?\w+$/.exec(phrase);
  if (even !== null) return range(0, max, Number(even[1] ?? 1));
  return [...phrase.matchAll(/(\d+)(?: to (\d+))?/g)].flatMap(([, from, to]) =>
    range(Number(from), Number(to ?? from)),
  );
}

function readPart(part: string): Test {
  if (/\b\d{4}\b/.test(part)) return yearTest(part);
  if (/of the month/.test(part)) {
    const rules = part.split(/(?<=of the month) and /).map(dayTest);
    return (midnight) => rules.some((rule) => rule(midnight));
  }
  const names = WEEK.some((day) => part.includes(day)) ? WEEK : MONTHS;
  const isWeek = names === WEEK;
  const found = new Set<number>();
  for (const [, from = '', to = from] of part.matchAll(/([A-Z][a-z]+)(?: to ([A-Z][a-z]+))?/g)) {
    const last = names.indexOf(to);
    for (let at = names.indexOf(from); ; at = (at + 1) % names.length) {
      found.add(at);
      if (at === last) break;
    }
  }
  return (midnight) => found.has(isWeek ? new Date(midnight).getUTCDay() : new Date(midnight).getUTCMonth());
}

function yearTest(part: string): Test {
  const [, step = '1', from, to] = /^(?:every (\d+)\w\w year )?from (\d{4})(?: to (\d{4}))?$/.exec(part) ?? [];
  const years =
    from === undefined
      ? [...part.matchAll(/(\d{4})(?: to (\d{4}))?/g)].flatMap((found) =>
          range(Number(found[1]), Number(found[2] ?? found[1])),
        )
      : range(Number(from), Number(to ?? 9999), Number(step));
  const known = new Set(years);
  return (midnight) => known.has(new Date(midnight).getUTCFullYear());
}

function dayTest(rule: string): Test {
  const nth = /^on the (\w+) ([A-Z]\w+) of the month$/.exec(rule);
  if (nth !== null) return (midnight) => isNthDayOfWeek(midnight, nth[1] as string, WEEK.indexOf(nth[2] as string));
  const beforeLast = /(?:(\d+) days? before )?(?:the )?last (?:week)?day of the month$/.exec(rule);
  const isNearest = rule.includes('weekday');
  if (beforeLast !== null)
    return (midnight) => matchesDay(midnight, lastDay(midnight) - Number(beforeLast[1] ?? 0), isNearest);
  const days = numbersOf(rule.replace(/^on (the weekday nearest to )?/, '').replace(/ of the month$/, ''), 31);
  return (midnight) => days.some((day) => matchesDay(midnight, day, isNearest));
}

function lastDay(midnight: number): number {
  const date = new Date(midnight);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}

function isNthDayOfWeek(midnight: number, nth: string, dayOfWeek: number): boolean {
  const date = new Date(midnight);
  if (date.getUTCDay() !== dayOfWeek) return false;
  if (nth === 'last') return date.getUTCDate() + 7 > lastDay(midnight);
  return Math.ceil(date.getUTCDate() / 7) === NTH.indexOf(nth) + 1;
}

function matchesDay(midnight: number, day: number, isNearest: boolean): boolean {
  const date = new Date(midnight);
  if (!isNearest) return date.getUTCDate() === day;
  const month = (at: number) => new Date(at).getUTCMonth();
  const wanted = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), day);
  const [back, forward] = [new Date(wanted).getUTCDay() === 6, new Date(wanted).getUTCDay() === 0];
  let nearest = wanted + (back ? -DAY_MS : forward ? DAY_MS : 0);
  if (month(nearest) !== month(wanted)) nearest = wanted + (back ? 2 : -2) * DAY_MS;
  return nearest === midnight;
}
