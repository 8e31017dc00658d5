import type { CompletionInstruction } from '../domain/completion';
import type { JobDetail } from '../domain/job-detail';
import type { GroupMatcher, JobKey, TriggerKey } from '../domain/keys';
import type { JobExecutionContext } from './job';
import type { Trigger } from './trigger';

type Answer = void | Promise<void>;

/** Called around jobs. What runs before the job is awaited (at most `listenerTimeout`); a failure never stops the job. */
export interface JobListener {
  /** Unique among job listeners; another one of that name takes its place. */
  readonly name: string;
  /** Before the job runs, which waits for the answer. */
  jobToBeExecuted?(context: JobExecutionContext): Answer;
  /** Instead of the run, when a trigger listener vetoed it. */
  jobExecutionVetoed?(context: JobExecutionContext): Answer;
  /** After the run; `error`: what it threw, null when it ended well. */
  jobWasExecuted?(context: JobExecutionContext, error: Error | null): Answer;
}

/**
 * Called around firings. `vetoJobExecution` is the only method whose answer matters; one that fails does not veto. A vetoed firing counts
 * as done. Triggers that fire together are asked about together, before the first of their jobs begins.
 */
export interface TriggerListener {
  /** Unique among trigger listeners; another one of that name takes its place. */
  readonly name: string;
  /** Before the job runs, which waits for the answer. */
  triggerFired?(trigger: Trigger, context: JobExecutionContext): Answer;
  /** True: the job does not run this time. That firing is over, and its time is not made up for. */
  vetoJobExecution?(trigger: Trigger, context: JobExecutionContext): boolean | Promise<boolean>;
  /** A fire time was missed; the misfire instruction decides what follows. */
  triggerMisfired?(trigger: Trigger): Answer;
  /** After the run, with what became of the trigger. */
  triggerComplete?(trigger: Trigger, context: JobExecutionContext, instruction: CompletionInstruction): Answer;
}

/** Called on what happens to the scheduler and its schedule. */
export interface SchedulerListener {
  /** A trigger was stored. */
  jobScheduled?(trigger: Trigger): Answer;
  /** A trigger was deleted. */
  jobUnscheduled?(key: TriggerKey): Answer;
  /** A trigger will not fire again. */
  triggerFinalized?(trigger: Trigger): Answer;
  /** One trigger was paused. */
  triggerPaused?(key: TriggerKey): Answer;
  /** Groups of triggers were paused. */
  triggersPaused?(matcher: GroupMatcher): Answer;
  /** One trigger was resumed. */
  triggerResumed?(key: TriggerKey): Answer;
  /** Groups of triggers were resumed. */
  triggersResumed?(matcher: GroupMatcher): Answer;
  /** A job was stored. */
  jobAdded?(job: JobDetail): Answer;
  /** A job was deleted. */
  jobDeleted?(key: JobKey): Answer;
  /** All triggers of a job were paused. */
  jobPaused?(key: JobKey): Answer;
  /** Groups of jobs were paused. */
  jobsPaused?(matcher: GroupMatcher): Answer;
  /** All triggers of a job were resumed. */
  jobResumed?(key: JobKey): Answer;
  /** Groups of jobs were resumed. */
  jobsResumed?(matcher: GroupMatcher): Answer;
  /** Something failed, and the scheduler goes on; `message` says during what. */
  schedulerError?(message: string, error: Error): Answer;
  /** Nothing is fired until `start`. */
  schedulerInStandbyMode?(): Answer;
  /** `start` was called. */
  schedulerStarting?(): Answer;
  /** It fires from now on. */
  schedulerStarted?(): Answer;
  /** `shutdown` was called; jobs may still run. */
  schedulerShuttingdown?(): Answer;
  /** The scheduler has ended. */
  schedulerShutdown?(): Answer;
  /** All jobs, triggers and calendars were deleted. */
  schedulingDataCleared?(): Answer;
}

/** Selects keys; `keyEquals`, `groupEquals`, `and`, `not` … make them. */
export interface Matcher<Key extends JobKey | TriggerKey> {
  /** Whether the key belongs to those that are meant. */
  isMatch(key: Key): boolean;
}

/** Adds and removes listeners. A listener without matchers hears of everything; names are unique per kind. */
export interface ListenerManager {
  /** Adds a listener, in place of one with the same name; without matchers it hears of every job. */
  addJobListener(listener: JobListener, ...matchers: readonly Matcher<JobKey>[]): void;
  /** The listener also hears of what this matches. False: there is none of that name. */
  addJobListenerMatcher(name: string, matcher: Matcher<JobKey>): boolean;
  /** Takes that matcher away again. False: there is no such listener, or it had no such matcher. */
  removeJobListenerMatcher(name: string, matcher: Matcher<JobKey>): boolean;
  /** In place of all matchers it has. False: there is no listener of that name. */
  setJobListenerMatchers(name: string, matchers: readonly Matcher<JobKey>[]): boolean;
  /** The matchers of a listener; null: there is none of that name. */
  getJobListenerMatchers(name: string): readonly Matcher<JobKey>[] | null;
  /** False: there was none of that name. */
  removeJobListener(name: string): boolean;
  /** All job listeners, in the order in which they are called. */
  getJobListeners(): readonly JobListener[];
  /** Null: there is none of that name. */
  getJobListener(name: string): JobListener | null;
  /** Adds a listener, in place of one with the same name; without matchers it hears of every trigger. */
  addTriggerListener(listener: TriggerListener, ...matchers: readonly Matcher<TriggerKey>[]): void;
  /** The listener also hears of what this matches. False: there is none of that name. */
  addTriggerListenerMatcher(name: string, matcher: Matcher<TriggerKey>): boolean;
  /** Takes that matcher away again. False: there is no such listener, or it had no such matcher. */
  removeTriggerListenerMatcher(name: string, matcher: Matcher<TriggerKey>): boolean;
  /** In place of all matchers it has. False: there is no listener of that name. */
  setTriggerListenerMatchers(name: string, matchers: readonly Matcher<TriggerKey>[]): boolean;
  /** The matchers of a listener; null: there is none of that name. */
  getTriggerListenerMatchers(name: string): readonly Matcher<TriggerKey>[] | null;
  /** False: there was none of that name. */
  removeTriggerListener(name: string): boolean;
  /** All trigger listeners, in the order in which they are called. */
  getTriggerListeners(): readonly TriggerListener[];
  /** Null: there is none of that name. */
  getTriggerListener(name: string): TriggerListener | null;
  /** Adds a listener; the same object is added once. */
  addSchedulerListener(listener: SchedulerListener): void;
  /** False: it was not there. */
  removeSchedulerListener(listener: SchedulerListener): boolean;
  /** All scheduler listeners, in the order in which they are called. */
  getSchedulerListeners(): readonly SchedulerListener[];
}
