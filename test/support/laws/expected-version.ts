import { MISFIRE_THRESHOLD } from '../../conformance/samples';
import type { Definition, Misfire } from './arbitrary-plans';
import { DAY, MINUTE, SECOND } from './local-time';
import { fireTimes, type SlowPlan } from './slow-schedule';

/*
 * Expectations for a schedule that was stored or changed: its due fire times, and the effects of later events.
 */

/** A start at most this long before a change counts as simultaneous. */
const TOLERANCE = MINUTE;

/** The stored schedule since the last change. */
export interface Version {
  readonly definition: Definition;
  plan: SlowPlan;
  /** Earlier fire times are not due, except `carried`. */
  floor: number;
  /** Due fire times of the previous version that this version has too. */
  carried: readonly number[];
  /** True if the change itself applied the misfire instruction to `carried`: as one-shot triggers, or by skipping. Later changes keep them. */
  isApplied: boolean;
  /** Due fire times that are not late, although earlier ones are: they may fire. */
  onTime: readonly number[];
  /** Fire times up to here have fired, or their misfire instruction was applied. */
  handledUpTo: number;
  /** Fire times that only a later calendar includes: they may fire. */
  optional: readonly number[];
  /** Due fire times that both versions have, but that the calendar excluded at the change: a later calendar may bring them back. */
  excluded: readonly number[];
  /** Time from which the trigger may make up a missed firing; null if it has missed none. */
  owedFrom: number | null;
  /** True if a missed firing must be made up, by the trigger or by a one-shot trigger. */
  isOwed: boolean;
  /** Time before which a missed firing need not be made up: a later calendar that includes more times does not bring it forward. */
  madeUpFrom: number;
  /** True if the trigger has missed fire times of its own, besides those that outlived a change. */
  hasOwnMissed: boolean;
  firings: number;
}

export const isOnce = (plan: SlowPlan) => plan.kind === 'every' && plan.repeats === 0;

interface Circumstances {
  readonly now: number;
  /** Version before the change; null if none was stored. */
  readonly stored: Version | null;
  readonly lastFired: number | null;
  /** Due fire times of the stored version, ascending. */
  readonly due: readonly number[];
  /** True if the calendar of the new definition includes the time. */
  readonly includes: (time: number) => boolean;
}

/** Version after a change to `definition`. */
export function versionAfter(definition: Definition, at: Circumstances): Version {
  const { plan } = definition;
  const { now, stored, lastFired, includes } = at;
  if (stored !== null && isSameSchedule(definition, stored)) return { ...stored, definition };
  const next = { ...plan, start: startOf(definition, at) };
  const { start } = next;
  const isLate = start < now - TOLERANCE && !isOnce(next);
  const floor = Math.max(isLate ? now : start, (lastFired ?? Number.NEGATIVE_INFINITY) + 1);
  const ofSchedule = next.kind === 'cron' ? { ...next, start: Number.NEGATIVE_INFINITY } : next;
  const isOfNext = (time: number) => fireTimes(ofSchedule, time, time).length > 0;
  const due = start > now ? [] : at.due.filter(isOfNext);
  const carried = due.filter(includes);
  return {
    definition,
    plan: next,
    floor: plan.kind === 'cron' || plan.kind === 'hours' ? Math.floor(floor / SECOND) * SECOND : floor,
    carried,
    isApplied: false,
    onTime: [],
    handledUpTo: Number.NEGATIVE_INFINITY,
    optional: carried.filter((time) => stored?.optional.includes(time)),
    excluded: due.filter((time) => !includes(time)),
    owedFrom: null,
    isOwed: false,
    madeUpFrom: Number.NEGATIVE_INFINITY,
    hasOwnMissed: false,
    firings: 0,
  };
}

/** Start of the new schedule: an interval without a start of its own keeps its phase. */
function startOf({ plan, startDefaulted }: Definition, { now, stored, lastFired }: Circumstances): number {
  const isInterval = (plan.kind === 'every' && !isOnce(plan)) || plan.kind === 'interval';
  if (stored === null || !startDefaulted || !isInterval) return plan.start;
  const start = lastFired ?? (stored.plan.kind === plan.kind ? stored.plan.start : plan.start);
  if (plan.kind !== 'every' || plan.repeats === null || start >= now) return start;
  return start + Math.ceil((now - start) / plan.interval) * plan.interval;
}

/** Due fire times that the misfire instruction of a changed trigger does not skip. `due`: ascending. */
export function keptAfterMisfire(
  plan: SlowPlan,
  misfire: Misfire,
  { due, now }: Pick<Circumstances, 'due' | 'now'>,
): readonly number[] {
  const [oldest] = due;
  if (oldest === undefined || oldest >= now - MISFIRE_THRESHOLD || misfire === 'all') return due;
  if (misfire === 'catchUp') return due.filter((time) => time >= now - DAY);
  return skipsMissed(plan, misfire) || (plan.end !== null && plan.end < now) ? [] : due;
}

/** True if missed fire times are skipped, by the instruction or because it is the default of the kind. */
export function skipsMissed(plan: SlowPlan, misfire: Misfire): boolean {
  if (misfire === 'skip') return true;
  return misfire === 'smart' && plan.kind === 'every' && plan.repeats === null;
}

function isSameSchedule(definition: Definition, stored: Version): boolean {
  const { plan, usesCalendar, startDefaulted } = definition;
  const start = startDefaulted ? stored.definition.plan.start : plan.start;
  const schedule = ({ start: _, ...fields }: SlowPlan) => JSON.stringify(fields);
  if (usesCalendar !== stored.definition.usesCalendar) return false;
  return schedule(plan) === schedule(stored.plan) && start === stored.definition.plan.start;
}
