import type { EpochMs } from '../base/clock';
import { atOnce, type Steps } from '../base/steps';
import type { Calendar } from './calendars/calendar';
import type { CatchUpPolicy } from './catch-up-policy';
import type { ExecutionPolicy } from './execution-policy';
import { keyText, type TriggerKey } from './keys';
import { makeUpTime } from './make-up-time';
import { isMisfired, type MisfireClock, recoverMisfire, skipsFireTime } from './misfire';
import { BACKFILL_GROUP_PREFIX, isGroupOfFurtherRuns, occurrenceData, startOf } from './occurrence';
import { DEFAULT_RULES, type Rules } from './rules';
import { oneShotTrigger, type SimpleTrigger, type Trigger } from './trigger';
import { includedFireTimeAfter } from './trigger-behaviour';

/** A trigger after misfire recovery, and the one-shot triggers that run its missed occurrences. */
export interface RecoveredTrigger<T extends Trigger = Trigger> {
  readonly trigger: T;
  readonly caughtUp: readonly SimpleTrigger[];
  /** True if the missed fire time is skipped: the trigger does not fire for it, and no catch-up run does. */
  readonly skips: boolean;
}

const NOTHING: readonly SimpleTrigger[] = [];

/**
 * Recovers a misfired trigger by its catch-up policy or, if it has none, by its misfire instruction. Without a catch-up policy, a fire time that is
 * too late for `startWithin` is skipped, regardless of the instruction. `jobPolicy`: policy of the trigger's job.
 */
export function recoverMissed<T extends Trigger>(
  before: T,
  calendar: Calendar | null,
  clock: MisfireClock,
  jobPolicy?: ExecutionPolicy,
): RecoveredTrigger<T> {
  if (!isMisfired(before, clock)) return { trigger: before, caughtUp: NOTHING, skips: false };
  // A run that catches up has the policy of its trigger, but is not caught up itself.
  const policy = isGroupOfFurtherRuns(before.key.group) ? undefined : before.policy?.catchUp;
  if (policy === undefined) {
    const recover = isTooLate(before, clock, jobPolicy) ? withNextAfter : recoverMisfire;
    const trigger = recover(before, calendar, clock);
    return { trigger, caughtUp: NOTHING, skips: skipsFireTime(before, trigger, calendar, clock) };
  }
  const caughtUp = caughtUpRuns(before, calendar, newestMissed(before, calendar, policy, clock), clock);
  const isCaughtUp = caughtUp[0] !== undefined && caughtUp[0].key.name === nameOf(before.nextFireTime ?? 0);
  return { trigger: withNextAfter(before, calendar, clock), caughtUp, skips: !isCaughtUp };
}

/** Returns the one-shot triggers that run missed occurrences, at the pace of the catch-up policy. `times`: their fire times, ascending. */
export function caughtUpRuns(
  trigger: Trigger,
  calendar: Calendar | null,
  times: readonly EpochMs[],
  clock: MisfireClock,
): readonly SimpleTrigger[] {
  const pace = trigger.policy?.catchUp?.pace ?? 0;
  return times.map((time, index) => oneShotAt(trigger, time, startOfRun(trigger, calendar, clock, index * pace)));
}

/** Returns the one-shot trigger of one occurrence, in the trigger's own group of catch-up runs. */
export function oneShotAt(
  trigger: Trigger,
  scheduledTime: EpochMs,
  start: { readonly startTime: EpochMs; readonly calendarName?: string | null },
): SimpleTrigger {
  return oneShot(trigger, scheduledTime, { group: catchUpGroup(trigger.key), ...start });
}

/** Start of a catch-up run. Under safe rules, the calendar and the hours of the trigger apply; its end does not, because the runs are requested. */
function startOfRun(
  trigger: Trigger,
  calendar: Calendar | null,
  { now, rules = DEFAULT_RULES }: MisfireClock,
  delay: number,
): { readonly startTime: EpochMs; readonly calendarName?: string | null } {
  if (rules === 'quartz') return { startTime: now + delay };
  const startTime = makeUpTime(trigger, calendar, now + delay) ?? now + delay;
  return { startTime, calendarName: trigger.calendarName };
}

function isTooLate(before: Trigger, { now }: MisfireClock, jobPolicy: ExecutionPolicy | undefined): boolean {
  const startWithin = before.policy?.startWithin ?? jobPolicy?.startWithin;
  if (startWithin === undefined || before.nextFireTime === null) return false;
  return now - startOf({ trigger: before, scheduledFireTime: before.nextFireTime }) > startWithin;
}

