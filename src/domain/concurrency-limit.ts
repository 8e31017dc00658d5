import { checkText, invalidArgument } from './check-text';

/** How many firings that share a key may execute at once, in the whole cluster, of whichever jobs. */
export interface ConcurrencyLimit {
  /** The key, with places for what a firing has: `customer-{data.id}`, `{job.group}`. */
  readonly key: string;
  /** A count of firings, 1 to 10,000. */
  readonly limit: number;
}

/** Of the job alone: what `disallowConcurrentExecution` is for the limit 1. */
export const KEY_OF_JOB = 'job {job.group}/{job.name}';

const MAX_LIMIT = 10_000;
/** Characters of a key, as of a name. */
export const MAX_KEY = 190;

/** A frozen copy of a limit: `{ key, limit }`, or a number for the job alone. `owner`: whose it is, for messages. Throws INVALID_ARGUMENT. */
export function checkConcurrency(given: unknown, owner: string): ConcurrencyLimit {
  const isNamed = typeof given === 'object' && given !== null;
  const { key, limit, ...others } = (isNamed ? given : { limit: given }) as Readonly<Record<string, unknown>>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw invalidArgument(`key and limit in the concurrency of ${owner}`, unknown);
  const template = checkKeyTemplate(key, `the concurrency of ${owner}`);
  if (typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) {
    return Object.freeze({ key: template, limit });
  }
  throw invalidArgument(`a whole number from 1 to ${MAX_LIMIT} as the concurrency limit of ${owner}`, limit);
}

/** A key with places; undefined: that of the job alone. `of`: what of, for messages. Throws INVALID_ARGUMENT. */
export function checkKeyTemplate(key: unknown, of: string): string {
  const template = checkText(key === undefined ? KEY_OF_JOB : key, `the key of ${of}`, MAX_KEY);
  const unknown = [...template.matchAll(PLACE)].find(([, path = '']) => !KNOWN_PLACE.test(path));
  if (unknown === undefined) return template;
  throw invalidArgument(
    `{data.…}, {job.name}, {job.group}, {trigger.name} or {trigger.group} in the key of ${of}`,
    unknown[0],
  );
}

/** A place in a key. */
export const PLACE = /\{([^{}]*)\}/g;
const KNOWN_PLACE = /^(data\..+|(job|trigger)\.(name|group))$/;
