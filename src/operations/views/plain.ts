import { maskText, maskValue } from '../../base/secrets';

/** Date in wire format. A time that no `Date` can hold becomes a text that is not an instant, so that its row is reported as unreadable. */
export function instantOf(date: Date): string;
export function instantOf(date: Date | null): string | null;
export function instantOf(date: Date | null): string | null {
  if (date === null) return null;
  return Number.isNaN(date.getTime()) ? 'an invalid time' : date.toISOString();
}

/** The same of epoch milliseconds. */
export function instantAt(time: number): string {
  return instantOf(new Date(time));
}

/** Total as lists return it. */
export function totalOf(total: { readonly count: number; readonly isExact: boolean } | null) {
  return total && { count: total.count, isExact: total.isExact };
}

/**
 * An answer without secrets, as every interface gives it. The metrics of a run are numbers that its job publishes: `tokens: 1200` stays.
 */
export function maskOutput(output: unknown): unknown {
  const masked = maskValue(output);
  const { metrics } = Object(output) as { readonly metrics?: unknown };
  if (metrics === undefined) return masked;
  const shown = Object.entries(Object(metrics)).map(([name, value]) => [maskText(name), value]);
  return { ...Object(masked), metrics: Object.fromEntries(shown) };
}
