import type { EpochMs } from '../base/clock';
import type { TriggerFiring } from './firing';
import type { JobData } from './job-data';
import type { JobKey } from './keys';
import type { Occurrence } from './occurrence';
import { sameRegistration } from './registration';
import type { RunOutcome, RunRecord } from './run';
import { FAILED_OUTCOMES } from './run-statistics';
import { isRecoverable } from './shards';
import type { SpreadOccurrence } from './spread-occurrence';
import { firesNoMore, REPEAT_INDEFINITELY, type SimpleTrigger, type Trigger } from './trigger';

/** Of a cron expression: with a seventh it ends. */
const FIELDS_WITHOUT_YEAR = 6;

/** What the store does with the trigger when its job has ended. Quartz's names. */
export type CompletionInstruction =
  | 'NOOP'
  | 'RE_EXECUTE_JOB'
  | 'DELETE_TRIGGER'
  | 'SET_TRIGGER_COMPLETE'
  | 'SET_ALL_JOB_TRIGGERS_COMPLETE'
  | 'SET_TRIGGER_ERROR'
  | 'SET_ALL_JOB_TRIGGERS_ERROR';

/** The end of one firing, for the store. */
export interface Completion {
  readonly firing: TriggerFiring;
  readonly instruction: CompletionInstruction;
  /** New data of a job that persists it; absent when unchanged. */
  readonly jobData?: JobData;
  /**
   * Triggers of further runs that follow from this end: a retry, the run of a deferred firing, parts. One is not stored if its job is gone,
   * or where one of its key is stored already. The instruction does not mean them, but they keep a job that is not durable.
   */
  readonly further?: readonly SimpleTrigger[];
  /** The occurrence whose parts `further` runs: it is counted from now on, if they are stored. */
  readonly parts?: SpreadOccurrence;
  /** What is recorded of the run; absent: nothing. */
  readonly run?: RunRecord;
  /** How the run ended, for whatever waits for that; absent: nothing does, and the completion says nothing more. */
  readonly end?: RunEnd;
}

/** The end of a run, for what follows from it in the same transaction: jobs that are chained to it, the other parts of its occurrence. */
export interface RunEnd {
  readonly occurrence: Occurrence;
  readonly outcome: RunOutcome;
  /** No further run of the occurrence (or of this part of it) is planned: it was the last attempt. */
  readonly isFinal: boolean;
  readonly endTime: EpochMs;
  /** A checkpoint of the occurrence is stored, by this run or by one before it; absent: none is. */
  readonly hasCheckpoint?: true;
}

/** A run that has ended while triggers waited for the end of its job. */
export interface EndedRun {
  readonly jobKey: JobKey;
  readonly runId: string;
  readonly end: RunEnd;
}

/** The ends of these completions that triggers wait for; none of nearly all. For a part nothing waits but the rest of its occurrence. */
export function endedRunsOf(completions: readonly Completion[]): readonly EndedRun[] {
  const ended: EndedRun[] = [];
  for (const { firing, end } of completions) {
    if (end !== undefined && end.occurrence.shard === undefined && firing.hasFollowers === true)
      ended.push({ jobKey: firing.jobDetail.key, runId: firing.runId, end });
  }
  return ended;
}

/** Parts of one occurrence that have ended for good. */
export interface EndedParts {
  readonly count: number;
  readonly failed: number;
  /** The end of the last of them. */
  readonly last: Completion;
}

/** The parts that these completions end for good, by the ids of their occurrences. */
export function endedPartsOf(completions: readonly Completion[]): ReadonlyMap<string, EndedParts> {
  const ended = new Map<string, EndedParts>();
  for (const completion of completions) {
    const { isFinal = false, outcome = 'succeeded', occurrence } = completion.end ?? {};
    if (occurrence?.shard?.isCounted !== true || !isFinal) continue;
    const { id } = occurrence;
    const { count, failed } = ended.get(id) ?? { count: 0, failed: 0 };
    const isFailed = FAILED_OUTCOMES.includes(outcome);
    ended.set(id, { count: count + 1, failed: failed + (isFailed ? 1 : 0), last: completion });
  }
  return ended;
}

/**
 * Whether with this completion parts are lost that it does not end itself: it ends what its job has left, or `notStored` says that what was
 * to run its part again is not stored.
 */
