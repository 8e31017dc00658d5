import { maskText, maskValue } from '../../base/secrets';

/** Converts a date to an ISO-8601 text. A time that no `Date` can hold becomes an invalid text, so that its row is reported as unreadable. */
export function instantOf(date: Date): string;
export function instantOf(date: Date | null): string | null;
export function instantOf(date: Date | null): string | null {
  if (date === null) return null;
  return Number.isNaN(date.getTime()) ? 'an invalid time' : date.toISOString();
}

/** Converts epoch milliseconds to an ISO-8601 text. */
export function instantAt(time: number): string {
  return instantOf(new Date(time));
}

/** Returns the total of a list. */
export function totalOf(total: { readonly count: number; readonly isExact: boolean } | null) {
  return total && { count: total.count, isExact: total.isExact };
}

/** Masks the secrets of an output, for every interface. The metrics of a run are numbers that its job publishes, so `tokens: 1200` is kept. */
export function maskOutput(output: unknown): unknown {
  const masked = maskValue(output);
  const { metrics } = Object(output) as { readonly metrics?: unknown };
  if (metrics === undefined) return masked;
  const shown = Object.entries(Object(metrics)).map(([name, value]) => [maskText(name), value]);
  return { ...Object(masked), metrics: Object.fromEntries(shown) };
}
