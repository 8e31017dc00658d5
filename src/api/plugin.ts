import type { Clock } from '../base/clock';
import type { DeclaredSet } from '../domain/declaration';
import type { ScheduleChange, ScheduleOutcome } from '../domain/schedule-change';
import type { SchedulerEvent } from '../domain/scheduler-event';
import type { StructuredLogger } from './logger';
import type { Scheduler } from './scheduler';

/** What a plugin is given. */
export interface PluginHost {
  /** The scheduler that is extended; not started yet. */
  readonly scheduler: Scheduler;
  /** The scheduler's: fields, then the message, as pino takes them, whichever logger it is. */
  readonly logger: StructuredLogger;
  /** The scheduler's time. */
  readonly clock: Clock;
  /** Zone of triggers and calendars that name none. */
  readonly timeZone: string;
  /** Nobody named that zone: it is the one of this process. */
  readonly timeZoneDefaulted: boolean;
  /**
   * Several changes as one unit, checked like everything that enters through the scheduler. Rejects with the codes of `scheduleJob`, such
   * as OBJECT_ALREADY_EXISTS, SCHEDULER_STATE or STORE_FAILURE.
   * With `declared`, they make up a declared set, and what it no longer names is deleted or reported: then outcomes of the deletions
   * follow those of the changes.
   */
  applySchedule(changes: readonly ScheduleChange[], declared?: DeclaredSet): Promise<readonly ScheduleOutcome[]>;
  /** Tells everybody who subscribed. */
  publish(event: SchedulerEvent): void;
}

/** Extends a scheduler. Installed while it is created, started before it fires, stopped before its store closes. */
export interface Plugin {
  /** For messages. */
  readonly name: string;
  /** While the scheduler is created. What it throws keeps that from being created, with CONFIGURATION. */
  install(host: PluginHost): void | Promise<void>;
  /** Before the first firing; called once. What it throws keeps the scheduler from starting, with CONFIGURATION. */
  start?(): void | Promise<void>;
  /** Before the store closes. It is waited for until the deadline of the shutdown; what it throws is a `schedulerError`. */
  stop?(): void | Promise<void>;
}
