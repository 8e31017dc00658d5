import { enumerate, stepOf, valueWords } from './value-words';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Fewer fire times a day than this are listed, even if they are equally far apart. */
const ALWAYS_LISTED = 3;
/** Maximum number of fire times that are listed. */
const MAX_LISTED = 8;
/** Maximum number of intervals such as "from 14:00 to 14:55". */
const MAX_INTERVALS = 3;

/** Returns the times of the day, such as "At 12:00", "Every 5 minutes from 14:00 to 14:55", "At minutes 0 and 45 of every hour". */
export function timeWords(seconds: readonly number[], minutes: readonly number[], hours: readonly number[]): string {
  const count = seconds.length * minutes.length * hours.length;
  const times = hours.flatMap((hour) =>
    minutes.flatMap((minute) => seconds.map((second) => hour * HOUR + minute * MINUTE + second)),
  );
  const listed = () => `At ${enumerate(times.map((time) => clockText(time, times)))}`;
  if (count <= ALWAYS_LISTED) return listed();
  return intervalWords(times) ?? (count <= MAX_LISTED ? listed() : fieldWords(seconds, minutes, hours));
}

/** Returns null if the times do not form a few intervals with one step. */
function intervalWords(times: readonly number[]): string | null {
  const [first = 0, second = 0] = times;
  const step = second - first;
  const intervals: [number, number][] = [[first, first]];
  for (const time of times.slice(1)) {
    const open = intervals.at(-1) as [number, number];
    if (time === open[1] + step) open[1] = time;
    else if (time - open[1] < step || intervals.push([time, time]) > MAX_INTERVALS) return null;
  }
  const every = `Every ${stepWords(step)}`;
  if (first === 0 && DAY % step === 0 && intervals[0]?.[1] === DAY - step) return every;
  const isEveryUnit = (step === HOUR || step === MINUTE) && times.length * step === DAY;
  if (isEveryUnit || intervals.some(([from, to]) => from === to)) return null;
  const text = (time: number) => clockText(time, times);
  return `${every} ${enumerate(intervals.map(([from, to]) => `from ${text(from)} to ${text(to)}`))}`;
}

function stepWords(step: number): string {
  if (step % HOUR === 0) return countWords(step / HOUR, 'hour');
  return step % MINUTE === 0 ? countWords(step / MINUTE, 'minute') : countWords(step, 'second');
}

function countWords(count: number, noun: string): string {
  return count === 1 ? noun : `${count} ${noun}s`;
}

/** Returns HH:MM, or HH:MM:SS if one of the times has seconds. */
function clockText(time: number, times: readonly number[]): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const text = `${two(Math.floor(time / HOUR))}:${two(Math.floor(time / MINUTE) % 60)}`;
  return times.every((each) => each % MINUTE === 0) ? text : `${text}:${two(time % MINUTE)}`;
}

/** Describes the fields one by one, the smallest unit first. */
function fieldWords(seconds: readonly number[], minutes: readonly number[], hours: readonly number[]): string {
  const ofHours = hours.length === 24 ? 'every hour' : valueWords('hour', hours);
  if (seconds.length === 1 && seconds[0] === 0) return `${begin('minute', minutes)} of ${ofHours}`;
  const start = begin('second', seconds);
  if (minutes.length < 60) return `${start} of ${valueWords('minute', minutes)} of ${ofHours}`;
  return hours.length === 24 ? `${start} of every minute` : `${start} of every minute of ${ofHours}`;
}

/** Returns "Every 5 minutes" for values that go on evenly from one unit to the next, else "At minutes 0 and 45". */
function begin(noun: string, values: readonly number[]): string {
  const step = stepOf(values);
  const isEven = step !== null && values[0] === 0 && step * values.length === 60;
  return isEven ? `Every ${countWords(step, noun)}` : `At ${valueWords(noun, values)}`;
}
