import type { StoreJobOptions } from '../api/schedule-options';
import type { Trigger } from '../api/trigger';
import type { Clock, EpochMs } from '../base/clock';
import { badArgument } from '../base/errors';
import { nearestName } from '../base/nearest-name';
import type { ZoneConfig } from '../config/scheduler-config';
import { checkText, invalidArgument, isWellFormed, unmet } from '../domain/check-text';
import type { JobDetail } from '../domain/job-detail';
import type { GroupMatcher, JobKey, JobKeyLike, TriggerKey, TriggerKeyLike } from '../domain/keys';
import { checkFlag, checkKey, LIMITS } from '../domain/limits';
import type { IfExists } from '../domain/schedule-change';
import type { SchedulerEvent } from '../domain/scheduler-event';
import { quartzStateHint } from '../domain/trigger-state';
import { EVENT_TYPES } from '../events/log-subscriber';

export interface TriggerDefaults extends ZoneConfig {
  readonly startTime: EpochMs;
}

export function triggerDefaults(
  clock: Pick<Clock, 'now'>,
  { timeZone, timeZoneDefaulted }: ZoneConfig,
): TriggerDefaults {
  return { startTime: clock.now(), timeZone, timeZoneDefaulted };
}

/** Checks a job key and returns a frozen copy. Throws INVALID_ARGUMENT. */
export function toJobKey(key: JobKeyLike): JobKey {
  return checkKey(key, 'job');
}

/** Checks a trigger key and returns a frozen copy. Throws INVALID_ARGUMENT. */
export function toTriggerKey(key: TriggerKeyLike): TriggerKey {
  return checkKey(key, 'trigger');
}

const OPERATORS: readonly unknown[] = ['equals', 'startsWith', 'endsWith', 'contains', 'any'];

/** Returns a frozen copy of a group matcher. Throws INVALID_ARGUMENT. */
export function checkMatcher(matcher: GroupMatcher): GroupMatcher {
  const isMatcher = typeof matcher === 'object' && matcher !== null && OPERATORS.includes(matcher.operator);
  if (!isMatcher) throw invalidArgument("a group matcher such as GroupMatcher.groupEquals('reports')", matcher);
  const { operator, value } = matcher;
  // Only `equals` rejects an empty string. With every other operator, an empty string matches every group.
  if (value !== '' || operator === 'equals') checkText(value, 'the group of a matcher', LIMITS.group);
  return Object.freeze({ operator, value });
}

/** Returns the value if it looks like a trigger; otherwise throws INVALID_ARGUMENT. The writer checks the trigger's fields later. */
export function checkTriggerLike(trigger: Trigger): Trigger {
  if (hasKey(trigger) && 'kind' in trigger) return trigger;
  throw invalidArgument('a trigger built with newTrigger().…build()', trigger);
}

/** Returns the value if it looks like a job detail; otherwise throws INVALID_ARGUMENT. The writer checks the job's fields later. */
export function checkJobLike(job: JobDetail): JobDetail {
  if (hasKey(job) && 'jobType' in job) return job;
  throw invalidArgument("a job detail built with newJob('type').…build()", job);
}

/** Converts the options of a method that stores jobs. Omitted options count as false. Throws INVALID_ARGUMENT. */
export function toStoreJob({ replace = false, registeredLater = false }: StoreJobOptions = {}) {
  const ifExists: IfExists = checkFlag(replace, 'replace') ? 'replace' : 'fail';
  return { ifExists, registeredLater: checkFlag(registeredLater, 'registeredLater') };
}

function hasKey(value: unknown): value is { readonly key: object } {
  if (typeof value !== 'object' || value === null || !('key' in value)) return false;
  return typeof value.key === 'object' && value.key !== null;
}

/** Returns the value. Throws INVALID_ARGUMENT unless it is a function. */
export function checkFunction<T extends (...given: never) => unknown>(value: T, what: string): T {
  if (typeof value === 'function') return value;
  throw invalidArgument(`a function as ${what}`, value);
}

/** Checks event types. Undefined means all types. Throws INVALID_ARGUMENT. */
export function checkEventTypes(
  types: readonly SchedulerEvent['type'][] | undefined,
): readonly SchedulerEvent['type'][] | undefined {
  if (types === undefined) return undefined;
  if (!Array.isArray(types)) throw invalidArgument('a list of event types', types);
  const unknown = types.findIndex((type) => !EVENT_TYPES.includes(type));
  if (unknown >= 0) throw invalidArgument('a known event type (docs/reference/events.md)', types[unknown]);
  return [...types];
}

/** Returns the value. Throws INVALID_ARGUMENT unless `known` includes it. The message suggests the most similar known value. */
export function checkOneOf<T extends string>(value: T, option: string, known: readonly T[]): T {
  if (known.includes(value)) return value;
  const text = typeof value === 'string' ? value : '';
  const nearest = nearestName(text, known);
  const hint = quartzStateHint(text, known) ?? (nearest === null ? '' : `Did you mean '${nearest}'?`);
  const { message } = invalidArgument(`one of ${known.join(', ')} as ${option}`, value);
  throw badArgument(`${message} ${hint}`.trimEnd());
}

/** Returns the value. Throws INVALID_ARGUMENT unless it is a string of well-formed Unicode, which every store can save. */
export function checkString(text: unknown, option: string): string {
  if (typeof text !== 'string') throw invalidArgument(`a string as ${option}`, text);
  if (isWellFormed(text)) return text;
  throw unmet(`well-formed Unicode as ${option}`, 'a lone surrogate');
}

/** Copies a caller's iterable into an array. Throws INVALID_ARGUMENT if the value is not iterable or is a string. */
export function checkList<T>(list: Iterable<T>, what: string): readonly T[] {
  const isList = typeof list === 'object' && list !== null && Symbol.iterator in list;
  if (!isList) throw invalidArgument(`a list of ${what}`, list);
  return [...list];
}
