import type { Clock, EpochMs } from '../base/clock';
import type { FireResult } from '../domain/firing';
import type { JobDetail } from '../domain/job-detail';
import type { ScheduleChange, ScheduleOutcome } from '../domain/schedule-change';
import type { ApplyOptions, FireNow, JobStore } from '../store/job-store';
import { checkChanges } from './check-changes';
import type { KnownJobTypes } from './known-job-types';
import { type EventInput, eventsOf } from './schedule-events';

/** What the writer needs. */
export interface ScheduleWriterParts {
  readonly store: Pick<JobStore, 'applySchedule'>;
  /** Runs what is fired in the transaction that schedules it; null where nothing is gained by that. */
  readonly promptFiring: PromptFiring | null;
  readonly clock: Clock;
  /** Milliseconds. */
  readonly misfireThreshold: number;
  readonly jobTypes: Pick<KnownJobTypes, 'strangersOf' | 'assertRunElsewhere'>;
  readonly announce: (event: EventInput) => void;
  /** Throws SCHEDULER_STATE after shutdown. */
  readonly assertUsable: () => void;
}

/** What the engine does for changes that make something due at once. */
export interface PromptFiring {
  offer(count: number): FireNow | null;
  dispatchReserved(offer: FireNow, fired: readonly FireResult[]): void;
}

/** More at once are as quick when they are acquired in a batch. */
const MOST_PROMPT = 10;

/** The one door through which schedules are changed: checks, applies as one transaction, then tells. */
export class ScheduleWriter {
  readonly #parts: ScheduleWriterParts;

  constructor(parts: ScheduleWriterParts) {
    this.#parts = parts;
  }

  /**
   * All of the changes or none. One outcome per change. `alsoRunnable` are job types that will be registered when they
   * are applied.
   */
  async apply(
    changes: readonly ScheduleChange[],
    alsoRunnable: readonly string[] = [],
  ): Promise<readonly ScheduleOutcome[]> {
    const { store, promptFiring, assertUsable, jobTypes } = this.#parts;
    assertUsable();
    const checked = checkChanges(changes);
    const strangers = jobTypes.strangersOf(jobsOf(checked), alsoRunnable);
    if (strangers.length > 0) await jobTypes.assertRunElsewhere(strangers);
    const options = this.options();
    const due = countDue(checked, options.now);
    const fireNow = due <= MOST_PROMPT ? (promptFiring?.offer(due) ?? null) : null;
    let fired: readonly FireResult[] = [];
    try {
      const applied = await store.applySchedule(checked, { ...options, fireNow });
      fired = applied.fired;
      this.#tell(checked, applied.outcomes);
      return applied.outcomes;
    } finally {
      if (fireNow !== null) promptFiring?.dispatchReserved(fireNow, fired);
    }
  }

  /** A single change. */
  async applyOne(change: ScheduleChange): Promise<ScheduleOutcome> {
    const [outcome] = await this.apply([change]);
    return outcome as ScheduleOutcome;
  }

  #tell(changes: readonly ScheduleChange[], outcomes: readonly ScheduleOutcome[]): void {
    changes.forEach((change, index) => {
      const outcome = outcomes[index];
      if (outcome !== undefined) eventsOf(change, outcome).forEach(this.#parts.announce);
    });
  }

  /** The moment, for writes whose result depends on it. */
  options(): ApplyOptions {
    return { now: this.#parts.clock.now(), misfireThreshold: this.#parts.misfireThreshold };
  }
}

/** How many of the changes may make something due by `now`. */
function countDue(changes: readonly ScheduleChange[], now: EpochMs): number {
  return changes.filter((change) => change.type === 'storeTrigger' && change.trigger.startTime <= now).length;
}

/** Those whose types must be known. */
function jobsOf(changes: readonly ScheduleChange[]): readonly JobDetail[] {
  return changes.flatMap((change) =>
    change.type === 'storeJob' && change.registeredLater !== true ? [change.job] : [],
  );
}
