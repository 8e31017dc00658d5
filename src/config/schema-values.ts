import { z } from 'zod';
import { SchedulerError } from '../base/errors';
import { timeZoneNames } from '../base/nearest-name';
import type { UrlProblem } from '../base/url-error';
import { CATCH_UP_LIMITS, checkCatchUp } from '../domain/catch-up-policy';
import { isWellFormed } from '../domain/check-text';
import { checkConcurrency, MAX_KEY } from '../domain/concurrency-limit';
import { checkHistory } from '../domain/execution-policy';
import { checkOverlap } from '../domain/overlap';
import { checkLabels, checkPreference, LABEL_LIMITS } from '../domain/placement';
import { checkRate } from '../domain/rate-limit';
import { parseRetryPolicy } from '../domain/retry-policy';
import { RUN_OUTCOMES } from '../domain/run';
import { checkSpread, SPREAD_LIMITS } from '../domain/spread-policy';
import { parseDuration } from '../domain/time/duration';
import { timeZoneIn } from '../domain/time/time-zone';
import { parseTimeLimit } from '../domain/time-limit';
import type { ClassAliases } from './quartz-names';
import { onOneLine } from './source-document';

/** Schema of a whole number within bounds, also as a string, because `.properties` files and environment variables contain only strings. */
export function wholeNumber(minimum: number, maximum: number) {
  return z.preprocess(fromText(/^[+-]?\d{1,15}$/, Number), z.int().min(minimum).max(maximum));
}

/** Schema of a boolean. Also accepts the strings `true` and `false`, in upper or lower case. */
export function flag() {
  return z.preprocess(
    fromText(/^(true|false)$/i, (value) => value.toLowerCase() === 'true'),
    z.boolean(),
  );
}

/** Schema of a string of 1 to `maximum` characters in well-formed Unicode. A number is converted to a string, as in a `.properties` file. */
export function text(maximum: number) {
  const whole = z.string().min(1).max(maximum).refine(isWellFormed, { error: 'well-formed Unicode' });
  return z.preprocess((value) => (typeof value === 'number' ? String(value) : value), whole);
}

/** Schema of a string that matches `form`. `expected` describes the string in messages and documents. */
export function textLike(form: RegExp, expected: string) {
  return z.string({ error: expected }).regex(form, { error: expected }).meta({ expected });
}

/** Schema of a database URL. `problemOf` checks the whole string and describes its problem without credentials. */
export function urlLike(problemOf: (text: string) => UrlProblem | null, expected: string) {
  const check = (value: string, context: z.RefinementCtx) => {
    const problem = problemOf(value);
    if (problem !== null)
      context.addIssue({ code: 'custom', message: problem.expected, params: { found: problem.found } });
  };
  return z.string({ error: expected }).min(1, { error: expected }).max(4_096).superRefine(check).meta({ expected });
}

/** Schema of a time zone: an IANA name or an offset. */
export function timeZone() {
  const expected = "an IANA time zone such as 'Europe/Berlin' or 'UTC', or an offset such as 'GMT+08:00'";
  const isKnown = (name: string) => timeZoneIn(name) !== null;
  return z
    .string({ error: expected })
    .refine(isKnown, { error: expected, params: { names: timeZoneNames } })
    .meta({ expected });
}

/** Schema of a list of at least one string. Also accepts one string, which is split at commas. */
export function textList() {
  return z.preprocess(splitAtCommas, z.array(z.string().min(1).max(4_096)).min(1));
}

/** Splits a string at commas. Returns any other value unchanged. */
export function splitAtCommas(value: unknown): unknown {
  return typeof value === 'string' ? value.split(',').map((each) => each.trim()) : value;
}

/** Schema of a built-in class name: one of the keys of `aliases`. */
export function nameOf<Aliases extends ClassAliases>(aliases: Aliases) {
  return z.enum(Object.keys(aliases) as [keyof Aliases & string, ...(keyof Aliases & string)[]]);
}

/** Matches strings that may be durations. `parseDuration` then checks them completely. */
const DURATION_FORM = /^(P[\dT].*|\d[\d.]*(ms|s|m|h|d).*|\d{1,15})$/;

/** Schema of a duration from `min` milliseconds to the duration `max`, given in milliseconds or as a string. */
export function duration(max: string, min = 0) {
  const maximum = parseDuration(max);
  const expected = `milliseconds, or a duration such as 90s, PT5M or P30D, of at most ${max}`;
  const read = (value: number | string) => {
    if (typeof value === 'number') return value;
    return /^\d+$/.test(value) ? Number(value) : Math.round(parseDuration(value));
  };
  return z
    .union([z.int({ error: expected }).min(min, { error: expected }), textLike(DURATION_FORM, expected)])
    .transform(read)
    .refine((value) => value >= min && value <= maximum, { error: expected })
    .meta({ expected, typescript: 'DurationLike' });
}

