import { isSecretName } from '../../base/secrets';
import type { JobData, JsonValue } from '../../domain/job-data';

/** As it goes over a wire. */
export function instantOf(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}

/** As lists answer it. */
export function totalOf(total: { readonly count: number; readonly isExact: boolean } | null) {
  return total && { count: total.count, isExact: total.isExact };
}

/** A definition for people's eyes: the secrets of its data are not shown. */
export function shownEntry({ data, ...entry }: Readonly<Record<string, JsonValue>>): Record<string, unknown> {
  return data === undefined ? entry : { ...entry, data: shownData(data as JobData) };
}

/** Stands in the place of a secret. */
export const HIDDEN = '***';

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
