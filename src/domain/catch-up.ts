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

/** A trigger after its misfire was recovered, and the triggers that run what it missed. */
export interface RecoveredTrigger<T extends Trigger = Trigger> {
  readonly trigger: T;
  readonly caughtUp: readonly SimpleTrigger[];
}

const NOTHING: readonly SimpleTrigger[] = [];

/**
 * Applies the misfire instruction of a trigger that misfired, or catches up what it missed, and then goes on with its next time after now. What
 * its `startWithin` does not allow any more is skipped, whatever the instruction. `jobPolicy`: what its job says.
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

/** Whether the time at which a trigger misfired is among those that are made up for. */
export function isCaughtUp({ nextFireTime }: Trigger, caughtUp: readonly SimpleTrigger[]): boolean {
  const [oldest] = caughtUp;
  return oldest !== undefined && nextFireTime !== null && oldest.key.name === nameOf(nextFireTime);
}

/** As the instructions that skip what was missed do it, and with the instruction that it had. */
function withNextAfter<T extends Trigger>(before: T, calendar: Calendar | null, clock: MisfireClock): T {
  const skipping = before.kind === 'SIMPLE' ? 'RESCHEDULE_NEXT_WITH_REMAINING_COUNT' : 'DO_NOTHING';
  const after = recoverMisfire({ ...before, misfireInstruction: skipping } as T, calendar, clock);
  return { ...after, misfireInstruction: before.misfireInstruction };
}

/** Searched for from nearer and nearer the beginning of the window, so that a long one with very many times is not walked through. */
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

/** Fire times of a trigger at or after `from` and before `to`, the first of them: at most `atMost`. */
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

/** The trigger that runs one occurrence of another trigger once, with what that one gives its job. Its name says which: none is made twice. */
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

/** Characters. */
const MAX_GROUP = 190;
const HASH_DIGITS = 8;

/** One for each trigger, so that what is caught up is listed and dropped by it. */
export function catchUpGroup(key: TriggerKey): string {
  const plain = `${BACKFILL_GROUP_PREFIX}${key.group}.${key.name}`;
  const isUnique = !key.group.includes('.') && [...plain].length <= MAX_GROUP;
  if (isUnique) return plain;
  const cut = [...plain].slice(0, MAX_GROUP - HASH_DIGITS - 1).join('');
  return `${cut}_${hashOf(keyText(key))}`;
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(HASH_DIGITS, '0');
}