const RETRY =
  'R5/PT5M (five retries, five minutes apart), a list of delays, a number of retries, { max, delay, factor, jitter, maxAge, calendar }, or false';

/** Overrides only the message for a wrong type. Problems within a list or map keep their own messages. */
const retryForm = ({ code }: { readonly code?: string | undefined }) => (code === 'invalid_type' ? RETRY : undefined);

/** Schema of a retry policy in any of its forms. Here and below, messages name `owner`, such as a job. */
export function retryPolicy(owner: string) {
  const pause = duration('366d');
  const parts = {
    max: z.int({ error: 'a whole number' }).min(0).max(1_000),
    delay: pause.optional(),
    factor: z.number().min(1).max(100).optional(),
    jitter: z.number().min(0).max(1).optional(),
    maxAge: pause.optional(),
    calendar: z.enum(['follow', 'ignore']).optional(),
  };
  const forms = [
    textLike(/^R\d+\/P.*$/, RETRY),
    z.int({ error: retryForm }).min(0).max(1_000),
    z.literal(false, { error: RETRY }),
    z.array(pause, { error: retryForm }).min(1).max(100),
    z.strictObject(parts, { error: retryForm }),
  ] as const;
  return z
    .union(forms)
    .transform((written, context) => parsed(() => parseRetryPolicy(written, owner), context))
    .meta({ expected: RETRY, typescript: 'RetryOptions' });
}

/** Calls `read` and returns its result. If it throws a SchedulerError, adds an issue with the expected value. */
function parsed<Value>(read: () => Value, context: z.RefinementCtx): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SchedulerError)) throw error;
    const [, message, found = ''] = /^Expected (.*), found (.*)$/s.exec(error.message) ?? [];
    context.addIssue({
      code: 'custom',
      message: message ?? `another value (${error.message.replace(/\.$/, '')})`,
      ...(message !== undefined && { params: { found: onOneLine(found.replace(/\.$/, '')) } }),
    });
    return z.NEVER;
  }
}

const MODE = "'all' | 'failures' | 'none' | boolean";
const HISTORY = 'all, failures or none (true means all, false means none)';

/** Schema of the runs to record: `all`, `failures`, `none`, or a boolean. */
export function history() {
  return z
    .union([z.enum(['all', 'failures', 'none'], { error: HISTORY }), z.boolean({ error: HISTORY })])
    .transform((written) => checkHistory(written, ''))
    .meta({ expected: HISTORY, typescript: MODE });
}

export function clockChanges() {
  return z.enum(['quartz', 'natural']);
}

export function historyOfGroups() {
  return z
    .record(z.string().min(1).max(190), readFromTexts(history()))
    .meta({ expected: `${HISTORY}, for each job group`, typescript: `Readonly<Record<string, ${MODE}>>` });
}

/** Schema of the retention by run outcome. No retention may exceed the duration `max`. */
export function durationOfOutcomes(max: string) {
  const names = RUN_OUTCOMES.map((outcome) => `${outcome}?: number | string`).join('; ');
  return z.partialRecord(z.enum(RUN_OUTCOMES), duration(max, 1)).meta({
    expected: `a duration of at most ${max} for each outcome of a run`,
    typescript: `{ readonly ${names.replaceAll('; ', '; readonly ')} }`,
  });
}

/** Schema of the maximum number of concurrent runs by job group. Each limit is from `min` to 10,000. */
export function groupLimits(min: number) {
  const limit = wholeNumber(min, 10_000);
  const expected = `a whole number from ${min} to 10,000 for each job group`;
  return z
    .record(z.string().min(1).max(190), limit, { error: expected })
    .meta({ expected, typescript: `Readonly<Record<string, number | \`\${number}\`>>` });
}

const CONCURRENCY = 'a whole number from 1 to 10,000, or { key, limit }';

export function concurrency(owner: string) {
  const limit = z.int({ error: CONCURRENCY }).min(1).max(10_000);
  return z
    .union([limit, z.strictObject({ key: z.string().min(1).max(MAX_KEY), limit }, { error: CONCURRENCY })])
    .transform((written, context) => parsed(() => checkConcurrency(written, owner), context))
    .meta({ expected: CONCURRENCY, typescript: 'number | ConcurrencyLimit' });
}

const RATE = '{ limit, per }, with a key and a burst if needed';

/** Schema of a rate limit: the maximum number of runs with the same key that may start within a period. */
export function rate(owner: string) {
  const count = z.int({ error: RATE }).min(1).max(10_000);
  const key = z.string().min(1).max(MAX_KEY).optional();
  const per = z.union([z.string(), z.number()], { error: RATE });
  return z
    .strictObject({ key, limit: count, per, burst: count.optional() }, { error: RATE })
    .transform((written, context) => parsed(() => checkRate(written, owner), context))
    .meta({ expected: RATE, typescript: 'RateLimit' });
}

