import { refuseUndefined } from './check-options';
import { checkCount, checkText, invalidArgument, refuseOthers } from './check-text';

/** Limit on the number of firings with the same key that execute at the same time, across all jobs and nodes of the cluster. */
export interface ConcurrencyLimit {
  /** Key of the limit, with placeholders for fields of the firing: `customer-{data.id}`, `{job.group}`. */
  readonly key: string;
  /** Maximum number of concurrent firings, 1 to 10,000. */
  readonly limit: number;
}

/** Default key, which each job has for itself. With limit 1, the effect equals `disallowConcurrentExecution`. */
export const KEY_OF_JOB = 'job {job.group}/{job.name}';

const MAX_LIMIT = 10_000;
/** Maximum length of a key in characters, the same as for names. */
export const MAX_KEY = 190;

/** Accepts `{ key, limit }`, or a number that limits only the job itself. Returns a frozen copy. Throws INVALID_ARGUMENT. */
export function checkConcurrency(given: unknown, owner: string): ConcurrencyLimit {
  const isNamed = typeof given === 'object' && given !== null;
  const { key, limit, ...others } = (isNamed ? given : { limit: given }) as Readonly<Record<string, unknown>>;
  refuseOthers(others, `only key and limit in the concurrency of ${owner}`);
  if (isNamed) refuseUndefined(given, { key: 'a limit of each job for itself' } as object);
  const template = checkKeyTemplate(key, `the concurrency of ${owner}`);
  const max = checkCount(limit, `the concurrency limit of ${owner}`, MAX_LIMIT);
  return Object.freeze({ key: template, limit: max });
}

/** Validates a limit key with placeholders. Undefined means the default key, `KEY_OF_JOB`. `of`: owner in messages. Throws INVALID_ARGUMENT. */
export function checkKeyTemplate(key: unknown, of: string): string {
  const template = checkText(key === undefined ? KEY_OF_JOB : key, `the key of ${of}`, MAX_KEY);
  const unknown = [...template.matchAll(PLACE)].find(([, path = '']) => !KNOWN_PLACE.test(path));
  if (unknown === undefined) return template;
  throw invalidArgument(
    `{data.…}, {job.name}, {job.group}, {trigger.name} or {trigger.group} in the key of ${of}`,
    unknown[0],
  );
}

/** Matches a placeholder in a key, such as `{data.id}`. */
export const PLACE = /\{([^{}]*)\}/g;
const KNOWN_PLACE = /^(data\..+|(job|trigger)\.(name|group))$/;
