import type { Clock } from '../base/clock';
import type { DeclaredSet } from '../domain/declaration';
import type { ScheduleChange, ScheduleOutcome } from '../domain/schedule-change';
import type { SchedulerEvent } from '../domain/scheduler-event';
import type { StructuredLogger } from './logger';
import type { Scheduler } from './scheduler';

/** Scheduler features that a plugin can use. */
export interface PluginHost {
  /** Scheduler that the plugin extends. The scheduler is not started during `install`. */
  readonly scheduler: Scheduler;
  /** Logger of the scheduler. Its methods take the fields first, then the message. */
  readonly logger: StructuredLogger;
  /** Clock of the scheduler. */
  readonly clock: Clock;
  /** Time zone of triggers and calendars that have no time zone of their own. */
  readonly timeZone: string;
  /** True if no time zone was configured, so that `timeZone` is the zone of this process. */
  readonly timeZoneDefaulted: boolean;
  /**
   * Checks and applies several changes to the schedule. More than 200 changes are applied in portions, unless `declared` is `atomic`. Rejects with
   * the codes of `scheduleJob`, such as OBJECT_ALREADY_EXISTS, SCHEDULER_STATE or STORE_FAILURE.
   *
   * With `declared`, the changes are a complete declared set: triggers that an earlier declaration of the set named, and this one does not, are
   * deleted or reported. Returns one outcome per change, followed by the outcomes of these deletions.
   */
  applySchedule(changes: readonly ScheduleChange[], declared?: DeclaredSet): Promise<readonly ScheduleOutcome[]>;
  /** Publishes an event to all subscribers. */
  publish(event: SchedulerEvent): void;
}

/** Extension of a scheduler. Installed while the scheduler is created, started before the first firing, and stopped before the store closes. */
export interface Plugin {
  /** Name of the plugin, used in messages. */
  readonly name: string;
  /** Called while the scheduler is created. If `install` fails, `createScheduler` fails with CONFIGURATION. */
  install(host: PluginHost): void | Promise<void>;
  /** Called once, before the first firing. If it fails, the scheduler does not start, and `scheduler.start` rejects with CONFIGURATION. */
  start?(): void | Promise<void>;
  /** Called before the store closes. The shutdown waits for it, at most until the shutdown deadline. A failure is reported as a `schedulerError`. */
  stop?(): void | Promise<void>;
}
