import type { EpochMs } from '../base/clock';
import type { FiringFinding, TriggerFiring } from './firing';
import {
  BACKFILL_GROUP_PREFIX,
  type DeferringRule,
  type Dispatch,
  deferredData,
  deferredGroup,
  deferredTriggerKey,
  isGroupOfFurtherRuns,
  occurrenceOf,
  RETRYING_JOBS,
  scheduledTimeOf,
  startOf,
  tooLateBy,
} from './occurrence';
import { HAND_OVERS, REFUSALS, refusalsOf } from './recovery';
import type { RetryPolicy } from './retry-policy';
import { planParts, spreadOf } from './shards';
import type { SpreadOccurrence } from './spread-occurrence';
import { oneShotTrigger, type SimpleTrigger } from './trigger';

/**
 * Reason why a job is skipped after its trigger has fired.
 * `late`: the run would start later than `startWithin` allows.
 * `deadline`: the deadline of the run has passed; the run counts as timed out.
 * `overlap`: an earlier run of the job is executing, and the overlap rule allows no further firing to wait.
 * `rate`: the next free turn under the rate limit is later than `startWithin` or the deadline allows.
 * `maxAge`: a retry would start later than `maxAge` of the retry policy allows; the run counts as failed and becomes a dead letter.
 */
export type SkipReason = 'late' | 'deadline' | 'maxAge' | 'overlap' | 'rate';

/**
 * Reason why a firing does not run its job now, but stores triggers that run it later.
 * `spread`: the occurrence is divided into parts (shards), with one run for each part.
 * `overlap`: the run waits until earlier runs of the job end.
 * `jitter`: the run starts at a random time after the scheduled time.
 * `rate`: the run waits for its turn under the rate limit.
 * `limit`: the run waits for its concurrency limit, because an earlier run in the same slot takes long.
 */
export type DeferReason = Exclude<DeferringRule, 'factory'> | 'spread';

/** Decision not to run a firing's job now. The trigger advances to its next fire time as if the job had run. */
export type Refusal =
  | {
      readonly status: 'skip';
      readonly reason: SkipReason;
      /** Explanation for the run history. */
      readonly message: string;
      /** Time since the scheduled fire time, in milliseconds. */
      readonly lateBy: number;
    }
  /** Completing the firing stores the triggers in `further`, which run instead. The history records their runs, but not this firing. */
  | {
      readonly status: 'defer';
      readonly reason: DeferReason;
      readonly further: readonly SimpleTrigger[];
      /** Counters for the parts (shards) of the occurrence. Absent unless the triggers in `further` run parts. */
      readonly parts?: SpreadOccurrence;
      /** Start time of the runs in `further`. Absent if they start immediately, or after another run ends. */
      readonly until?: EpochMs;
      /** Ids of the runs to interrupt before this firing's job can run. */
      readonly cancels?: readonly string[];
      /** See `Completion.passesTo`. */
      readonly passesTo?: string;
    };

/** Decides whether a firing is skipped or deferred. Null: its job may run. `nodes`: nodes that can run the job; used only for a broadcast. */
export function refuse(firing: TriggerFiring, nodes: readonly string[] = []): Refusal | null {
  const { finding, trigger, jobDetail } = firing;
  if (finding === undefined && trigger.policy === undefined && jobDetail.policy === undefined) return null;
  const start = jitteredStart(firing);
  if (start !== null) {
    return { status: 'defer', reason: 'jitter', further: [deferredTrigger(firing, 'jitter', start)], until: start };
  }
  return refuseLate(firing) ?? (finding === undefined ? takeApart(firing, nodes) : afterFinding(firing, finding));
}

/** Returns the start time after jitter; null to start now. Jitter does not delay retries, recoveries or runs that were already deferred. */
function jitteredStart(dispatch: Dispatch): EpochMs | null {
  const { trigger, fireTime } = dispatch;
  if (trigger.policy?.jitter === undefined || isGroupOfFurtherRuns(trigger.key.group)) return null;
  const start = startOf(dispatch);
  return start > fireTime ? start : null;
}

/** True if a firing is skipped because it is too late, or delayed by jitter. Its limits and overlap rule then need no check. */
export function isOutOfTime(dispatch: Dispatch): boolean {
  return jitteredStart(dispatch) !== null || refuseLate(dispatch) !== null;
}

/** Returns null if the firing is late for neither its deadline nor `startWithin`. */
function refuseLate(dispatch: Dispatch): Refusal | null {
  const deadline = deadlineOf(dispatch);
  if (deadline !== null && dispatch.fireTime >= deadline) return pastDeadline(dispatch);
  const lateBy = tooLateBy(dispatch);
  if (lateBy === null) return null;
  const message = `Skipped: the run would have started ${lateBy} ms late, later than startWithin allows.`;
  return { status: 'skip', reason: 'late', message, lateBy };
}

