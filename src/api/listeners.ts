import type { CompletionInstruction } from '../domain/completion';
import type { JobDetail } from '../domain/job-detail';
import type { GroupMatcher, JobKey, TriggerKey } from '../domain/keys';
import type { JobExecutionContext } from './job';
import type { Trigger } from './trigger';

type Answer = void | Promise<void>;

/** Called around jobs. What runs before the job is awaited (at most `listenerTimeout`); a failure never stops the job. */
export interface JobListener {
  readonly name: string;
  jobToBeExecuted?(context: JobExecutionContext): Answer;
  jobExecutionVetoed?(context: JobExecutionContext): Answer;
  jobWasExecuted?(context: JobExecutionContext, error: Error | null): Answer;
}

/**
 * Called around firings. `vetoJobExecution` is the only method whose answer matters; one that fails does not veto. A vetoed firing counts
 * as done. Triggers that fire together are asked about together, before the first of their jobs begins.
 */
export interface TriggerListener {
  readonly name: string;
  triggerFired?(trigger: Trigger, context: JobExecutionContext): Answer;
  vetoJobExecution?(trigger: Trigger, context: JobExecutionContext): boolean | Promise<boolean>;
  triggerMisfired?(trigger: Trigger): Answer;
  triggerComplete?(trigger: Trigger, context: JobExecutionContext, instruction: CompletionInstruction): Answer;
}

/** Called on what happens to the scheduler and its schedule. */
export interface SchedulerListener {
  jobScheduled?(trigger: Trigger): Answer;
  jobUnscheduled?(key: TriggerKey): Answer;
  triggerFinalized?(trigger: Trigger): Answer;
  triggerPaused?(key: TriggerKey): Answer;
  triggersPaused?(matcher: GroupMatcher): Answer;
  triggerResumed?(key: TriggerKey): Answer;
  triggersResumed?(matcher: GroupMatcher): Answer;
  jobAdded?(job: JobDetail): Answer;
  jobDeleted?(key: JobKey): Answer;
  jobPaused?(key: JobKey): Answer;
  jobsPaused?(matcher: GroupMatcher): Answer;
  jobResumed?(key: JobKey): Answer;
  jobsResumed?(matcher: GroupMatcher): Answer;
  schedulerError?(message: string, error: Error): Answer;
  schedulerInStandbyMode?(): Answer;
  schedulerStarting?(): Answer;
  schedulerStarted?(): Answer;
  schedulerShuttingdown?(): Answer;
  schedulerShutdown?(): Answer;
  schedulingDataCleared?(): Answer;
}

/** Selects keys; `keyEquals`, `groupEquals`, `and`, `not` … make them. */
export interface Matcher<Key extends JobKey | TriggerKey> {
  isMatch(key: Key): boolean;
}

/** Adds and removes listeners. A listener without matchers hears of everything; names are unique per kind. */
export interface ListenerManager {
  addJobListener(listener: JobListener, ...matchers: readonly Matcher<JobKey>[]): void;
  addJobListenerMatcher(name: string, matcher: Matcher<JobKey>): boolean;
  removeJobListenerMatcher(name: string, matcher: Matcher<JobKey>): boolean;
  setJobListenerMatchers(name: string, matchers: readonly Matcher<JobKey>[]): boolean;
  getJobListenerMatchers(name: string): readonly Matcher<JobKey>[] | null;
  removeJobListener(name: string): boolean;
  getJobListeners(): readonly JobListener[];
  getJobListener(name: string): JobListener | null;
  addTriggerListener(listener: TriggerListener, ...matchers: readonly Matcher<TriggerKey>[]): void;
  addTriggerListenerMatcher(name: string, matcher: Matcher<TriggerKey>): boolean;
  removeTriggerListenerMatcher(name: string, matcher: Matcher<TriggerKey>): boolean;
  setTriggerListenerMatchers(name: string, matchers: readonly Matcher<TriggerKey>[]): boolean;
  getTriggerListenerMatchers(name: string): readonly Matcher<TriggerKey>[] | null;
  removeTriggerListener(name: string): boolean;
  getTriggerListeners(): readonly TriggerListener[];
  getTriggerListener(name: string): TriggerListener | null;
  addSchedulerListener(listener: SchedulerListener): void;
  removeSchedulerListener(listener: SchedulerListener): boolean;
  getSchedulerListeners(): readonly SchedulerListener[];
}
