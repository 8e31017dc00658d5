import type { EpochMs } from '../base/clock';
import type { TriggerFiring } from './firing';
import type { JobData } from './job-data';
import type { JobKey, TriggerKey } from './keys';
import type { Occurrence } from './occurrence';
import type { RunOutcome, RunRecord } from './run';
import { FAILED_OUTCOMES } from './run-statistics';
import { isRecoverable } from './shards';
import type { SpreadOccurrence } from './spread-occurrence';
import { REPEAT_INDEFINITELY, type SimpleTrigger, type Trigger } from './trigger';
import { sameRegistration } from './trigger-behaviour';
import { hasEnded } from './trigger-end';

/** Number of fields in a cron expression without a year. Only an expression with a year field can stop firing. */
const FIELDS_WITHOUT_YEAR = 6;

/** Instruction to the store for the triggers of a job whose run has ended. The names are Quartz's. */
export type CompletionInstruction =
  | 'NOOP'
  | 'RE_EXECUTE_JOB'
  | 'DELETE_TRIGGER'
  | 'SET_TRIGGER_COMPLETE'
  | 'SET_ALL_JOB_TRIGGERS_COMPLETE'
  | 'SET_TRIGGER_ERROR'
  | 'SET_ALL_JOB_TRIGGERS_ERROR';

export interface Completion {
  readonly firing: TriggerFiring;
  readonly instruction: CompletionInstruction;
  /** New job data if the job stores its data after each run; absent if the data is unchanged. */
  readonly jobData?: JobData;
  /**
   * Triggers that run the same occurrence later: a retry, a deferred run, or parts (shards). The store ignores a trigger whose job was deleted or
   * whose key exists, see also `wantedRuns`. `instruction` does not apply to them. A non-durable job is not deleted while they exist.
   */
  readonly further?: readonly SimpleTrigger[];
  /** Set if the shutdown of the node cut the run short, and the trigger in `further` repeats it. */
  readonly isHandedOver?: true;
  /** Set if the job factory of the node refused the run, and the trigger in `further` runs it on any node. */
  readonly isRefused?: true;
  /** Occurrence whose parts (shards) the triggers in `further` run. If the store saves these triggers, it counts the parts that end from then on. */
  readonly parts?: SpreadOccurrence;
  /** Record of the run for the history; absent if the run is not recorded. */
  readonly run?: RunRecord;
  /** End of the run. Absent if no chained trigger, checkpoint, `mustSucceedWithin` or occurrence with parts (shards) depends on it. */
  readonly end?: RunEnd;
  /** Run that takes over the limits held by this firing, which did not run because an earlier run of its slot took too long. */
  readonly passesTo?: string;
  /** Keys of the limits that this run took over from a later firing of its slot; see `passesTo`. */
  readonly tookOver?: readonly string[];
}

/** End of a run. The same transaction can start chained jobs, count an ended part (shard), delete checkpoints, and meet `mustSucceedWithin`. */
export interface RunEnd {
  readonly occurrence: Occurrence;
  readonly outcome: RunOutcome;
  /** True if no further run of the occurrence, or of this part (shard) of it, is planned. */
  readonly isFinal: boolean;
  readonly endTime: EpochMs;
  /** Set if a checkpoint of the occurrence is stored, whether by this run or an earlier one. */
  readonly hasCheckpoint?: true;
}

/** A run that has ended and whose job at least one AFTER trigger waits for. */
export interface EndedRun {
  readonly jobKey: JobKey;
  readonly runId: string;
  readonly end: RunEnd;
}

/** Returns the ends of runs for which AFTER triggers wait. Omits parts (shards), because only the end of the whole occurrence counts. */
export function endedRunsOf(completions: readonly Completion[]): readonly EndedRun[] {
  const ended: EndedRun[] = [];
  for (const { firing, end } of completions) {
    if (end !== undefined && end.occurrence.shard === undefined && firing.hasFollowers === true)
      ended.push({ jobKey: firing.jobDetail.key, runId: firing.runId, end });
  }
  return ended;
}

/**
 * Returns the further runs to store. A run is not handed over if its trigger was deleted while it ran: deletion also ends what would be repeated.
 * A retry of such a run is stored. `isTriggerStored`: whether a trigger is stored under the key of the fired trigger.
 */
