import type { TriggerFiring } from '../../../src/domain/firing';
import { keyText, type TriggerKey, triggerKey } from '../../../src/domain/keys';
import type { Trigger } from '../../../src/domain/trigger';
import type { JobStore } from '../../../src/store/job-store';
import { MemoryJobStore } from '../../../src/store/memory/memory-job-store';
import { job, MISFIRE_THRESHOLD } from '../../conformance/samples';
import { StoreDriver } from '../../conformance/store-driver';
import { allTriggers } from '../all-stored';
import { calendarDataOf, type Draft, triggerOf } from './arbitrary-plans';
import { isOnce, keptAfterMisfire, skipsMissed, type Version, versionAfter } from './expected-version';
import { DAY, MINUTE, SECOND } from './local-time';
import { fireTimes, isIncluded, isWithinHours, type SlowCalendar } from './slow-schedule';

/*
 * A trigger in a memory store, checked against the guarantee of fire times. Each firing must have a time of the schedule, or make up for a missed
 * one. At the end of each period in which the scheduler runs, no fire time of that period may be missing.
 */

/** The key of the trigger, and the one that it alternates with when it is renamed. */
const KEYS = [triggerKey('trigger'), triggerKey('other')] as const;

export class WatchedTrigger {
  readonly driver: StoreDriver;
  readonly #fired = new Set<number>();
  readonly #caughtUp = new Set<number>();
  /** Due fire times that must fire now: none is too late, or the misfire instruction fires all. */
  readonly #dueNow = new Set<number>();
  /** Further due fire times that may run as one-shot triggers, because they outlived a change. */
  readonly #carried = new Set<number>();
  /** Caught-up fire times whose runs follow the calendar. */
  readonly #withCalendar = new Set<number>();
  #calendar: SlowCalendar | null = null;
  #version: Version | null = null;
  #lastFired: number | null = null;
  #isPaused = false;
  #key: TriggerKey = KEYS[0];

  private constructor(store: JobStore, now: number) {
    this.driver = new StoreDriver(store);
    this.driver.now = now;
  }

  /** `store`: an empty store. Default: in memory. */
  static async open(now: number, calendar: SlowCalendar, store = memoryStore()): Promise<WatchedTrigger> {
    const opened = new WatchedTrigger(store, now);
    await opened.driver.open();
    await opened.driver.applyOne({
      type: 'storeJob',
      job: job('job', { durable: true }),
      ifExists: 'fail',
      requireTrigger: false,
    });
    await opened.replaceCalendar(calendar, true);
    return opened;
  }

