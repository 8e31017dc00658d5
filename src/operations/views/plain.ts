import { isSecretName } from '../../base/secrets';
import type { JobData, JsonValue } from '../../domain/job-data';

/** As it goes over a wire. */
export function instantOf(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}

const HIDDEN = '***';

/** Job data for people's eyes: what has the name of a secret is not shown, at any depth. */
export function shownData(data: JobData): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, shown(name, value)]));
}

function shown(name: string, value: JsonValue): unknown {
  if (isSecretName(name)) return HIDDEN;
  if (Array.isArray(value)) return value.map((each: JsonValue) => shown('', each));
  if (typeof value === 'object' && value !== null) return shownData(value as JobData);
  return value;
}
