import { DAY_MS } from '../../base/clock';
import { invalidArgument } from '../check-text';

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const WHOLE = /^(\d+(\.\d+)?(ms|s|m|h|d))+$/;
const PIECE = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;

/** Parses a short duration such as `250ms`, `30s`, `1.5h`, `1h30m` or `2d` (24 hours each) to milliseconds. Returns NaN for any other string. */
export function parseShortDuration(text: string): number {
  if (!WHOLE.test(text)) return Number.NaN;
  return [...text.matchAll(PIECE)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * UNITS[unit as keyof typeof UNITS],
    0,
  );
}

/** Parts of an ISO-8601 duration. Hours, minutes and seconds are milliseconds. */
interface IsoDuration {
  readonly years: number;
  readonly months: number;
  readonly weeks: number;
  readonly days: number;
  readonly milliseconds: number;
}

const AMOUNT = String.raw`(-?\d{1,20}(?:[.,]\d{1,20})?)`;
const ISO = new RegExp(
  `^(-)?P(?:${AMOUNT}Y)?(?:${AMOUNT}M)?(?:${AMOUNT}W)?(?:${AMOUNT}D)?(?:T(?:${AMOUNT}H)?(?:${AMOUNT}M)?(?:${AMOUNT}S)?)?$`,
);

/** Parses an ISO-8601 duration such as `P1DT2H` or `-PT5M`. Returns null for any other string. */
export function parseIsoDuration(text: string): IsoDuration | null {
  const found = ISO.exec(text);
  if (found === null) return null;
  const [sign, ...amounts] = found.slice(1);
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = amounts.map(
    (amount = '0') => Number(`${sign ?? ''}1`) * Number(amount.replace(',', '.')),
  );
  const milliseconds = hours * UNITS.h + minutes * UNITS.m + Math.trunc(Math.round(seconds * 1e6) / 1_000);
  return { years, months, weeks, days, milliseconds };
}

/** Parses a short duration, or an ISO-8601 duration such as `PT5M` or `P30D`, to milliseconds. Returns NaN for any other string. */
export function parseDuration(text: string): number {
  if (!text.startsWith('P')) return parseShortDuration(text);
  const duration = /\d/.test(text) ? parseIsoDuration(text) : null;
  if (duration === null) return Number.NaN;
  const { years, months, weeks, days, milliseconds } = duration;
  return (years * 365 + months * 30 + weeks * 7 + days) * UNITS.d + milliseconds;
}

/** Longest delay of a policy, in milliseconds. */
export const MAX_DELAY_MS = 366 * DAY_MS;

/** Returns a delay of 0 to 366 days in milliseconds. `what` describes it in error messages. Throws INVALID_ARGUMENT. */
export function checkDelay(delay: unknown, what: string): number {
  const milliseconds = typeof delay === 'string' ? parseDuration(delay) : delay;
  const isFine = typeof milliseconds === 'number' && milliseconds >= 0 && milliseconds <= MAX_DELAY_MS;
  if (isFine) return Math.round(milliseconds);
  throw invalidArgument(`a duration of at most 366 days (PT5M, 5m or milliseconds) as ${what}`, delay);
}

/** Formats a duration in milliseconds as hours, minutes and seconds, such as `PT1H30M`. Days are not used, because their length may vary. */
export function durationText(milliseconds: number): string {
  const hours = Math.floor(milliseconds / 3_600_000);
  const minutes = Math.floor((milliseconds % 3_600_000) / 60_000);
  const seconds = (milliseconds % 60_000) / 1_000;
  const parts = [hours > 0 ? `${hours}H` : '', minutes > 0 ? `${minutes}M` : '', seconds > 0 ? `${seconds}S` : ''];
  return `PT${parts.join('') || '0S'}`;
}
