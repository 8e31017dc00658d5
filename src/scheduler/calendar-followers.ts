import type { Clock } from '../base/clock';
import { SchedulerError, toError } from '../base/errors';
import { PortionBreaks } from '../base/portion-breaks';
import { PortionSize } from '../base/portion-size';
import { NEVER } from '../base/sleep';
import { inSlices, type Steps } from '../base/steps';
import { HalfTime } from '../base/yield-to-event-loop';
import { endsTriggers, followsCalendar, mayEnd } from '../domain/calendar-users';
import { calendarFrom } from '../domain/calendars/calendar-from-data';
import type { TriggerKey } from '../domain/keys';
import { newCalendarSteps } from '../domain/new-calendar';
import type { Rules } from '../domain/rules';
import type { ChangeOf, ChangeSet, Outcomes, ScheduleChange } from '../domain/schedule-change';
import type { Trigger } from '../domain/trigger';
import { isComplete } from '../domain/trigger-state';
import type { JobStore, TriggerPlace } from '../store/job-store';

/** Maximum number of triggers rescheduled in the transaction that stores their calendar. Further ones are rescheduled later, in portions. */
const MAX_FOLLOWERS = 200;

interface FollowerParts {
  readonly store: Pick<JobStore, 'applySchedule' | 'pageTriggers' | 'getCalendar'>;
  readonly clock: Clock;
  /** Time after which a late trigger counts as misfired, in milliseconds. */
  readonly misfireThreshold: number;
  readonly rules?: Rules | undefined;
}

/**
 * Reschedules the triggers of replaced calendars that have more than 200. Computes the fire times, which may take milliseconds each, outside the
 * transaction, because its lock stops all firing. Skips a trigger that has changed since it was read.
 */
export class CalendarFollowers {
  readonly #parts: FollowerParts;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
  }

  /**
   * Returns the changes to apply first. They store each calendar with more than 200 triggers without rescheduling its triggers. Rejects with
   * CALENDAR_ENDS_TRIGGERS if such a calendar would end a trigger without `allowEnding`.
   */
  async withoutMany(changes: ChangeSet): Promise<ChangeSet> {
    if (!changes.some(isReplacing)) return changes;
    const first: ScheduleChange[] = [];
    for (const change of changes) {
      const isLater = isReplacing(change) && (await this.#hasMany(change.name));
      if (isLater && !mayEnd(change)) await this.#refuseEnding(change);
      first.push(isLater ? { ...change, usersLater: true } : change);
    }
    return first;
  }

  /** Reads all triggers of a calendar, and rejects if some would never fire again. Computes outside of a transaction. */
  async #refuseEnding({ name, calendar }: ChangeOf<'storeCalendar'>): Promise<void> {
    const { clock, misfireThreshold, rules } = this.#parts;
    const search = newCalendarSteps(calendarFrom(calendar, rules), clock.now(), misfireThreshold, rules);
    const half = new HalfTime(clock);
    const ended: TriggerKey[] = [];
    let after: TriggerPlace | null = null;
    do {
      const page: Awaited<ReturnType<JobStore['pageTriggers']>> = await this.#page(name, after, MAX_FOLLOWERS);
      for (const { trigger, state } of page.items) {
        if (trigger.nextFireTime === null || isComplete(state)) continue;
        if ((await inSlices(search(trigger), half)) === null) ended.push(trigger.key);
      }
      after = page.next;
    } while (after !== null);
    if (ended.length > 0) throw endsTriggers(name, ended);
  }

  /** Reschedules the triggers that `withoutMany` left out. If a step fails, the error message gives the number of triggers rescheduled so far. */
  async follow(changes: ChangeSet, applied: ChangeSet, outcomes: Outcomes): Promise<void> {
    for (const [index, change] of changes.entries())
      if (isReplacing(change) && change !== applied[index] && outcomes[index]?.status === 'replaced')
        await this.#followOne(change);
  }

  async #hasMany(calendarName: string): Promise<boolean> {
    let count = 0;
    let after: TriggerPlace | null = null;
    do {
      const page = await this.#page(calendarName, after, MAX_FOLLOWERS + 1);
      count += page.items.length;
      after = page.next;
    } while (after !== null && count <= MAX_FOLLOWERS);
    return count > MAX_FOLLOWERS;
  }

  async #followOne({ name, updateTriggers }: ChangeOf<'storeCalendar'>): Promise<void> {
    const { store, clock, misfireThreshold, rules } = this.#parts;
    const data = await store.getCalendar(name);
    if (data === null) return;
    const calendar = calendarFrom(data, rules);
    const search = newCalendarSteps(calendar, clock.now(), misfireThreshold, rules);
    const breaks = new PortionBreaks(clock);
    const size = new PortionSize(clock);
    let moved = 0;
    let after: TriggerPlace | null = null;
    try {
      do {
        const page = await this.#page(name, after, size.size);
        const followers = page.items.filter((each) => followsCalendar(each, calendar, { updateTriggers, rules }));
        const triggers = await this.#moved(
          followers.map(({ trigger }) => trigger),
          search,
        );
        breaks.begin();
        const change = { type: 'followCalendar', name, calendar: data, triggers } as const;
        const { outcomes } = await size.measure(async () => {
          const changes = triggers.length === 0 ? [] : [change];
          const applied = await store.applySchedule(changes, { now: clock.now(), misfireThreshold });
          return { ...applied, done: triggers.length };
        });
        if (outcomes[0]?.status === 'kept') return; // the calendar has changed again, and that change reschedules its triggers
        moved += triggers.length;
        after = page.next;
        await breaks.end(NEVER);
      } while (after !== null);
    } catch (thrown) {
      throw partlyFollowed(thrown, name, moved);
    }
  }

  /** Returns the triggers whose next fire time changes. Uses at most half of the event loop's time, so that the node's other work continues. */
  async #moved(triggers: readonly Trigger[], search: (trigger: Trigger) => Steps<number | null>) {
    const half = new HalfTime(this.#parts.clock);
    const moved: { readonly read: Trigger; readonly nextFireTime: number | null }[] = [];
    for (const read of triggers) {
      const nextFireTime = await inSlices(search(read), half);
      if (nextFireTime !== read.nextFireTime) moved.push({ read, nextFireTime });
    }
    return moved;
  }

  #page(calendarName: string, after: TriggerPlace | null, take: number) {
    const place = after === null ? {} : { after };
    return this.#parts.store.pageTriggers({ calendarName, sort: 'key', take, omitTotal: true, ...place });
  }
}

function partlyFollowed(thrown: unknown, name: string, moved: number): Error {
  const error = toError(thrown);
  const code = error instanceof SchedulerError ? error.code : 'STORE_FAILURE';
  const message =
    `${error.message} The calendar '${name}' is stored, but only ${moved} of its triggers moved to their new next fire times; the others keep the old ` +
    'ones until they fire. To move them at once, store the calendar again with a change, such as another description.';
  return new SchedulerError(code, message, { cause: error });
}

function isReplacing(change: ScheduleChange): change is ChangeOf<'storeCalendar'> {
  return change.type === 'storeCalendar' && change.ifExists === 'replace';
}
