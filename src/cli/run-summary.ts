import type { EpochMs } from '../base/clock';
import { SchedulerError } from '../base/errors';
import { formatKey } from '../domain/keys';
import { occurrenceOfTrigger } from '../domain/occurrence';
import type { SchedulerEvent } from '../domain/scheduler-event';
import type { Trigger } from '../domain/trigger';

/** Counts and lateness of a session or trigger. Lateness: milliseconds from scheduled fire time to start of the job; null if no job has started. */
interface RunFigures {
  readonly firings: number;
  readonly failures: number;
  readonly misfires: number;
  readonly vetoed: number;
  readonly lateness: { readonly p50: number | null; readonly p99: number | null; readonly max: number | null };
}

export interface RunReport extends RunFigures {
  readonly type: 'summary';
  readonly startedAt: EpochMs;
  readonly endedAt: EpochMs;
  /** Number of errors outside of jobs, for example in the store, listeners and plugins. */
  readonly schedulerErrors: number;
  readonly abandonedJobs: number;
  /** Summaries by trigger, in the order of their first event. The entry `(others)` counts all triggers after the first 1,000. */
  readonly triggers: readonly (RunFigures & { readonly trigger: string })[];
}

/** Maximum number of triggers that are counted individually. Limits the memory of a long session. */
const MAX_TRIGGERS = 1_000;
const OTHERS = '(others)';

export class RunSummary {
  readonly #total = newTally();
  readonly #triggers = new Map<string, Tally>();
  #schedulerErrors = 0;
  #abandonedJobs = 0;

  record(event: SchedulerEvent): void {
    switch (event.type) {
      case 'triggerFired':
        this.#count(event.firing.trigger, 'firings');
        break;
      case 'jobStarted':
        if (event.refireCount > 0) break;
        for (const { lateness } of this.#tallies(event.firing.trigger))
          lateness.record(event.at - event.firing.scheduledFireTime);
        break;
      case 'triggerCompleted':
        if (event.error !== null) this.#count(event.firing.trigger, 'failures');
        break;
      case 'jobVetoed':
        this.#count(event.firing.trigger, 'vetoed');
        break;
      case 'triggerMisfired':
        this.#count(event.trigger, 'misfires');
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
    const triggers = [...this.#triggers].map(([trigger, tally]) => ({ trigger, ...figuresOf(tally) }));
    const errors = { schedulerErrors: this.#schedulerErrors, abandonedJobs: this.#abandonedJobs };
    return { type: 'summary', ...times, ...figuresOf(this.#total), ...errors, triggers };
  }

  #count(trigger: Trigger, what: 'firings' | 'failures' | 'misfires' | 'vetoed'): void {
    for (const tally of this.#tallies(trigger)) tally[what]++;
  }

  /** Returns the tallies for an event of this trigger: its own and the total. A retry counts for the original trigger. */
  #tallies(of: Trigger): readonly Tally[] {
    const trigger = formatKey(occurrenceOfTrigger(of).triggerKey);
    const name = this.#triggers.has(trigger) || this.#triggers.size < MAX_TRIGGERS ? trigger : OTHERS;
    const tally = this.#triggers.get(name) ?? newTally();
    this.#triggers.set(name, tally);
    return [tally, this.#total];
  }
}

/** True if the error is the failure of a job. Such an error is counted for its trigger, not as a scheduler error. */
export function isJobError(error: Error): boolean {
  return error instanceof SchedulerError && error.code === 'JOB_EXECUTION';
}

interface Tally {
  firings: number;
  failures: number;
  misfires: number;
  vetoed: number;
  readonly lateness: Lateness;
}

function newTally(): Tally {
  return { firings: 0, failures: 0, misfires: 0, vetoed: 0, lateness: new Lateness() };
}

function figuresOf({ lateness, ...counts }: Tally): RunFigures {
  return {
    ...counts,
    lateness: { p50: lateness.percentile(0.5), p99: lateness.percentile(0.99), max: lateness.max },
  };
}

/** Distribution of lateness, in milliseconds. Stores counts of rounded values, so that memory does not grow with the number of firings. */
export class Lateness {
  readonly #counts = new Map<number, number>();
  #total = 0;
  #greatest = 0;

  record(milliseconds: number): void {
    const value = rounded(Math.max(0, milliseconds));
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
    this.#total++;
    this.#greatest = Math.max(this.#greatest, milliseconds);
  }

  /** Returns the percentile for `share` (0 to 1), rounded like the values. Returns null if no value was recorded. */
  percentile(share: number): number | null {
    let remaining = Math.ceil(this.#total * share);
    for (const value of [...this.#counts.keys()].sort((a, b) => a - b)) {
      remaining -= this.#counts.get(value) ?? 0;
      if (remaining <= 0) return value;
    }
    return null;
  }

  get max(): number | null {
    return this.#total === 0 ? null : this.#greatest;
  }
}

/** Rounds to whole milliseconds, and from 1,000 ms to three significant digits, which limits the distinct values to a few thousand. */
function rounded(milliseconds: number): number {
  return milliseconds < 1_000 ? Math.round(milliseconds) : Number(milliseconds.toPrecision(3));
}
