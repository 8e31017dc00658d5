import type { Scheduler } from '../api/scheduler';
import { toError } from '../base/errors';
import type { ScheduleChange, ScheduleOutcome } from '../domain/schedule-change';
import { type ActionLog, actionLog } from './action-log';
import { changeMarkReader } from './change-mark';
import { type ControlReads, controlReads } from './control-reads';
import type { SchedulerParts } from './scheduler-parts';

/** What the faces need of a scheduler that its own API does not offer. */
export interface SchedulerControl extends ControlReads, ActionLog {
  /** All of the changes or none, as the schedule's own methods do. */
  apply(changes: readonly ScheduleChange[]): Promise<readonly ScheduleOutcome[]>;
  /** The time, in epoch milliseconds. */
  now(): number;
  /** The zone of triggers that name none. */
  readonly timeZone: string;
  /** Nobody named that zone: it is the one of this process. */
  readonly timeZoneDefaulted: boolean;
  /** Tells of an error that whoever asked is not told of: as a `schedulerError`, which is logged. */
  report(during: string, error: unknown): void;
  /**
   * Reads a text that is another one when other nodes have changed what is next to fire, what executes, or what has run. Three cheap reads.
   * Null: no other node shares the store. Rejects with STORE_FAILURE, or SCHEDULER_STATE after `shutdown`.
   */
  readonly readChangeMark: (() => Promise<string>) | null;
}

const CONTROLS = new WeakMap<Scheduler, SchedulerControl>();

/** Makes the control of a scheduler known. */
export function offerControl(scheduler: Scheduler, control: SchedulerControl): void {
  CONTROLS.set(scheduler, control);
}

/** The control of a scheduler that `createScheduler` made; null for anything else. */
export function controlOf(scheduler: Scheduler): SchedulerControl | null {
  return CONTROLS.get(scheduler) ?? null;
}

/** The control of a scheduler that is made of these parts. */
export function controlFor(parts: SchedulerParts): SchedulerControl {
  const { writer, config, clock, announce } = parts;
  return {
    ...controlReads(parts),
    ...actionLog(parts),
    apply: (changes) => writer.apply(changes),
    now: () => clock.now(),
    timeZone: config.timeZone,
    timeZoneDefaulted: config.timeZoneDefaulted,
    report: (during, error) => announce({ type: 'schedulerError', during, error: toError(error) }),
    readChangeMark: changeMarkReader(parts),
  };
}
