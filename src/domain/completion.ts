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

/** Number of fields of a cron expression without a year. An expression with a seventh field ends. */
const FIELDS_WITHOUT_YEAR = 6;

/** Instruction to the store for the trigger whose job has ended. Quartz's names. */
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
   * Triggers of further runs that follow from this end: a retry, a deferred firing, parts. A trigger is not stored if its job was deleted, or if its
   * key is already stored. The instruction does not apply to them, but they keep a non-durable job.
   */
  readonly further?: readonly SimpleTrigger[];
  /** Occurrence whose parts `further` runs. The store counts its parts from now on, if they are stored. */
  readonly parts?: SpreadOccurrence;
  /** History record of the run; absent if nothing is recorded. */
  readonly run?: RunRecord;
  /** End of the run, for triggers that wait for it; absent if none do. */
  readonly end?: RunEnd;
}

/** End of a run, with the facts for its consequences in the same transaction: chained jobs, and the other parts of its occurrence. */
export interface RunEnd {
  readonly occurrence: Occurrence;
  readonly outcome: RunOutcome;
  /** True if no further run of the occurrence (or of this part of it) is planned. */
  readonly isFinal: boolean;
  readonly endTime: EpochMs;
  /** A checkpoint of the occurrence is stored, by this run or an earlier one; absent if none is. */
  readonly hasCheckpoint?: true;
}

/** A run that has ended while triggers waited for the end of its job. */
export interface EndedRun {
  readonly jobKey: JobKey;
  readonly runId: string;
  readonly end: RunEnd;
}

/**
 * Returns the ends of these completions that triggers wait for; in nearly all cases none. The end of a part counts only for the rest of its
 * occurrence.
 */
export function endedRunsOf(completions: readonly Completion[]): readonly EndedRun[] {
  const ended: EndedRun[] = [];
  for (const { firing, end } of completions) {
    if (end !== undefined && end.occurrence.shard === undefined && firing.hasFollowers === true)
      ended.push({ jobKey: firing.jobDetail.key, runId: firing.runId, end });
  }
  return ended;
}

/** Parts of one occurrence that have ended. */
export interface EndedParts {
  readonly count: number;
  readonly failed: number;
  /** The end of the last of them. */
  readonly last: Completion;
}

/** Returns the parts that these completions end, by the ids of their occurrences. */
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
 * True if this completion loses parts that it does not end itself. Either its instruction ends all triggers of its job, or `notStored` indicates that the
 * next run of its own part was not stored.
 */
export function losesParts({ instruction, end }: Completion, notStored: boolean): boolean {
  if (notStored && end?.occurrence.shard !== undefined) return true;
  return instruction === 'SET_ALL_JOB_TRIGGERS_COMPLETE' || instruction === 'SET_ALL_JOB_TRIGGERS_ERROR';
}

/** Returns the end of an occurrence with its last part, in the form of a run's end. The occurrence succeeded if no part failed. */
export function endOfParts({ id, jobKey, failed, ...of }: SpreadOccurrence, endTime: EpochMs): EndedRun {
  const occurrence = { id, triggerKey: of.triggerKey, scheduledTime: of.scheduledTime, attempt: 1 };
  const outcome = failed === 0 ? 'succeeded' : 'failed';
  return { jobKey, runId: id, end: { occurrence, outcome, isFinal: true, endTime } };
}

/** Returns the ends of occurrences that end with their last parts. */
export function endsOfParts(ended: readonly SpreadOccurrence[], endTime: EpochMs): readonly EndedRun[] {
  return ended.map((occurrence) => endOfParts(occurrence, endTime));
}

/** True if a completion affects more than its own fired trigger: triggers blocked by its job or limit, or changed by the instruction. */
export function concernsOthers({ firing, instruction }: Completion): boolean {
  if (firing.jobDetail.disallowConcurrentExecution || firing.holds !== undefined) return true;
  return instruction !== 'NOOP' && instruction !== 'RE_EXECUTE_JOB' && instruction !== 'DELETE_TRIGGER';
}

/** True if this completion may end the trigger. If the job requests recovery, the trigger is kept until none of its firings can be recovered. */
export function mayEndTrigger({ firing }: Completion): boolean {
  return isRecoverable(firing) && mayEnd(firing.trigger);
}

function mayEnd(trigger: Trigger): boolean {
  if (trigger.nextFireTime === null || trigger.endTime !== null || trigger.calendarName !== null) return true;
  if (trigger.kind === 'CRON') return trigger.cronExpression.trim().split(/\s+/).length > FIELDS_WITHOUT_YEAR;
  return 'repeatCount' in trigger && trigger.repeatCount !== REPEAT_INDEFINITELY;
}

/** Effect of a completion on triggers: on the one that fired, on all triggers of its job, or on none. */
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

/** Plans a completion. `stored`: the trigger now under its key. A rescheduled trigger is not changed, and one that fires again is not deleted. */
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

/** Next fire times are not compared, because the trigger of a concurrent job may have fired again during this run. */
function isLeftBy(firing: TriggerFiring, stored: Trigger): boolean {
  return stored === firing.trigger || sameRegistration(stored, firing.trigger);
}
