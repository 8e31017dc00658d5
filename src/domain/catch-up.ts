import type { EpochMs } from '../base/clock';
import type { Calendar } from './calendars/calendar';
import type { CatchUpPolicy } from './catch-up-policy';
import type { ExecutionPolicy } from './execution-policy';
import { keyText, type TriggerKey } from './keys';
import { isMisfired, type MisfireClock, recoverMisfire } from './misfire';
import { BACKFILL_GROUP_PREFIX, occurrenceData, startOf } from './occurrence';
import { retryTrigger } from './retry';
import type { SimpleTrigger, Trigger } from './trigger';
import { includedFireTimeAfter } from './trigger-behaviour';

/** A trigger after misfire recovery, and the triggers that run its missed occurrences. */
export interface RecoveredTrigger<T extends Trigger = Trigger> {
  readonly trigger: T;
  readonly caughtUp: readonly SimpleTrigger[];
}

const NOTHING: readonly SimpleTrigger[] = [];

/**
 * Applies the misfire instruction of a misfired trigger, or catches up its missed times, then moves it to its next time after now. Times that
 * `startWithin` no longer allows are skipped, regardless of the instruction. `jobPolicy`: the policy of its job.
 */
export function recoverMissed<T extends Trigger>(
  before: T,
  calendar: Calendar | null,
  clock: MisfireClock,
  jobPolicy?: ExecutionPolicy,
): RecoveredTrigger<T> {
  const policy = before.policy?.catchUp;
  if (policy === undefined && isMisfired(before, clock) && isTooLate(before, clock, jobPolicy)) {
    return { trigger: withNextAfter(before, calendar, clock), caughtUp: NOTHING };
  }
  if (policy === undefined || !isMisfired(before, clock)) {
    return { trigger: recoverMisfire(before, calendar, clock), caughtUp: NOTHING };
  }
  const { now } = clock;
  const times = newestMissed(before, calendar, policy, now);
  const group = catchUpGroup(before.key);
  const caughtUp = times.map((time, index) => oneShot(before, time, { group, startTime: now + index * policy.pace }));
  return { trigger: withNextAfter(before, calendar, clock), caughtUp };
}

function isTooLate(before: Trigger, { now }: MisfireClock, jobPolicy: ExecutionPolicy | undefined): boolean {
  const startWithin = before.policy?.startWithin ?? jobPolicy?.startWithin;
  if (startWithin === undefined || before.nextFireTime === null) return false;
  return now - startOf({ trigger: before, scheduledFireTime: before.nextFireTime }) > startWithin;
}

/** True if the catch-up runs include the time at which the trigger misfired. */
export function isCaughtUp({ nextFireTime }: Trigger, caughtUp: readonly SimpleTrigger[]): boolean {
  const [oldest] = caughtUp;
  return oldest !== undefined && nextFireTime !== null && oldest.key.name === nameOf(nextFireTime);
}

/** Moves a trigger to its next time after now, as the skipping instructions do, but keeps its own instruction. */
function withNextAfter<T extends Trigger>(before: T, calendar: Calendar | null, clock: MisfireClock): T {
  const skipping = before.kind === 'SIMPLE' ? 'RESCHEDULE_NEXT_WITH_REMAINING_COUNT' : 'DO_NOTHING';
  const after = recoverMisfire({ ...before, misfireInstruction: skipping } as T, calendar, clock);
  return { ...after, misfireInstruction: before.misfireInstruction };
}

/** Returns the newest missed times. It searches ever longer spans before now, so that a long window with very many times is not walked through. */
function newestMissed(
  trigger: Trigger,
  calendar: Calendar | null,
  { max, window }: CatchUpPolicy,
  now: EpochMs,
): readonly EpochMs[] {
  const first = Math.max(trigger.nextFireTime ?? now, now - window);
  for (let span = Math.min(1_000 * max, window); ; span *= 2) {
    const from = Math.max(first, now - span);
    const times = fireTimesIn(trigger, calendar, { from, to: now + 1 });
    if (times.length >= max || from === first) return times.slice(-max);
  }
}

/** Returns the first fire times of a trigger at or after `from` and before `to`, at most `atMost`. */
export function fireTimesIn(
  trigger: Trigger,
  calendar: Calendar | null,
  { from, to, atMost = Infinity }: { readonly from: EpochMs; readonly to: EpochMs; readonly atMost?: number },
): readonly EpochMs[] {
  const times: EpochMs[] = [];
  let time = includedFireTimeAfter(trigger, calendar, from - 1);
  while (time !== null && time < to && times.length < atMost) {
    times.push(time);
    time = includedFireTimeAfter(trigger, calendar, time);
  }
  return times;
}

/**
 * Returns a trigger that runs one occurrence of another trigger once, with that trigger's data and settings. The name identifies the occurrence, so
 * none is created twice.
 */
export function oneShot(
  trigger: Trigger,
  scheduledTime: EpochMs,
  { group, startTime }: { readonly group: string; readonly startTime: EpochMs },
): SimpleTrigger {
  const { jobKey, priority, key, policy } = trigger;
  const data = { ...trigger.data, ...occurrenceData({ id: null, triggerKey: key, scheduledTime, attempt: 1 }) };
  const own = { group, name: nameOf(scheduledTime) };
  return { ...retryTrigger('', startTime, { jobKey, data, priority }, policy), key: own };
}

function nameOf(scheduledTime: EpochMs): string {
  return new Date(scheduledTime).toISOString();
}

/** Maximum length of a group, in characters. */
const MAX_GROUP = 190;
const HASH_DIGITS = 8;

/** Returns the group for a trigger's catch-up runs. Each trigger has its own, so its catch-up runs are listed and dropped together. */
export function catchUpGroup(key: TriggerKey): string {
  const plain = `${BACKFILL_GROUP_PREFIX}${key.group}.${key.name}`;
  const isUnique = !key.group.includes('.') && [...plain].length <= MAX_GROUP;
  if (isUnique) return plain;
  const cut = [...plain].slice(0, MAX_GROUP - HASH_DIGITS - 1).join('');
  return `${cut}_${hashOf(keyText(key))}`;
}

/** Computes a 32-bit FNV-1a hash. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(HASH_DIGITS, '0');
}
