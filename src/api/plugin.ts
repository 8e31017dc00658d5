import type { Clock } from '../base/clock';
import type { DeclaredSet } from '../domain/declaration';
import type { ScheduleChange, ScheduleOutcome } from '../domain/schedule-change';
import type { SchedulerEvent } from '../domain/scheduler-event';
import type { StructuredLogger } from './logger';
import type { Scheduler } from './scheduler';

/** Interfaces that the scheduler gives to a plugin. */
export interface PluginHost {
  /** Scheduler that is extended. It is not started yet. */
  readonly scheduler: Scheduler;
  /** Logger of the scheduler. Takes the fields, then the message, regardless of the wrapped logger. */
  readonly logger: StructuredLogger;
  /** Clock of the scheduler. */
  readonly clock: Clock;
  /** Time zone of triggers and calendars without their own. */
  readonly timeZone: string;
  /** True if no zone was configured, so that the scheduler uses the zone of this process. */
  readonly timeZoneDefaulted: boolean;
  /**
   * Applies several changes as one unit, checked like every change that enters through the scheduler. Rejects with the codes of
   * `scheduleJob`, such as OBJECT_ALREADY_EXISTS, SCHEDULER_STATE or STORE_FAILURE.
   *
   * With `declared`, the changes make up a declared set. Triggers that the set no longer names are deleted or reported. The outcomes of the
   * deletions then follow those of the changes.
   */
  applySchedule(changes: readonly ScheduleChange[], declared?: DeclaredSet): Promise<readonly ScheduleOutcome[]>;
  /** Notifies all subscribers. */
  publish(event: SchedulerEvent): void;
}

/** Extends a scheduler. It is installed while the scheduler is created, started before it fires, and stopped before its store closes. */
export interface Plugin {
  /** Name of the plugin in messages. */
  readonly name: string;
  /** Called while the scheduler is created. If it throws, creating the scheduler fails with CONFIGURATION. */
  install(host: PluginHost): void | Promise<void>;
  /** Called once, before the first firing. If it throws, the scheduler does not start and fails with CONFIGURATION. */
  start?(): void | Promise<void>;
  /** Called before the store closes. The scheduler waits for it until the shutdown deadline and reports its error as `schedulerError`. */
  stop?(): void | Promise<void>;
}
