import type { EpochMs } from '../../base/clock';
import { maskText, maskValue } from '../../base/secrets';

/** Converts a time to an ISO-8601 string. An invalid time becomes an invalid string, so that its row is reported as unreadable. */
export function instantOf(time: Date | EpochMs): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? 'an invalid time' : date.toISOString();
}

/** Renames the keys of a job and a trigger as in every output. */
export function withKeys<Job, Trigger, Rest>(item: Rest & { readonly jobKey: Job; readonly triggerKey: Trigger }) {
  const { jobKey: job, triggerKey: trigger, ...rest } = item;
  return { ...rest, job, trigger };
}

/** Masks secrets in an output, except the metrics of a run, which are numbers that the job publishes, such as `tokens: 1200`. */
export function maskOutput(output: unknown): unknown {
  const masked = maskValue(output);
  const { metrics } = Object(output) as { readonly metrics?: unknown };
  if (metrics === undefined) return masked;
  const shown = Object.entries(Object(metrics)).map(([name, value]) => [maskText(name), value]);
  return { ...Object(masked), metrics: Object.fromEntries(shown) };
}
