/** What a scheduler says of itself. */
export interface SchedulerMetaData {
  /** `scheduler.instanceName` of the configuration. */
  readonly schedulerName: string;
  /** The id of this node. */
  readonly schedulerInstanceId: string;
  /** Of this package. */
  readonly version: string;
  /** When it was first started; null: not yet. */
  readonly runningSince: Date | null;
  /** How many runs of jobs have begun here since it was created, refires included. */
  readonly numberOfJobsExecuted: number;
  /** Whether `start` was ever called. */
  readonly isStarted: boolean;
  /** Whether it does not fire now. */
  readonly isInStandbyMode: boolean;
  /** Whether `shutdown` was called. */
  readonly isShutdown: boolean;
  /**
   * This node of a cluster was started and may not fire now: it could not check in for too long, has lost its place, or its clock is too
   * far off. It goes on by itself.
   */
  readonly isFenced: boolean;
  /** False while this node of a cluster cannot check in, within its detection time (check-in interval and grace) at the latest. */
  readonly isStoreAvailable: boolean;
  /**
   * Where jobs and triggers are kept; `persistent`: they outlive the process, `clustered`: several nodes share them.
   */
  readonly jobStore: { readonly name: string; readonly persistent: boolean; readonly clustered: boolean };
  /** What runs the jobs; `size`: how many at once. */
  readonly threadPool: { readonly name: string; readonly size: number };
  /** Several lines for people. */
  readonly summary: string;
}
