import type { EpochMs } from '../base/clock';
import { SchedulerError } from '../base/errors';
import { formatKey } from '../domain/keys';
import type { SchedulerEvent } from '../domain/scheduler-event';
import type { Trigger } from '../domain/trigger';
import { Lateness } from './lateness';

/** What a run did, in numbers. Lateness is from the scheduled fire time to the start of the job, in milliseconds. */
export interface RunFigures {
  readonly firings: number;
  readonly failures: number;
  readonly misfires: number;
  readonly vetoed: number;
  readonly lateness: { readonly p50: number | null; readonly p99: number | null; readonly max: number | null };
}

/** The figures of a whole run. */
export interface RunReport extends RunFigures {
  readonly type: 'summary';
  readonly startedAt: EpochMs;
  readonly endedAt: EpochMs;
  /** Errors that belong to no job: of the store, of listeners and plugins. */
  readonly schedulerErrors: number;
  readonly abandonedJobs: number;
  /** By trigger, in the order of their first event; the last may be named `(others)`. */
  readonly triggers: readonly (RunFigures & { readonly trigger: string })[];
}

/** More triggers than this are counted together, so that memory is bounded however long the run. */
const MAX_TRIGGERS = 1_000;
const OTHERS = '(others)';

/** Counts what happens while a scheduler runs. */
export class RunSummary {
  readonly #total = new Tally();
  readonly #triggers = new Map<string, Tally>();
  #schedulerErrors = 0;
  #abandonedJobs = 0;

  record(event: SchedulerEvent): void {
    switch (event.type) {
      case 'triggerFired':
        this.#count(event.firing.trigger, (tally) => tally.fired());
        break;
      case 'jobStarted':
        if (event.refireCount === 0) {
          this.#count(event.firing.trigger, (tally) =>
            tally.lateness.record(event.at - event.firing.scheduledFireTime),
          );
        }
        break;
      case 'triggerCompleted':
        if (event.error !== null) this.#count(event.firing.trigger, (tally) => tally.failed());
        break;
      case 'jobVetoed':
        this.#count(event.firing.trigger, (tally) => tally.wasVetoed());
        break;
      case 'triggerMisfired':
        this.#count(event.trigger, (tally) => tally.misfired());
        break;
      case 'schedulerError':
        if (!isJobError(event.error)) this.#schedulerErrors++;
        break;
      case 'schedulerShutdown':
        this.#abandonedJobs += event.abandonedJobs;
        break;
    }
  }

  report(times: { readonly startedAt: EpochMs; readonly endedAt: EpochMs }): RunReport {
    const triggers = [...this.#triggers].map(([trigger, tally]) => ({ trigger, ...tally.figures() }));
    const errors = { schedulerErrors: this.#schedulerErrors, abandonedJobs: this.#abandonedJobs };
    return { type: 'summary', ...times, ...this.#total.figures(), ...errors, triggers };
  }

  #count({ key }: Trigger, change: (tally: Tally) => void): void {
    const trigger = formatKey(key);
    const name = this.#triggers.has(trigger) || this.#triggers.size < MAX_TRIGGERS ? trigger : OTHERS;
    const tally = this.#triggers.get(name) ?? new Tally();
    this.#triggers.set(name, tally);
    change(tally);
    change(this.#total);
  }
}

/** A job's own failure, which is counted with its trigger and not as one of the scheduler's. */
export function isJobError(error: Error): boolean {
  return error instanceof SchedulerError && error.code === 'JOB_EXECUTION';
}

class Tally {
  readonly lateness = new Lateness();
  #firings = 0;
  #failures = 0;
  #misfires = 0;
  #vetoed = 0;

  fired(): void {
    this.#firings++;
  }

  failed(): void {
    this.#failures++;
  }

  misfired(): void {
    this.#misfires++;
  }

  wasVetoed(): void {
    this.#vetoed++;
  }

  figures(): RunFigures {
    const { lateness } = this;
    return {
      firings: this.#firings,
      failures: this.#failures,
      misfires: this.#misfires,
      vetoed: this.#vetoed,
      lateness: { p50: lateness.percentile(0.5), p99: lateness.percentile(0.99), max: lateness.max },
    };
  }
}