export function wantedRuns({ further = [], isHandedOver }: Completion, isTriggerStored: boolean) {
  return isHandedOver === true && !isTriggerStored ? [] : further;
}

/**
 * Returns the record of an ended run; undefined if it has none. A run whose hand-over was not stored, because its job was deleted, is interrupted: no
 * node repeats it.
 */
export function recordOfEnd(
  { run, further = [], isHandedOver }: Completion,
  isStored: (key: TriggerKey) => boolean,
): RunRecord | undefined {
  if (run === undefined || isHandedOver !== true || further.every(({ key }) => isStored(key))) return run;
  return { ...run, outcome: 'interrupted' };
}

/** Number of ended and of failed parts (shards) of one occurrence within a batch of completions. */
export interface EndedParts {
  readonly count: number;
  readonly failed: number;
  /** Last completion in the batch that ended a part (shard) of the occurrence. */
  readonly last: Completion;
}

/** Counts the parts of occurrences (shards) that these completions end. Returns the counts by occurrence id. */
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

/** True if parts (shards) may never run: the instruction ends all triggers of the job, or the part's next run could not be stored (`notStored`). */
export function losesParts({ instruction, end }: Completion, notStored: boolean): boolean {
  if (notStored && end?.occurrence.shard !== undefined) return true;
  return instruction === 'SET_ALL_JOB_TRIGGERS_COMPLETE' || instruction === 'SET_ALL_JOB_TRIGGERS_ERROR';
}

/** Returns the end of an occurrence whose last part (shard) has ended, as for a run: `succeeded` if no part failed, otherwise `failed`. */
export function endOfParts({ id, jobKey, failed, ...of }: SpreadOccurrence, endTime: EpochMs): EndedRun {
  const occurrence = { id, triggerKey: of.triggerKey, scheduledTime: of.scheduledTime, attempt: 1 };
  const outcome = failed === 0 ? 'succeeded' : 'failed';
  return { jobKey, runId: id, end: { occurrence, outcome, isFinal: true, endTime } };
}

export function endsOfParts(ended: readonly SpreadOccurrence[], endTime: EpochMs): readonly EndedRun[] {
  return ended.map((occurrence) => endOfParts(occurrence, endTime));
}

/** True if a completion can affect other triggers: triggers that the job blocks, or that the instruction changes. */
export function concernsOthers({ firing, instruction }: Completion): boolean {
  if (firing.jobDetail.disallowConcurrentExecution) return true;
  return instruction !== 'NOOP' && instruction !== 'RE_EXECUTE_JOB' && instruction !== 'DELETE_TRIGGER';
}

/** True if the store must check whether to end the trigger: the trigger of recoverable firings is kept until none of them can be recovered. */
export function mayEndTrigger({ firing }: Completion): boolean {
  return isRecoverable(firing) && mayEnd(firing.trigger);
}

/** True if the completion stores nothing besides the end and the record of its run, provided nothing has changed since its trigger fired. */
export function storesNothingElse(completion: Completion): boolean {
  const { jobData, further, end } = completion;
  return jobData === undefined && further === undefined && end === undefined && !mayEndTrigger(completion);
}

function mayEnd(trigger: Trigger): boolean {
  if (trigger.nextFireTime === null || trigger.endTime !== null || trigger.calendarName !== null) return true;
  if (trigger.kind === 'CRON') return trigger.cronExpression.trim().split(/\s+/).length > FIELDS_WITHOUT_YEAR;
  return 'repeatCount' in trigger && trigger.repeatCount !== REPEAT_INDEFINITELY;
}

/** Effect of a completion on stored triggers. `scope`: only the trigger that fired, all triggers of its job, or none. */
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

/** `stored`: trigger now under the same key. A rescheduled trigger is not changed, and a trigger that may fire again is not deleted. */
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
      return stored !== null && hasEnded(stored, firing.fireTime) ? DELETE : NONE;
    case 'SET_TRIGGER_COMPLETE':
      return stored !== null && isLeftBy(firing, stored) ? COMPLETE : NONE;
    case 'SET_TRIGGER_ERROR':
      return stored !== null && isLeftBy(firing, stored) ? FAIL : NONE;
  }
}

/** Does not compare next fire times, because a trigger of a concurrent job may have fired again during the run. */
function isLeftBy(firing: TriggerFiring, stored: Trigger): boolean {
  return stored === firing.trigger || sameRegistration(stored, firing.trigger);
}
