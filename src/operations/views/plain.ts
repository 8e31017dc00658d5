import { maskText, maskValue } from '../../base/secrets';

/** Converts a date to an ISO-8601 string. An invalid date becomes an invalid string, so that its row is reported as unreadable. */
export function instantOf(date: Date): string;
export function instantOf(date: Date | null): string | null;
export function instantOf(date: Date | null): string | null {
  if (date === null) return null;
  return Number.isNaN(date.getTime()) ? 'an invalid time' : date.toISOString();
}

/** Converts epoch milliseconds as `instantOf` does. */
export function instantAt(time: number): string;
export function instantAt(time: number | null): string | null;
export function instantAt(time: number | null): string | null {
  return time === null ? null : instantOf(new Date(time));
}

/** Masks secrets in an output, except the metrics of a run, which are numbers that the job publishes, such as `tokens: 1200`. */
export function maskOutput(output: unknown): unknown {
  const masked = maskValue(output);
  const { metrics } = Object(output) as { readonly metrics?: unknown };
  if (metrics === undefined) return masked;
  const shown = Object.entries(Object(metrics)).map(([name, value]) => [maskText(name), value]);
  return { ...Object(masked), metrics: Object.fromEntries(shown) };
}
