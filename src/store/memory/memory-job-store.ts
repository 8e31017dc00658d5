import type { EpochMs } from '../../base/clock';
import type { CalendarData } from '../../domain/calendars/calendar';
import type { Completion } from '../../domain/completion';
import type { AcquiredTrigger, FireResult } from '../../domain/firing';
import type { JobDetail } from '../../domain/job-detail';
import type { JobKey, TriggerKey } from '../../domain/keys';
import type { ScheduleChange } from '../../domain/schedule-change';
import type {
  AcquireRequest,
  AcquireResult,
  AppliedSchedule,
  ApplyOptions,
  CompletionOutcome,
  JobQuery,
  JobStore,
  MisfireRequest,
  MisfireSweep,
  Page,
  StoredTrigger,
  TriggerQuery,
  Which,
} from '../job-store';
import {
  applySchedule,
  pauseJobs,
  pauseTriggers,
  resetTriggersFromError,
  resumeJobs,
  resumeTriggers,
} from './change-schedule';
import { acquireTriggers, completeTrigger, fireTriggers, recoverMisfires, releaseTriggers } from './firings';
import { MemoryTables } from './memory-tables';
import { queryJobs, queryTriggers, toStoredTrigger } from './read-schedule';

/**
 * Keeps the schedule in this process: nothing outlives it. Every operation runs in one turn of the event loop, so each
 * is a transaction by itself.
 */
export class MemoryJobStore implements JobStore {
  readonly description = { name: 'memory', persistent: false, clustered: false } as const;

  readonly #newFireInstanceId: () => string;
  readonly #tables: MemoryTables;
  #onScheduleChanged: ((earliest: EpochMs | null) => void) | null = null;

  /** Tests pass `tables` to inspect them. */
  constructor(newFireInstanceId: () => string, tables: MemoryTables = new MemoryTables()) {
    this.#newFireInstanceId = newFireInstanceId;
    this.#tables = tables;
  }

  async open(onScheduleChanged: (earliest: EpochMs | null) => void): Promise<void> {
    this.#onScheduleChanged = onScheduleChanged;
  }

  async close(): Promise<void> {
    this.#onScheduleChanged = null;
  }

  async applySchedule(changes: readonly ScheduleChange[], options: ApplyOptions): Promise<AppliedSchedule> {
    return this.#announcing(() => applySchedule(this.#tables, changes, options));
  }

  async pauseTriggers(which: Which<TriggerKey>): Promise<readonly string[]> {
    return pauseTriggers(this.#tables, which);
  }

  async resumeTriggers(which: Which<TriggerKey>, options: ApplyOptions): Promise<readonly string[]> {
    return this.#announcing(() => resumeTriggers(this.#tables, which, options));
  }

  async pauseJobs(which: Which<JobKey>): Promise<readonly string[]> {
    return pauseJobs(this.#tables, which);
  }

  async resumeJobs(which: Which<JobKey>, options: ApplyOptions): Promise<readonly string[]> {
    return this.#announcing(() => resumeJobs(this.#tables, which, options));
  }

  async resetTriggersFromError(keys: readonly TriggerKey[]): Promise<readonly string[]> {
    return this.#announcing(() => resetTriggersFromError(this.#tables, keys));
  }

  async acquireTriggers(request: AcquireRequest): Promise<AcquireResult> {
    return acquireTriggers(this.#tables, request, this.#newFireInstanceId);
  }

  async releaseTriggers(acquired: readonly AcquiredTrigger[]): Promise<void> {
    releaseTriggers(this.#tables, acquired);
  }

  async fireTriggers(acquired: readonly AcquiredTrigger[], now: EpochMs): Promise<readonly FireResult[]> {
    return fireTriggers(this.#tables, acquired, now);
  }

  async completeTriggers(completions: readonly Completion[]): Promise<readonly CompletionOutcome[]> {
    return this.#announcing(() => completions.map((completion) => completeTrigger(this.#tables, completion)));
  }

  async recoverMisfires(request: MisfireRequest): Promise<MisfireSweep> {
    return this.#announcing(() => recoverMisfires(this.#tables, request));
  }

  async getJobs(keys: readonly JobKey[]): Promise<readonly JobDetail[]> {
    return keys.flatMap((key) => this.#tables.job(key)?.detail ?? []);
  }

  async getTriggers(keys: readonly TriggerKey[]): Promise<readonly StoredTrigger[]> {
    const entries = keys.map((key) => this.#tables.trigger(key));
    return entries.filter((entry) => entry !== null).map(toStoredTrigger);
  }

  async queryJobs(query: JobQuery): Promise<Page<JobDetail>> {
    return queryJobs(this.#tables, query);
  }

  async queryTriggers(query: TriggerQuery): Promise<Page<StoredTrigger>> {
    return queryTriggers(this.#tables, query);
  }

  async getJobGroupNames(): Promise<readonly string[]> {
    return this.#tables.jobGroups.names();
  }

  async getTriggerGroupNames(): Promise<readonly string[]> {
    return this.#tables.triggerGroups.names();
  }

  async getPausedTriggerGroups(): Promise<readonly string[]> {
    return [...this.#tables.pausedGroups].sort();
  }

  async getCalendar(name: string): Promise<CalendarData | null> {
    return this.#tables.calendars.get(name)?.data ?? null;
  }

  async getCalendarNames(): Promise<readonly string[]> {
    return [...this.#tables.calendars.keys()].sort();
  }

  /** Nothing is stored that was not checked in this process. */
  async getUnreadableRows(): Promise<readonly never[]> {
    return [];
  }

  async getDeclaredTriggers(set: string): Promise<readonly TriggerKey[]> {
    const entries = [...this.#tables.declared.values()].filter((entry) => entry.set === set);
    return entries.map(({ key }) => key);
  }

  /** Runs an operation and reports the earliest fire time that it brought within reach, if any. */
  #announcing<T>(operation: () => T): T {
    const { due } = this.#tables;
    due.takeEarliestOffered();
    const result = operation();
    const earliest = due.takeEarliestOffered();
    if (earliest !== null) this.#onScheduleChanged?.(earliest);
    return result;
  }
}
