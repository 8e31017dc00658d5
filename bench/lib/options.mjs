import { parseArgs } from 'node:util';

/** Of every workload on a database. Numbers are numbers; what is absent is undefined. */
const COMMON = {
  store: 'mysql',
  url: String,
  n: Number,
  nodes: 1,
  threads: 25,
  batch: Number,
  rounds: 3,
  set: [],
  'cpu-prof': String,
  'no-java': false,
  'no-floor': false,
  json: false,
  svg: String,
};

/** `own`: the workload's options with their defaults, or String or Number for one that has none. */
export function options(args, own = {}) {
  const known = { ...COMMON, ...own };
  const { values } = parseArgs({
    args,
    options: Object.fromEntries(
      Object.entries(known).map(([name, value]) => [
        name,
        { type: typeof value === 'boolean' ? 'boolean' : 'string', multiple: Array.isArray(value) },
      ]),
    ),
  });
  return Object.fromEntries(
    Object.entries(known).map(([name, fallback]) => [name, chosenValue(name, values[name], fallback)]),
  );
}

function chosenValue(name, text, fallback) {
  if (text === undefined) return typeof fallback === 'function' ? undefined : fallback;
  if (fallback !== Number && typeof fallback !== 'number') return text;
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0) return number;
  throw new Error(`--${name} ${text}: expected a whole number.`);
}
