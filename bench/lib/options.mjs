import { parseArgs } from 'node:util';

/** Something in the command is wrong. */
export class UsageError extends Error {}

/** Options of every workload, and of those on a database. Each value is a default, a type without one, or a list whose first value is the default. */
const COMMON = { rounds: 3, json: false };
const DATABASE = {
  store: ['mysql', 'sqlite'],
  url: String,
  flavour: ['mariadb', 'mysql'],
  threads: 25,
  batch: Number,
};

/** `own`: the workload's options, in the same form. Numbers are numbers. An absent option without a default is undefined. */
export function options(args, own) {
  const known = Object.entries({ ...COMMON, ...own });
  const types = known.map(([name, kind]) => [name, { type: typeof kind === 'boolean' ? 'boolean' : 'string' }]);
  const set = { type: 'string', multiple: true, default: [] };
  const { values } = parseArgs({ args, options: { ...Object.fromEntries(types), set } });
  return {
    ...Object.fromEntries(known.map(([name, kind]) => [name, read(name, values[name], kind)])),
    set: values.set,
  };
}

/** Options of a workload on a database. */
export const databaseOptions = (args, own) => options(args, { ...DATABASE, ...own });

function read(name, text, kind) {
  if (text === undefined) return defaultOf(kind);
  if (Array.isArray(kind)) {
    if (kind.includes(text)) return text;
    throw new UsageError(`--${name} ${text}: expected ${kind.join(' or ')}.`);
  }
  if (kind !== Number && typeof kind !== 'number') return text;
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0) return number;
  throw new UsageError(`--${name} ${text}: expected a whole number.`);
}

function defaultOf(kind) {
  if (Array.isArray(kind)) return kind[0];
  return typeof kind === 'function' ? undefined : kind;
}

/** `key=value` arguments of a node, as the Java harness takes them, too. */
export function settings(args) {
  const values = Object.fromEntries(
    args.map((arg) => [arg.slice(0, arg.indexOf('=')), arg.slice(arg.indexOf('=') + 1)]),
  );
  return {
    text: (key, fallback) => values[key] ?? fallback,
    number: (key, fallback) => Number(values[key] ?? fallback),
    /** Those whose key begins with `prefix`, without it. */
    beginning: (prefix) =>
      Object.entries(values).flatMap(([key, value]) =>
        key.startsWith(prefix) ? [[key.slice(prefix.length), value]] : [],
      ),
  };
}

/** The other way round; leaves out what is undefined. */
export function argumentsOf(values) {
  return Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`]));
}
