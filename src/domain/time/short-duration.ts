import { Duration } from 'luxon';

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

/** Parses a short duration, or an ISO-8601 duration such as `PT5M` or `P30D`, to milliseconds. Returns NaN for any other string. */
export function parseDurationText(text: string): number {
  if (!text.startsWith('P')) return parseShortDuration(text);
  return /\d/.test(text) ? Duration.fromISO(text).toMillis() : Number.NaN;
}

/** Formats a duration in milliseconds as hours, minutes and seconds, such as `PT1H30M`. Days are not used, because their length may vary. */
export function durationText(milliseconds: number): string {
  const hours = Math.floor(milliseconds / 3_600_000);
  const minutes = Math.floor((milliseconds % 3_600_000) / 60_000);
  const seconds = (milliseconds % 60_000) / 1_000;
  const parts = [hours > 0 ? `${hours}H` : '', minutes > 0 ? `${minutes}M` : '', seconds > 0 ? `${seconds}S` : ''];
  return `PT${parts.join('') || '0S'}`;
}
