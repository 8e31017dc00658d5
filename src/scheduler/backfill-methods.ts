import type { Backfill, BackfillOptions } from '../api/backfills';
import { checkWhole } from '../api/builders/check-arguments';
import type { Scheduler } from '../api/scheduler';
import type { EpochMs } from '../base/clock';
import { badArgument, SchedulerError } from '../base/errors';
import { yieldToEventLoop } from '../base/yield-to-event-loop';
import { calendarFrom } from '../domain/calendars/calendar-from-data';
import { fireTimesIn, oneShot } from '../domain/catch-up';
import { checkOptions } from '../domain/check-options';
import { invalidArgument, timeOf } from '../domain/check-text';
import { formatKey, GroupMatcher, type TriggerKey } from '../domain/keys';
import { BACKFILL_GROUP_PREFIX, occurrenceOfTrigger } from '../domain/occurrence';
import { DEFAULT_RULES } from '../domain/rules';
import type { ScheduleChange } from '../domain/schedule-change';
import { checkDelay } from '../domain/time/duration';
import type { Trigger } from '../domain/trigger';
import { toTriggerKey } from './checked-input';
import { readTriggers } from './read-pages';
import type { SchedulerParts } from './scheduler-parts';

const DEFAULT_MAX = 1_000;
const MAX_FIRE_TIMES = 10_000;
/** Maximum number of fire times to count. Errors report larger totals as "100000 or more". */
const MAX_COUNTED = 100_000;

const RANDOM_CHARACTERS = 10;

const OPTIONS = { from: true, to: true, max: true, spacing: true } as const;
const OTHER_NAMES = { since: 'from', until: 'to', pace: 'spacing', limit: 'max' } as const;

export function backfillMethods(parts: SchedulerParts) {
  const { usableStore, writer, random, lifecycle, clock, config } = parts;
  return {
    async backfill(key, options) {
      lifecycle.assertUsable();
      const triggerKey = toTriggerKey(key);
      const { from, to, max, spacing } = checkBackfill(options);
      const trigger = await storedTrigger(parts, triggerKey);
      const calendar = await calendarOf(parts, trigger);
      const whole = trigger.kind === 'CRON' ? { ...trigger, startTime: Math.min(trigger.startTime, from) } : trigger;
      const times = fireTimesIn(whole, calendar, {
        from,
        to,
        atMost: MAX_COUNTED,
        rules: config.policy.rules ?? DEFAULT_RULES,
      });
      if (times.length > max) throw tooMany(triggerKey, times.length, max);
      const now = clock.now();
      refuseFuture(triggerKey, times, now);
      const group = BACKFILL_GROUP_PREFIX + random.token(RANDOM_CHARACTERS);
      // With up to 10,000 fire times, finding the times, building the triggers and storing them each block the event loop for long.
      await yieldToEventLoop();
      const changes = times.map((time, index): ScheduleChange => {
        const once = oneShot(trigger, time, { group, startTime: now + index * spacing });
        return { type: 'storeTrigger', trigger: once, ifExists: 'fail', startTimeDefaulted: false };
      });
      await yieldToEventLoop();
      await writer.apply(changes);
      return { group, count: times.length, times: times.map((time) => new Date(time)) };
    },
    async listBackfills() {
      const groups = await usableStore().getTriggerGroupNames(BACKFILL_GROUP_PREFIX);
      const found = await Promise.all(groups.map((group) => describe(parts, group)));
      return found.filter((each) => each !== null);
    },
    async dropBackfill(group) {
      const store = usableStore();
      if (typeof group !== 'string' || !group.startsWith(BACKFILL_GROUP_PREFIX)) {
        throw invalidArgument('the group of a backfill, as returned by backfill() and listBackfills()', group);
      }
      // The writer splits a large change set into several transactions.
      const triggers = await readTriggers(store, { group: GroupMatcher.groupEquals(group) });
      const outcomes = await writer.apply(triggers.map(({ key }) => ({ type: 'deleteTrigger', key, unfired: true })));
      return outcomes.filter(({ status }) => status === 'deleted').length;
    },
  } satisfies Partial<Scheduler>;
}

function checkBackfill(options: BackfillOptions) {
  const { from, to, max = DEFAULT_MAX, spacing = 0 } = checkOptions(options, OPTIONS, OTHER_NAMES);
  const [first, end] = [timeOf(from, 'a valid Date as from'), timeOf(to, 'a valid Date as to')];
  if (end <= first) throw invalidArgument('a Date after `from` as `to`', to);
  return {
    from: first,
    to: end,
    max: checkWhole(max, 'max', 1, MAX_FIRE_TIMES),
    spacing: checkDelay(spacing, 'spacing'),
  };
}

async function storedTrigger({ store }: SchedulerParts, key: TriggerKey): Promise<Trigger> {
  const [found] = await store.getTriggers([key]);
  if (found !== undefined && found.trigger.unreadable === undefined) return found.trigger;
  const what = found === undefined ? 'none' : 'a row that cannot be read';
  throw new SchedulerError('TRIGGER_NOT_FOUND', `Expected a stored trigger '${formatKey(key)}', found ${what}.`);
}

async function calendarOf({ store, config }: SchedulerParts, { calendarName }: Trigger) {
  const data = calendarName === null ? null : await store.getCalendar(calendarName);
  return data === null ? null : calendarFrom(data, config.policy.rules);
}

function tooMany(key: TriggerKey, count: number, max: number): SchedulerError {
  const found = count === MAX_COUNTED ? `${MAX_COUNTED} or more` : String(count);
  return badArgument(
    `Expected at most ${max} fire time${max === 1 ? '' : 's'} of '${formatKey(key)}', found ${found}. ` +
      `Set a larger max (up to ${MAX_FIRE_TIMES}) or a shorter range.`,
  );
}

/** Throws INVALID_ARGUMENT if any fire time is in the future. The trigger will still fire then, so a backfill would run the job twice. */
function refuseFuture(key: TriggerKey, times: readonly EpochMs[], now: EpochMs): void {
  const future = times.filter((time) => time > now);
  const [first] = future;
  if (first === undefined) return;
  const found = `${future.length} in the future (first: ${new Date(first).toISOString()}), at which '${formatKey(key)}' fires anyway`;
  throw badArgument(
    `Expected only fire times in the past, found ${found}. Set \`to\` to ${new Date(now).toISOString()} or earlier.`,
  );
}

/** Describes the remaining triggers of a backfill, or returns null if none are left. Trigger names sort by fire time. */
async function describe({ store }: SchedulerParts, group: string): Promise<Backfill | null> {
  const triggers = await readTriggers(store, { group: GroupMatcher.groupEquals(group) });
  const [first, last] = [triggers[0], triggers.at(-1)];
  if (first === undefined || last === undefined) return null;
  const { triggerKey, scheduledTime } = occurrenceOfTrigger(first, first.startTime);
  const { scheduledTime: end } = occurrenceOfTrigger(last, last.startTime);
  return { group, triggerKey, left: triggers.length, from: new Date(scheduledTime), to: new Date(end) };
}
