/** Options of `shutdown`. */
export interface ShutdownOptions {
  /** Waits for running jobs to end, at most until `deadline`. Default: false. */
  readonly waitForJobs?: boolean;
  /**
   * Maximum duration of the shutdown in milliseconds, 0 or more. Default: `scheduler.shutdownDeadline` (30,000). With `waitForJobs`, jobs that
   * still run at the deadline are aborted. Completions that could not be stored by then are reported as a `schedulerError`, and their runs are
   * recovered later. Closing may take up to 500 ms more. If the database is busy, storing the last completions and leaving the cluster may take
   * up to 2 s each.
   */
  readonly deadline?: number;
}
