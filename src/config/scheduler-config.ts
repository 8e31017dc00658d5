/** A scheduler's configuration once resolved: every default filled in, every value checked, frozen. */
export interface SchedulerConfig {
  readonly instanceName: string;
  readonly instanceId: string;
  /** Zone of triggers and calendars that name none. */
  readonly timeZone: string;
  /** Milliseconds, as all durations here. */
  readonly idleWaitTime: number;
  readonly batchTriggerAcquisitionMaxCount: number;
  readonly batchTriggerAcquisitionFireAheadTimeWindow: number;
  /** Pause after the store failed. */
  readonly dbFailureRetryInterval: number;
  readonly interruptJobsOnShutdown: boolean;
  readonly interruptJobsOnShutdownWithWait: boolean;
  readonly listenerTimeout: number;
  readonly shutdownDeadline: number;
  /** How often a job may ask to be run again at once. */
  readonly maxRefireCount: number;
  readonly context: Readonly<Record<string, string>>;
  readonly threadPool: { readonly kind: 'async' | 'zeroSize'; readonly threadCount: number };
  readonly jobStore: {
    readonly kind: 'memory' | 'sqlite' | 'mysql';
    readonly misfireThreshold: number;
    readonly maxMisfiresToHandleAtATime: number;
  };
  readonly plugins: readonly PluginConfig[];
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
}

/** One plugin of the file: which, and its own settings. */
export interface PluginConfig {
  readonly name: string;
  readonly kind: 'loggingJobHistory' | 'loggingTriggerHistory' | 'scheduleFile' | 'shutdownHook';
  readonly settings: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}