/**
 * Moves a trigger to its next fire time after now, but preserves its own misfire instruction. Counts the only fire time of a one-shot trigger as used, so
 * that no change of its calendar makes it due again.
 */
function withNextAfter<T extends Trigger>(before: T, calendar: Calendar | null, clock: MisfireClock): T {
  const skipping = before.kind === 'SIMPLE' ? 'RESCHEDULE_NEXT_WITH_REMAINING_COUNT' : 'DO_NOTHING';
  const after = recoverMisfire({ ...before, misfireInstruction: skipping } as T, calendar, clock);
  const used = before.kind === 'SIMPLE' && before.repeatCount === 0 && { timesTriggered: 1 };
  return { ...after, misfireInstruction: before.misfireInstruction, ...used };
}

/** Returns at most `max` times, oldest first. Searches backwards from now in spans of doubling length, to avoid computing a whole long window. */
function newestMissed(
  trigger: Trigger,
  calendar: Calendar | null,
  { max, window }: CatchUpPolicy,
  { now, rules }: MisfireClock,
): readonly EpochMs[] {
  const first = Math.max(trigger.nextFireTime ?? now, now - window);
  for (let span = Math.min(1_000 * max, window); ; span *= 2) {
    const from = Math.max(first, now - span);
    const times = withPending(
      trigger,
      from,
      fireTimesIn(trigger, calendar, { from, to: now + 1, ...(rules && { rules }) }),
    );
    if (times.length >= max || from === first) return times.slice(-max);
  }
}

/** Adds the pending fire time from `from` on: after a change of the schedule, it can lie before the start of the trigger. */
function withPending({ nextFireTime }: Trigger, from: EpochMs, times: readonly EpochMs[]): readonly EpochMs[] {
  if (nextFireTime === null || nextFireTime < from || times.includes(nextFireTime)) return times;
  return [nextFireTime, ...times];
}

/** Returns at most `atMost` fire times of a trigger, starting with the earliest, from `from` (inclusive) to `to` (exclusive). */
export function fireTimesIn(trigger: Trigger, calendar: Calendar | null, range: FireTimeRange): readonly EpochMs[] {
  return atOnce(searchFireTimes(trigger, calendar, range));
}

/** As `fireTimesIn`, one step per fire time. */
export function* searchFireTimes(
  trigger: Trigger,
  calendar: Calendar | null,
  { from, to, atMost = Infinity, rules = DEFAULT_RULES }: FireTimeRange,
): Steps<readonly EpochMs[]> {
  const times: EpochMs[] = [];
  let time = includedFireTimeAfter(trigger, calendar, from - 1, rules);
  while (time !== null && time < to && times.length < atMost) {
    times.push(time);
    yield;
    time = includedFireTimeAfter(trigger, calendar, time, rules);
  }
  return times;
}

interface FireTimeRange {
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly atMost?: number;
  readonly rules?: Rules;
}

/** Returns a one-shot trigger for one occurrence of `trigger`. Its name is the scheduled time, so its group cannot contain the occurrence twice. */
export function oneShot(
  trigger: Trigger,
  scheduledTime: EpochMs,
  {
    group,
    startTime,
    calendarName = null,
  }: { readonly group: string; readonly startTime: EpochMs; readonly calendarName?: string | null },
): SimpleTrigger {
  const { jobKey, priority, key, policy } = trigger;
  const data = { ...trigger.data, ...occurrenceData({ id: null, triggerKey: key, scheduledTime, attempt: 1 }) };
  return oneShotTrigger(
    { group, name: nameOf(scheduledTime) },
    startTime,
    { jobKey, data, priority, calendarName },
    policy,
  );
}

function nameOf(scheduledTime: EpochMs): string {
  return new Date(scheduledTime).toISOString();
}

const MAX_GROUP = 190;
const HASH_DIGITS = 8;

/** Returns the group of a trigger's catch-up runs: one group per trigger, so that these runs can be listed and deleted together. */
export function catchUpGroup(key: TriggerKey): string {
  const plain = `${BACKFILL_GROUP_PREFIX}${key.group}.${key.name}`;
  const isUnique = !key.group.includes('.') && [...plain].length <= MAX_GROUP;
  if (isUnique) return plain;
  const truncated = [...plain].slice(0, MAX_GROUP - HASH_DIGITS - 1).join('');
  return `${truncated}_${hashOf(keyText(key))}`;
}

/** Computes a 32-bit FNV-1a hash as hexadecimal digits. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(HASH_DIGITS, '0');
}
