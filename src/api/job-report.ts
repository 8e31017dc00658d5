/** Log of a run. Up to 64 kB of lines are stored with the run; the oldest lines are dropped first. */
export interface JobLog {
  /** Logs details for diagnosis. `data`: as for `info`. */
  debug(message: string, data?: unknown): void;
  /** Logs normal operation. `data` is stored as JSON of at most 8,000 characters, an error with its stack. */
  info(message: string, data?: unknown): void;
  /** Logs a condition that an operator should check. `data`: as for `info`. */
  warn(message: string, data?: unknown): void;
  /** Logs an error. `data`: as for `info`. */
  error(message: string, data?: unknown): void;
}

/** Report that a job makes about its run. */
export interface JobReport {
  /** Summary of one or two sentences, truncated after 1,000 characters. */
  readonly summary?: string;
  /** Metrics by name: at most 50 finite numbers, with names of at most 100 characters. */
  readonly metrics?: Readonly<Record<string, number>>;
  /** Outcome of the run (default `succeeded`). `failed`: as if the job had thrown. `skipped`: there was nothing to do. */
  readonly outcome?: 'succeeded' | 'failed' | 'skipped';
}

/**
 * Return value of a job, or a promise of one. The value is stored with the recorded run, as JSON of at most 16 kB (`Run.result`). An object with
 * only the keys `outcome`, `summary` and `metrics` is used as a report instead (`JobReport`). A job that persists its data must return undefined,
 * or a map of JSON values, which becomes its data. Any other value fails the firing.
 */
export type JobResult = unknown;