  get #now(): number {
    return this.driver.now;
  }

  /** Lets time pass while the process is down or suspended. */
  async sleep(duration: number): Promise<void> {
    this.driver.now += duration;
  }

  async pause(): Promise<void> {
    await this.#pump();
    await this.driver.store.pauseTriggers([this.#key]);
    this.#isPaused = (await this.driver.state(this.#key)) === 'PAUSED';
  }

  async resume(): Promise<void> {
    this.#isPaused = false;
    this.#expectMisfires();
    await this.driver.store.resumeTriggers([this.#key], this.driver.options);
    await this.#pump();
  }

  async change(draft: Draft, how: 'schedule' | 'reschedule' | 'rename'): Promise<void> {
    const given = draft(this.#now);
    const stored = this.#version;
    const next = versionAfter(given, {
      now: this.#now,
      stored,
      lastFired: this.#lastFired,
      due: stored === null ? [] : this.#due(stored.isApplied ? { ...stored, carried: [] } : stored),
      includes: (time) => !given.usesCalendar || isIncluded(this.#calendar, time),
    });
    const key = how === 'rename' && stored !== null ? KEYS[this.#key === KEYS[0] ? 1 : 0] : this.#key;
    const trigger: Trigger = { ...triggerOf(given), key };
    const startTimeDefaulted = given.startDefaulted;
    const isStored = stored !== null;
    const common = { trigger, startTimeDefaulted };
    const applied = this.driver.applyOne(
      how !== 'schedule' && isStored
        ? { type: 'replaceTrigger', key: this.#key, ...common }
        : { type: 'storeTrigger', ifExists: 'replace', ...common },
    );
    const error = await applied.then(
      () => null,
      (reason) => reason,
    );
    if (error !== null) return this.#expectRefusal(error, next);
    this.#version = next;
    this.#key = key;
    await this.#followDue(next);
    for (const time of next.carried) this.#carried.add(time);
    this.#isPaused = (await this.driver.state(this.#key)) === 'PAUSED';
    if (isStored) return;
    for (const time of this.#fired) this.#caughtUp.delete(time);
    this.#fired.clear();
  }

  async replaceCalendar(calendar: SlowCalendar, updateTriggers: boolean): Promise<void> {
    const version = this.#version;
    const before = this.#calendar;
    if (version?.isOwed) version.madeUpFrom = Math.min(this.#nextMakeUp(version), this.#now + 9 * DAY);
    await this.driver.applyOne({
      type: 'storeCalendar',
      name: 'calendar',
      calendar: calendarDataOf(calendar),
      ifExists: 'replace',
      updateTriggers,
      allowEnding: true,
    });
    this.#calendar = calendar;
    if (version === null || !version.definition.usesCalendar) return;
    const returned = version.excluded.filter((time) => isIncluded(calendar, time));
    version.carried = [...version.carried, ...returned].sort((a, b) => a - b);
    version.excluded = version.excluded.filter((time) => !returned.includes(time));
    // Fire times that the previous calendar excluded need not fire, unless the change brings triggers forward.
    const times = fireTimes(version.plan, this.#now - 3 * DAY, this.#now + (updateTriggers ? 0 : 9 * DAY));
    const first = times.find((time) => time > this.#now && isIncluded(before, time)) ?? Number.POSITIVE_INFINITY;
    const until = updateTriggers ? this.#now : first;
    const optional = times.filter((time) => time <= until && !isIncluded(before, time));
    version.optional = [...version.optional, ...optional, ...returned];
  }

  /** Lets time pass while the scheduler runs. */
  async run(duration: number): Promise<void> {
    const from = this.#now;
    const until = from + duration;
    await this.#pump();
    for (;;) {
      const next = await this.#nextWake();
      if (next === null || next > until) break;
      this.driver.now = Math.max(this.#now, next);
      await this.#pump();
    }
    this.driver.now = until;
    await this.#pump();
    this.#expectAllFired(from, until);
  }

  /** Ends with a calendar that excludes nothing, and expects every missed firing to have been made up. */
  async end(): Promise<void> {
    await this.resume();
    if (this.#calendar !== null)
      await this.replaceCalendar({ zone: this.#calendar.zone, kind: 'weekly', daysOfWeek: [] }, true);
    await this.run(DAY);
    const left = async () => {
      const missing = [...this.#caughtUp].filter((time) => !this.#fired.has(time));
      return [...new Set([...missing, ...(await this.#waitingRuns())])].map(isoTime);
    };
    if (this.#version?.isOwed || (await left()).length > 0) await this.run(8 * DAY); // until the next day of the week
    expect(await left()).toEqual([]);
  }

  /** Due fire times that the trigger does not keep itself must wait in one-shot triggers, unless the misfire instruction skips them. */
  async #followDue(next: Version): Promise<void> {
    const [first] = next.carried;
    const trigger = (await this.driver.find(this.#key))?.trigger;
    if (first === undefined || next.isApplied || trigger?.nextFireTime === first) return;
    next.isApplied = true;
    const kept = keptAfterMisfire(next.plan, next.definition.misfire, { due: next.carried, now: this.#now });
    const newest = kept.filter((time) => !next.optional.includes(time)).slice(-1);
    const runs = await this.#waitingRuns();
    expect(newest.filter((time) => !runs.has(time)).map(isoTime)).toEqual([]);
  }

  /** Fire times that wait in one-shot triggers. */
  async #waitingRuns(): Promise<ReadonlySet<number>> {
    const { items } = await allTriggers(this.driver.store);
    const names = items.map(({ trigger }) => trigger.key).filter((key) => keyText(key) !== keyText(this.#key));
    return new Set(names.map(({ name }) => Date.parse(name)));
  }

  /** Due fire times that have neither fired nor been handled by the misfire instruction. */
  #due({ plan, floor, carried, handledUpTo }: Version): readonly number[] {
    const from = Math.max(floor, handledUpTo + 1);
    const own = from > this.#now ? [] : fireTimes(plan, from, this.#now);
    const all = [...carried, ...own.filter((time) => !carried.includes(time))].sort((a, b) => a - b);
    return all.filter((time) => !this.#fired.has(time) && this.#includes(time));
  }

  #includes(time: number): boolean {
    return this.#version?.definition.usesCalendar !== true || isIncluded(this.#calendar, time);
  }

  /** Returns true if a change may be refused, because it leaves no fire time in the next days. */
  #expectRefusal(error: unknown, { plan, floor, carried, definition }: Version): void {
    expect(error).toMatchObject({ code: 'INVALID_TRIGGER' });
    const left = fireTimes(plan, Math.max(floor, this.#now), this.#now + 3 * DAY).filter(
      (time) => !definition.usesCalendar || isIncluded(this.#calendar, time),
    );
    const kept = keptAfterMisfire(plan, definition.misfire, { due: carried, now: this.#now });
    expect([...kept, ...left].map(isoTime)).toEqual([]);
  }

  /** Applies the misfire instruction to the due fire times, if the oldest is too late. */
  #expectMisfires(): void {
    const version = this.#version;
    if (version === null || this.#isPaused) return;
    const due = this.#due(version);
    const [oldest] = due;
    const { misfire } = version.definition;
    if (oldest === undefined) return;
    if (oldest >= this.#now - MISFIRE_THRESHOLD || misfire === 'all') {
      const { plan, optional } = version;
      if (plan.kind === 'every' && plan.repeats !== null) return;
      for (const time of due) if (!optional.includes(time)) this.#dueNow.add(time);
      return;
    }
    version.handledUpTo = this.#now;
    const { carried } = version;
    version.carried = [];
    version.excluded = [];
    version.onTime = due.filter((time) => time >= this.#now - MISFIRE_THRESHOLD);
    if (misfire === 'catchUp') {
      const newest = due.filter((time) => time >= this.#now - DAY).slice(-5);
      if (version.definition.usesCalendar) for (const time of newest) this.#withCalendar.add(time);
      for (const time of newest) (version.optional.includes(time) ? this.#carried : this.#caughtUp).add(time);
    } else if (!skipsMissed(version.plan, misfire)) {
      version.owedFrom = this.#now;
      version.madeUpFrom = Number.NEGATIVE_INFINITY;
      version.isOwed = due.some((time) => !version.optional.includes(time));
      version.hasOwnMissed = due.some((time) => !carried.includes(time));
    }
  }

  /** Applies misfire instructions, and fires and completes everything that is due. */
  async #pump(): Promise<void> {
    this.#expectMisfires();
    while ((await this.driver.recoverMisfires()).more);
    await this.#followRestart();
    for (;;) {
      const fired = await this.driver.fireDue({ maxCount: 10 });
      if (fired.length === 0) break;
      for (const firing of fired) {
        this.#check(firing);
        await this.driver.complete(firing, firing.trigger.nextFireTime === null ? 'DELETE_TRIGGER' : 'NOOP');
      }
    }
    expect([...this.#dueNow].filter((time) => !this.#fired.has(time)).map(isoTime)).toEqual([]);
    this.#dueNow.clear();
    const version = this.#version;
    if (version !== null && !this.#isPaused) {
      if (!this.#waitsForCalendar(version)) version.handledUpTo = this.#now;
      version.carried = [];
      version.excluded = [];
    }
    if (version !== null && (await this.driver.find(this.#key)) === null) {
      this.#expectEnded(version);
      this.#version = null;
      this.#lastFired = null;
    }
  }

  /** True for a one-shot trigger whose only fire time the calendar excludes, and whose misfire instruction fires it late. */
  #waitsForCalendar({ plan, definition, firings }: Version): boolean {
    return isOnce(plan) && firings === 0 && definition.misfire !== 'skip' && !this.#includes(plan.start);
  }

  /** A simple trigger that repeats counts from the time at which a missed firing is made up. */
  async #followRestart(): Promise<void> {
    const version = this.#version;
    if (version?.plan.kind !== 'every' || version.owedFrom === null) return;
    const trigger = (await this.driver.find(this.#key))?.trigger;
    if (trigger === undefined) return;
    if (isOnce(version.plan) || trigger.startTime < version.owedFrom) return;
    version.plan = { ...version.plan, start: trigger.startTime };
    version.floor = trigger.startTime;
  }

  #check(firing: TriggerFiring): void {
    const { key } = firing.trigger;
    const isOwn = keyText(key) === keyText(this.#key);
    const time = isOwn ? firing.scheduledFireTime : Date.parse(key.name);
    const late = this.#now - time;
    const version = this.#version;
    const told = `${isOwn ? 'firing' : 'one-shot'} of ${isoTime(time)} at ${isoTime(this.#now)}`;
    const check = (isRight: boolean, law: string) => expect(isRight ? '' : `${told}: ${law}`).toBe('');
    check(late >= 0, 'is early');
    check(!this.#isPaused, 'is paused');
    check(!this.#fired.has(time), 'is the second');
    this.#fired.add(time);
    if (!isOwn) {
      check(this.#caughtUp.has(time) || this.#carried.has(time), 'was not due');
      if (version !== null) {
        version.isOwed = false;
        if (!version.hasOwnMissed) version.owedFrom = null;
      }
      if (this.#withCalendar.has(time)) check(isIncluded(this.#calendar, this.#now), 'is excluded');
      return;
    }
    check(version !== null, 'has no schedule');
    if (version === null) return;
    const { plan, floor, carried, onTime, definition, owedFrom } = version;
    const isAsked = definition.misfire === 'all';
    const isOfSchedule =
      carried.includes(time) || onTime.includes(time) || (time >= floor && fireTimes(plan, time, time).length > 0);
    const isMadeUp = owedFrom !== null && time >= owedFrom;
    check(isOfSchedule || isMadeUp, 'is not in the schedule');
    check(this.#includes(time), 'is excluded');
    check(isOfSchedule || isWithinHours(plan, time), 'is outside of the hours');
    check(late <= MISFIRE_THRESHOLD || isAsked, 'is late');
    check(plan.end === null || time <= plan.end, 'is after the end');
    check(plan.end === null || isAsked || this.#now <= plan.end + MISFIRE_THRESHOLD, 'runs after the end');
    version.firings++;
    if (plan.kind === 'every' && plan.repeats !== null)
      check(version.firings <= plan.repeats + 1 + carried.length, 'is one too many');
    version.owedFrom = null;
    version.isOwed = false;
    this.#lastFired = time;
  }

  #expectAllFired(from: number, until: number): void {
    const version = this.#version;
    if (version === null || this.#isPaused) return;
    const { plan, floor, isOwed, optional } = version;
    if (plan.kind === 'every' && plan.repeats !== null) return;
    const isExpected = (time: number) => !optional.includes(time) && this.#includes(time);
    const times = fireTimes(plan, Math.max(from + 1, floor), until).filter(isExpected);
    expect(times.filter((time) => !this.#fired.has(time)).map(isoTime)).toEqual([]);
    if (!isOwed) return;
    const time = this.#nextMakeUp(version, from);
    if (time <= until) expect(`a missed firing is not made up at ${isoTime(time)}`).toBe('');
  }

  /** First time from `from` on at which a missed firing must be made up; infinite if there is none in the next days. */
  #nextMakeUp({ plan, madeUpFrom }: Version, from = this.#now): number {
    const first = Math.max(from, plan.start, madeUpFrom); // a restarted trigger keeps its new start, also under another calendar
    const until = Math.min(plan.end ?? Number.POSITIVE_INFINITY, first + 9 * DAY);
    // A second after each minute, because a daily calendar excludes the last instant of its range.
    for (let time = Math.ceil(first / MINUTE) * MINUTE + SECOND; time <= until; time += MINUTE)
      if (this.#includes(time) && isWithinHours(plan, time)) return time;
    return Number.POSITIVE_INFINITY;
  }

  /** A trigger that was deleted must not have further fire times. */
  #expectEnded(version: Version): void {
    const { plan, firings, floor } = version;
    if (plan.kind === 'every' && plan.repeats !== null && (firings > 0 || floor > plan.start)) return;
    const left = fireTimes(plan, Math.max(floor, this.#now + 1), this.#now + 3 * DAY);
    expect(left.map(isoTime)).toEqual([]);
  }

  async #nextWake(): Promise<number | null> {
    let next: number | null = null;
    const { items } = await allTriggers(this.driver.store);
    for (const { trigger, state } of items) {
      const time = trigger.nextFireTime;
      if (state === 'WAITING' && time !== null && (next === null || time < next)) next = time;
    }
    return next;
  }
}

function memoryStore(): JobStore {
  let runs = 0;
  return new MemoryJobStore(() => `run.${runs++}`);
}

const isoTime = (time: number) => new Date(time).toISOString();
