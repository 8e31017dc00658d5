import type { EpochMs } from '../../src/base/clock';
import type { CalendarData } from '../../src/domain/calendars/calendar';
import type { Completion, CompletionInstruction } from '../../src/domain/completion';
import type { AcquiredTrigger, FireResult, TriggerFiring } from '../../src/domain/firing';
import type { JobDetail } from '../../src/domain/job-detail';
import { type TriggerKey, triggerKey } from '../../src/domain/keys';
import type { IfExists, ScheduleChange, ScheduleOutcome } from '../../src/domain/schedule-change';
import type { Trigger } from '../../src/domain/trigger';
import type { TriggerState } from '../../src/domain/trigger-state';
import type {
  AcquireRequest,
  CompletionOutcome,
  JobStore,
  MisfireSweep,
  StoredTrigger,
} from '../../src/store/job-store';
import { allJobs, allTriggers } from '../support/all-stored';
import { HOUR, job, MISFIRE_THRESHOLD, NOW } from './samples';

type NameOrKey = string | TriggerKey;

const toKey = (key: NameOrKey): TriggerKey => (typeof key === 'string' ? triggerKey(key) : key);

/** Time that a node leaves a due trigger to another one, in milliseconds; see `Beats`. */
const SOON_MS = 200;

/** A store with its current time, and short methods for the tests of the suite. Uses only the interface of stores. */
export class StoreDriver {
  readonly store: JobStore;
  now: EpochMs = NOW;
  /** Announcements of the store since this list was emptied. */
  announced: (EpochMs | null)[] = [];

  constructor(store: JobStore) {
    this.store = store;
  }

  async open(): Promise<void> {
    await this.store.open((earliest) => this.announced.push(earliest));
  }

  get options() {
    return { now: this.now, misfireThreshold: MISFIRE_THRESHOLD };
  }

  async apply(...changes: readonly ScheduleChange[]): Promise<readonly ScheduleOutcome[]> {
    return (await this.store.applySchedule(changes, this.options)).outcomes;
  }

  async applyOne(change: ScheduleChange): Promise<ScheduleOutcome> {
    const [outcome] = await this.apply(change);
    return outcome as ScheduleOutcome;
  }

  /** Stores a new job and its new triggers, at the earliest of their start times if that is past. */
  async schedule(detail: JobDetail, ...triggers: readonly Trigger[]): Promise<void> {
    const own = triggers.map((trigger) => storing({ ...trigger, jobKey: detail.key }));
    const now = Math.min(this.now, ...triggers.map(({ startTime }) => startTime));
    const changes = [{ type: 'storeJob', job: detail, ifExists: 'fail', requireTrigger: false } as const, ...own];
    await this.store.applySchedule(changes, { ...this.options, now });
  }

  /** Stores triggers of the sample job, which may allow or disallow concurrent execution. */
  scheduleAll(...triggers: readonly Trigger[]): Promise<void> {
    return this.schedule(job(), ...triggers);
  }

  register(trigger: Trigger, startTimeDefaulted = false): Promise<ScheduleOutcome> {
    return this.applyOne({ type: 'storeTrigger', trigger, ifExists: 'replace', startTimeDefaulted });
  }

  request(fields: Partial<AcquireRequest> = {}): AcquireRequest {
    return {
      ...this.options,
      noLaterThan: this.now,
      maxCount: 100,
      timeWindow: 0,
      jobTypes: ['sample'],
      fireWithin: null,
      ...fields,
    };
  }

  async acquire(fields: Partial<AcquireRequest> = {}): Promise<readonly AcquiredTrigger[]> {
    return (await this.store.acquireTriggers(this.request(fields))).acquired;
  }

  /** Acquires exactly one trigger. */
  async acquireOne(fields: Partial<AcquireRequest> = {}): Promise<AcquiredTrigger> {
    const acquired = await this.acquire({ maxCount: 1, noLaterThan: this.now + HOUR, ...fields });
    expect(acquired).toHaveLength(1);
    return acquired[0] as AcquiredTrigger;
  }

