/** Joins with commas and "and". */
export function enumerate(items: readonly string[]): string {
  const last = items.at(-1) ?? '';
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} and ${last}`;
}

/** Runs of consecutive values, and single values. A run of two counts as two single values. */
export function runsOf(values: readonly number[]): (readonly [number, number])[] {
  const runs: [number, number][] = [];
  for (const value of values) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] === value - 1) run[1] = value;
    else runs.push([value, value]);
  }
  return runs.flatMap(([from, to]): [number, number][] =>
    to === from + 1
      ? [
          [from, from],
          [to, to],
        ]
      : [[from, to]],
  );
}

/** Returns the values of runs, such as "1 to 5, 7 and 9". */
export function runWords(values: readonly number[], nameOf: (value: number) => string = String): string {
  return enumerate(
    runsOf(values).map(([from, to]) => (from === to ? nameOf(from) : `${nameOf(from)} to ${nameOf(to)}`)),
  );
}

/** Returns the step of values that are equally far apart. Null if they are not, or if there are fewer than `atLeast`. */
export function stepOf(values: readonly number[], atLeast = 2): number | null {
  const [first, second] = values;
  if (first === undefined || second === undefined || values.length < atLeast) return null;
  const step = second - first;
  return values.every((value, index) => value === first + index * step) ? step : null;
}

const MIN_PROGRESSION = 5;

/** Returns values with their noun: "minute 5", "minutes 0, 5 and 10 to 20", or "every 7th minute from 3 to 59". */
export function valueWords(noun: string, values: readonly number[]): string {
  if (values.length === 1) return `${noun} ${values[0]}`;
  const step = stepOf(values, MIN_PROGRESSION);
  if (step !== null && step > 1) return `every ${ordinal(step)} ${noun} from ${values[0]} to ${values.at(-1)}`;
  return `${noun}s ${runWords(values)}`;
}

export function ordinal(number: number): string {
  const isTeen = Math.floor(number / 10) % 10 === 1;
  return `${number}${(isTeen ? undefined : ['th', 'st', 'nd', 'rd'][number % 10]) ?? 'th'}`;
}