function afterFinding(firing: TriggerFiring, finding: FiringFinding): Refusal {
  const scheduledTime = scheduledTimeOf(firing);
  if (finding.reason === 'rate') return afterRate(firing, finding);
  if (finding.status === 'skip') {
    const message = 'Skipped: an earlier run of its job was still executing.';
    return { status: 'skip', reason: finding.reason, message, lateBy: firing.fireTime - scheduledTime };
  }
  // With the scheduled time as their fire time, deferred firings start in the order of their scheduled times.
  const further = [deferredTrigger(firing, finding.reason, scheduledTime)];
  return { status: 'defer', reason: finding.reason, further, cancels: finding.cancels };
}

function afterRate(firing: TriggerFiring, { status, until }: FiringFinding & { readonly reason: 'rate' }): Refusal {
  if (status === 'defer') return { status, reason: 'rate', further: [deferredTrigger(firing, 'rate', until)], until };
  const late = refuseLate({ ...firing, fireTime: until });
  if (late?.status === 'skip' && late.reason === 'deadline') return late;
  const lateBy = until - scheduledTimeOf(firing);
  const message = `Skipped: because of the rate limit, the run would have started ${lateBy} ms late, later than startWithin allows.`;
  return { status: 'skip', reason: 'rate', message, lateBy };
}

/** Defers a firing whose slot is used by `running`, an earlier run that takes long. The firing that holds the slot passes it to that run. */
export function deferBehind(firing: TriggerFiring, running: TriggerFiring): Refusal & { readonly status: 'defer' } {
  const further = [deferredTrigger(firing, 'limit', scheduledTimeOf(firing))];
  return { status: 'defer', reason: 'limit', further, ...(firing.holds && { passesTo: running.runId }) };
}

/** Returns the trigger that runs a firing on any node, because the job factory of this node refused it. It keeps its attempt and its checkpoint. */
export function refusedTrigger(firing: TriggerFiring): SimpleTrigger {
  const trigger = deferredTrigger(firing, 'factory', scheduledTimeOf(firing));
  return { ...trigger, data: { ...trigger.data, [REFUSALS]: String(refusalsOf(firing.trigger.data) + 1) } };
}

function deferredTrigger(firing: TriggerFiring, rule: DeferringRule, time: EpochMs): SimpleTrigger {
  const { key, jobKey, priority, policy } = firing.trigger;
  const deferredKey = deferredTriggerKey(firing.runId, deferredGroup(key.group));
  return oneShotTrigger(deferredKey, time, { jobKey, data: deferredData(firing, rule), priority }, policy);
}

/**
 * Returns the refusal of a retry or hand-over that would start later than `maxAge` allows, because of a pause, a deferral or a lack of nodes; null otherwise. The
 * age counts from the scheduled time, or from a manual rerun. The rerun itself is never refused.
 */
export function refuseOld(firing: TriggerFiring, { maxAge, from }: RetryPolicy): Refusal | null {
  const { key, data } = firing.trigger;
  if (maxAge === undefined || (key.group !== RETRYING_JOBS && data[HAND_OVERS] === undefined)) return null;
  const { attempt, scheduledTime } = occurrenceOf(firing);
  const isRerun = from !== undefined && attempt <= from.attempt;
  const age = firing.fireTime - (from?.time ?? scheduledTime);
  if (isRerun || age <= maxAge) return null;
  const message = `Not retried: the retry would have started ${age} ms after its occurrence, later than the maxAge of its retry policy (${maxAge} ms) allows.`;
  return { status: 'skip', reason: 'maxAge', message, lateBy: firing.fireTime - scheduledTime };
}

function pastDeadline(firing: Dispatch): Refusal {
  const lateBy = firing.fireTime - scheduledTimeOf(firing);
  const message = `Skipped: the run would have started ${lateBy} ms late, after its deadline.`;
  return { status: 'skip', reason: 'deadline', message, lateBy };
}

/**
 * Returns the time by which a run must end; null if the run has no deadline. It counts from the scheduled time, so a retry gets only the remaining
 * time. After a manual rerun, it counts from the rerun; for a backfill, from the fire time of the backfill's trigger.
 */
export function deadlineOf(firing: Dispatch): EpochMs | null {
  const { trigger, jobDetail, scheduledFireTime } = firing;
  const { deadline } = trigger.policy?.timeout ?? jobDetail.policy?.timeout ?? {};
  if (deadline === undefined) return null;
  const isBackfill = trigger.key.group.startsWith(BACKFILL_GROUP_PREFIX);
  const from = trigger.policy?.retry?.from?.time;
  return (from ?? (isBackfill ? scheduledFireTime : scheduledTimeOf(firing))) + deadline;
}

function takeApart(firing: TriggerFiring, nodes: readonly string[]): Refusal | null {
  const spread = spreadOf(firing);
  if (spread === null) return null;
  const planned =
    spread === 'broadcast'
      ? planParts(firing, { shards: Math.max(1, nodes.length) }, nodes)
      : planParts(firing, spread);
  return { status: 'defer', reason: 'spread', ...planned };
}