  /** Fires everything that is due, in the transaction that acquires it. Requests it again, as the trigger loop does, if another node goes first. */
  async fireDue(fields: Partial<AcquireRequest> = {}): Promise<readonly TriggerFiring[]> {
    const request = this.request({ fireWithin: 0, ...fields });
    for (let { now } = request; ; ) {
      const { fired, pollAgainAt = now } = await this.store.acquireTriggers({ ...request, now });
      if (fired.length > 0 || pollAgainAt <= now || pollAgainAt > request.now + SOON_MS) return fired.map(expectFired);
      now = pollAgainAt;
    }
  }

  /** Fires exactly one trigger. */
  async fireOne(fields: Partial<AcquireRequest> = {}): Promise<TriggerFiring> {
    const fired = await this.fireDue({ maxCount: 1, ...fields });
    expect(fired).toHaveLength(1);
    return fired[0] as TriggerFiring;
  }

  fire(...acquired: readonly AcquiredTrigger[]): Promise<readonly FireResult[]> {
    return this.store.fireTriggers(acquired, this.now);
  }

  async complete(
    firing: TriggerFiring,
    instruction: CompletionInstruction = 'NOOP',
    more: Pick<Completion, 'jobData' | 'further' | 'isHandedOver' | 'run' | 'end'> = {},
  ): Promise<CompletionOutcome> {
    const [outcome] = await this.store.completeTriggers([{ firing, instruction, ...more }]);
    return outcome as CompletionOutcome;
  }

  recoverMisfires(maxCount = 100): Promise<MisfireSweep> {
    return this.store.recoverMisfires({ ...this.options, maxCount });
  }

  async find(key: NameOrKey = 'trigger'): Promise<StoredTrigger | null> {
    return (await this.store.getTriggers([toKey(key)]))[0] ?? null;
  }

  async trigger(key: NameOrKey = 'trigger'): Promise<Trigger> {
    const found = await this.find(key);
    expect(found).not.toBeNull();
    return (found as StoredTrigger).trigger;
  }

  async state(key: NameOrKey = 'trigger'): Promise<TriggerState | null> {
    return (await this.find(key))?.state ?? null;
  }

  async job(name = 'job'): Promise<JobDetail | null> {
    return (await this.store.getJobs([job(name).key]))[0] ?? null;
  }

  /** Everything a reader can see, to compare before and after. */
  async everything(): Promise<unknown> {
    const { store } = this;
    const calendarNames = await store.getCalendarNames();
    return {
      jobs: await allJobs(store),
      triggers: await allTriggers(store),
      jobGroups: await store.getJobGroupNames(),
      triggerGroups: await store.getTriggerGroupNames(),
      pausedGroups: await store.getPausedTriggerGroups(),
      calendars: await Promise.all(calendarNames.map(async (name) => [name, await store.getCalendar(name)])),
    };
  }
}

/** A change that stores a new trigger. */
export function storing(trigger: Trigger): ScheduleChange {
  return { type: 'storeTrigger', trigger, ifExists: 'fail', startTimeDefaulted: false };
}

/** Returns the firing of a result that must be a firing. */
export function expectFired(result: FireResult): TriggerFiring {
  if (result.status === 'fired') return result.firing;
  throw new Error(`Expected a firing, found that it was not fired: ${result.reason}.`);
}

/** Names of acquired or fired triggers, in order. */
export function namesOf(items: readonly { readonly trigger: Trigger }[]): readonly string[] {
  return items.map(({ trigger }) => trigger.key.name);
}

/** A change that stores the calendar 'holidays' and updates its triggers at once. */
export function storingCalendar(calendar: CalendarData, ifExists: IfExists = 'fail') {
  return { type: 'storeCalendar', name: 'holidays', calendar, ifExists, updateTriggers: true } as const;
}
