import type { Clock } from '../base/clock';
import type { ScheduleChange, ScheduleOutcome } from '../domain/schedule-change';
import type { ApplyOptions, ScheduleStore } from '../store/job-store';
import { checkChanges, type RunnableTypes } from './check-changes';
import { type Happening, happeningsOf } from './schedule-events';

/** What the writer needs. */
export interface ScheduleWriterParts {
  readonly store: Pick<ScheduleStore, 'applySchedule'>;
  readonly clock: Clock;
  /** Milliseconds. */
  readonly misfireThreshold: number;
  readonly runnableTypes: () => RunnableTypes;
  readonly announce: (happening: Happening) => void;
  /** Throws SCHEDULER_STATE after shutdown. */
  readonly assertUsable: () => void;
}

/** The one door through which schedules are changed: checks, applies as one transaction, then tells. */
export class ScheduleWriter {
  readonly #parts: ScheduleWriterParts;

  constructor(parts: ScheduleWriterParts) {
    this.#parts = parts;
  }

  /**
   * All of the changes or none. One outcome per change. `alsoRunnable` is a job type that will be registered when they
   * are applied.
   */
  async apply(changes: readonly ScheduleChange[], alsoRunnable?: string): Promise<readonly ScheduleOutcome[]> {
    const { store, announce, assertUsable, runnableTypes } = this.#parts;
    assertUsable();
    const checked = checkChanges(changes, withType(runnableTypes(), alsoRunnable));
    const outcomes = await store.applySchedule(checked, this.options());
    checked.forEach((change, index) => {
      const outcome = outcomes[index];
      if (outcome !== undefined) happeningsOf(change, outcome).forEach(announce);
    });
    return outcomes;
  }

  /** A single change. */
  async applyOne(change: ScheduleChange): Promise<ScheduleOutcome> {
    const [outcome] = await this.apply([change]);
    return outcome as ScheduleOutcome;
  }

  /** The moment, for writes whose result depends on it. */
  options(): ApplyOptions {
    return { now: this.#parts.clock.now(), misfireThreshold: this.#parts.misfireThreshold };
  }
}

function withType(runnable: RunnableTypes, type: string | undefined): RunnableTypes {
  return runnable === null || type === undefined ? runnable : [...runnable, type];
}