const LABELS = 'a label, or a list of at most 20';

/** Schema of required node labels, all of which a node must have to run the job. */
export function labels(owner: string) {
  const label = z.string().min(1).max(LABEL_LIMITS.characters);
  return z
    .union([label, z.array(label).max(LABEL_LIMITS.ofPolicy)], { error: LABELS })
    .transform((written, context) => parsed(() => checkLabels(written, owner), context))
    .meta({ expected: LABELS, typescript: 'LabelsLike' });
}

/** Schema of a node's own labels: a list, or one string that is split at commas. */
export function labelsOfNode() {
  const expected = 'a list of at most 50 labels';
  const list = z
    .array(text(LABEL_LIMITS.characters), { error: expected })
    .max(LABEL_LIMITS.ofNode, { error: expected });
  return z.preprocess(splitAtCommas, list).meta({ expected, typescript: 'string | readonly string[]' });
}

const PREFERENCE = 'a label, a list of labels, or { labels, fallbackAfter }';

export function preference(owner: string) {
  const label = z.string().min(1).max(LABEL_LIMITS.characters);
  const list = z.array(label).max(LABEL_LIMITS.ofPolicy);
  const named = z.strictObject({ labels: z.union([label, list]), fallbackAfter: duration('1d').optional() });
  return z
    .union([label, list, named], { error: PREFERENCE })
    .transform((written, context) => parsed(() => checkPreference(written, owner), context))
    .meta({ expected: PREFERENCE, typescript: 'PreferenceOptions' });
}

const OVERLAP = 'allow, skip, queueOne, cancelRunning or { queueAll }';

/** Schema of the overlap policy, which applies if a trigger fires while an earlier run of its job is executing. */
export function overlap(owner: string) {
  const queueAll = z.int({ error: OVERLAP }).min(1).max(1_000);
  return z
    .union([
      z.enum(['allow', 'skip', 'queueOne', 'cancelRunning'], { error: OVERLAP }),
      z.strictObject({ queueAll }, { error: OVERLAP }),
    ])
    .transform((written, context) => parsed(() => checkOverlap(written, owner), context))
    .meta({ expected: OVERLAP, typescript: 'OverlapRule' });
}

const TIME_LIMIT = 'a duration such as 30s or PT5M, or { after, grace, deadline } with after or deadline';

export function timeLimit(owner: string) {
  const time = duration('366d');
  return z
    .union([
      time,
      z.strictObject(
        { after: time.optional(), grace: time.optional(), deadline: time.optional() },
        { error: TIME_LIMIT },
      ),
    ])
    .transform((written, context) => parsed(() => parseTimeLimit(written, owner), context))
    .meta({ expected: TIME_LIMIT, typescript: 'TimeLimitOptions' });
}

const CATCH_UP = '{ max, window, pace }';

export function catchUp(owner: string) {
  const parts = {
    max: z.int({ error: 'a whole number' }).min(1).max(CATCH_UP_LIMITS.max).optional(),
    window: duration('366d', 1).optional(),
    pace: duration('366d').optional(),
  };
  return z
    .strictObject(parts, { error: CATCH_UP })
    .transform((written, context) => parsed(() => checkCatchUp(written, owner), context))
    .meta({ expected: CATCH_UP, typescript: 'CatchUpOptions' });
}

const SPREAD = '{ shards, params }, or broadcast';

/** Schema of the field that runs an occurrence as several parts: as shards, or as a broadcast to all nodes. */
export function spread(owner: string) {
  const parts = {
    shards: z.int({ error: 'a whole number' }).min(1).max(SPREAD_LIMITS.shards),
    params: z.array(z.unknown()).optional(),
  };
  return z
    .union([z.literal('broadcast', { error: SPREAD }), z.strictObject(parts, { error: SPREAD })])
    .transform((written, context) => parsed(() => checkSpread(written, owner), context))
    .meta({ expected: SPREAD, typescript: 'SpreadPolicy' });
}

/** Converts strings, the only values of `.properties` files and environment variables, to numbers, booleans (also in maps) and lists for `schema`. */
export function readFromTexts<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => {
    if (typeof value === 'string' && value.includes(',')) return splitAtCommas(value);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return plainValue(value);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plainValue(each)]));
  }, schema);
}

function plainValue(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (/^\d{1,15}(\.\d{1,15})?$/.test(value.trim())) return Number(value);
  return { true: true, false: false }[value.trim()] ?? value;
}

function fromText<Value>(form: RegExp, read: (text: string) => Value) {
  return (value: unknown) => (typeof value === 'string' && form.test(value.trim()) ? read(value.trim()) : value);
}