export function losesParts({ instruction, end }: Completion, notStored: boolean): boolean {
  if (notStored && end?.occurrence.shard !== undefined) return true;
  return instruction === 'SET_ALL_JOB_TRIGGERS_COMPLETE' || instruction === 'SET_ALL_JOB_TRIGGERS_ERROR';
}

/** The end of an occurrence with its last part, as that of a run: it has succeeded if no part failed. */
export function endOfParts({ id, jobKey, failed, ...of }: SpreadOccurrence, endTime: EpochMs): EndedRun {
  const occurrence = { id, triggerKey: of.triggerKey, scheduledTime: of.scheduledTime, attempt: 1 };
  const outcome = failed === 0 ? 'succeeded' : 'failed';
  return { jobKey, runId: id, end: { occurrence, outcome, isFinal: true, endTime } };
}

/** The ends of occurrences with their last parts. */
export function endsOfParts(ended: readonly SpreadOccurrence[], endTime: EpochMs): readonly EndedRun[] {
  return ended.map((occurrence) => endOfParts(occurrence, endTime));
}

/** Whether a completion affects more than its own fired trigger: triggers that its job or its limit has blocked, or that the instruction changes. */
export function concernsOthers({ firing, instruction }: Completion): boolean {
  if (firing.jobDetail.disallowConcurrentExecution || firing.holds !== undefined) return true;
  return instruction !== 'NOOP' && instruction !== 'RE_EXECUTE_JOB' && instruction !== 'DELETE_TRIGGER';
}

/** Whether this completion may end the trigger: one whose job requests recovery is kept until none of its firings can be recovered. */
export function mayEndTrigger({ firing }: Completion): boolean {
  return isRecoverable(firing) && mayEnd(firing.trigger);
}

function mayEnd(trigger: Trigger): boolean {
  if (trigger.nextFireTime === null || trigger.endTime !== null || trigger.calendarName !== null) return true;
  if (trigger.kind === 'CRON') return trigger.cronExpression.trim().split(/\s+/).length > FIELDS_WITHOUT_YEAR;
  return 'repeatCount' in trigger && trigger.repeatCount !== REPEAT_INDEFINITELY;
}

/** What a completion does to triggers: to the one that fired, to all of its job, or to none. */
export type CompletionPlan =
  | { readonly scope: 'none' }
  | { readonly scope: 'trigger'; readonly action: 'delete' | 'complete' | 'fail' }
  | { readonly scope: 'job'; readonly action: 'complete' | 'fail' };

const NONE: CompletionPlan = { scope: 'none' };
const DELETE: CompletionPlan = { scope: 'trigger', action: 'delete' };
const COMPLETE: CompletionPlan = { scope: 'trigger', action: 'complete' };
const FAIL: CompletionPlan = { scope: 'trigger', action: 'fail' };
const COMPLETE_ALL: CompletionPlan = { scope: 'job', action: 'complete' };
const FAIL_ALL: CompletionPlan = { scope: 'job', action: 'fail' };

/** Plans a completion. `stored` is the trigger now under its key: one that was rescheduled is not changed, one that fires again not deleted. */
export function planCompletion({ firing, instruction }: Completion, stored: Trigger | null): CompletionPlan {
  switch (instruction) {
    case 'NOOP':
    case 'RE_EXECUTE_JOB':
      return NONE;
    case 'SET_ALL_JOB_TRIGGERS_COMPLETE':
      return COMPLETE_ALL;
    case 'SET_ALL_JOB_TRIGGERS_ERROR':
      return FAIL_ALL;
    case 'DELETE_TRIGGER':
      return stored !== null && firesNoMore(stored) ? DELETE : NONE;
    case 'SET_TRIGGER_COMPLETE':
      return stored !== null && isLeftBy(firing, stored) ? COMPLETE : NONE;
    case 'SET_TRIGGER_ERROR':
      return stored !== null && isLeftBy(firing, stored) ? FAIL : NONE;
  }
}

/** Not by the next fire time: the trigger may have fired again while this execution of a concurrent job went on. */
function isLeftBy(firing: TriggerFiring, stored: Trigger): boolean {
  return stored === firing.trigger || sameRegistration(stored, firing.trigger);
}
