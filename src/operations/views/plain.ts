import { maskText, maskValue } from '../../base/secrets';

/** As it goes over a wire. */
export function instantOf(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}

/** As lists answer it. */
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
