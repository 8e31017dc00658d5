import type { EpochMs } from '../base/clock';
import { invalidArgument } from './check-text';
import { checkKeyTemplate } from './concurrency-limit';
import { parseDuration } from './retry-policy';

/** How many firings that share a key may begin within a time, in the whole cluster, of whichever jobs. */
export interface RateLimit {
  /** The key, with places for what a firing has: `api-{data.host}`, `{job.group}`. Default: the job alone. */
  readonly key?: string;
  /** A count of firings, 1 to 10,000: never more begin in any time of the length of `per`. */
  readonly limit: number;
  /** ISO-8601 (`PT1M`), short (`1m`) or milliseconds; from a second to 366 days. */
  readonly per: string | number;
  /** How many of them may begin at once, 1 to `limit`; the others are spread evenly over what is left of the limit. Default: 1. */
  readonly burst?: number;
}

/** A rate with everything said. */
export interface CheckedRate extends Required<RateLimit> {
  /** Milliseconds. */
  readonly per: number;
}

const MAX_LIMIT = 10_000;
/** Milliseconds. */
const LEAST_SPAN = 1_000;

/** A frozen copy of a rate. `owner`: whose it is, for messages. Throws INVALID_ARGUMENT. */
export function checkRate(given: unknown, owner: string): CheckedRate {
  const parts = typeof given === 'object' && given !== null ? (given as Readonly<Record<string, unknown>>) : {};
  const { key, limit, per, burst = 1, ...others } = parts;
  if (limit === undefined || per === undefined || Object.keys(others).length > 0) {
    throw invalidArgument(`{ key, limit, per, burst } as the rate of ${owner}`, given);
  }
  const span = parseDuration(per, `per of the rate of ${owner}`);
  if (span < LEAST_SPAN) throw invalidArgument(`a duration of at least 1 second as per of the rate of ${owner}`, per);
  const most = checkCount(limit, `the limit of the rate of ${owner}`, MAX_LIMIT);
  const atOnce = checkCount(burst, `the burst of the rate of ${owner}`, most);
  return Object.freeze({ key: checkKeyTemplate(key, `the rate of ${owner}`), limit: most, per: span, burst: atOnce });
}

function checkCount(count: unknown, what: string, most: number): number {
  if (typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= most) return count;
  throw invalidArgument(`a whole number from 1 to ${most} as ${what}`, count);
}

/** What of a rate says when the next firing may begin. */
export type RateRule = Pick<CheckedRate, 'limit' | 'per' | 'burst'>;

/** When one firing begins, and what is kept of its key afterwards. */
export interface RateSlot {
  readonly at: EpochMs;
  /** When the one after it would begin if all were spread evenly. In microseconds, as many slots may fall in a millisecond. */
  readonly next: number;
}

/** In a millisecond. */
const MICROS = 1_000;
/** Milliseconds. */
const LONGEST_MOMENT = 1_000;

/**
 * How late a firing may begin in its slot, in milliseconds: a tenth of the span, at most a second. Slots are that much further apart, so
 * that the limit holds for what begins, and not only for slots.
 */
export function momentOf({ per }: Pick<RateRule, 'per'>): number {
  return Math.min(LONGEST_MOMENT, Math.floor(per / 10));
}

/** Between two firings that are spread evenly. Microseconds. */
export function spacingOf(rule: RateRule): number {
  return Math.ceil(((rule.per + momentOf(rule)) * MICROS) / (rule.limit - rule.burst + 1));
}

/**
 * The first free slot of a key of which `next` is kept (null: nothing), not before `now`. Virtual scheduling: with a spacing of
 * (per + moment) / (limit - burst + 1), no more than `limit` slots lie in any time of the length per + moment.
 */
export function takeSlot(rule: RateRule, next: number | null, now: EpochMs): RateSlot {
  const spacing = spacingOf(rule);
  const arrival = Math.max(next ?? 0, now * MICROS);
  const at = Math.max(now, Math.ceil((arrival - (rule.burst - 1) * spacing) / MICROS));
  return { at, next: arrival + spacing };
}

/** What is kept of a key says nothing any more when it lies before this. `next` of a slot, with room for clocks that differ. */
export function idleRatesBefore(now: EpochMs): number {
  return (now - CLOCKS_DIFFER_MS) * MICROS;
}

const CLOCKS_DIFFER_MS = 60_000;
