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
import { retryTrigger } from './retry';
import type { RetryPolicy } from './retry-policy';
import { planParts, spreadOf } from './shards';
import type { SpreadOccurrence } from './spread-occurrence';
import type { SimpleTrigger } from './trigger';

/**
 * Reason why a firing's job is not run at all. `late`: later than `startWithin` allows. `deadline`: the time by which it had to end has passed; the
 * run counts as timed out. `overlap`: an earlier run of its job is executing, and the overlap rule lets no further firing wait. `rate`: its rate has
 * no turn early enough for `startWithin`. `maxAge`: a retry that begins later than its policy allows; the run counts as failed, and becomes a dead
 * letter.
 */
export type SkipReason = 'late' | 'deadline' | 'maxAge' | 'overlap' | 'rate';

/**
 * Reason why further runs replace a firing's job. `spread`: they are its parts. `overlap`: it waits for the end of earlier runs. `jitter`: it begins
 * later than its scheduled time. `rate`: it waits for its turn under its rate.
 */
export type DeferReason = 'spread' | 'overlap' | 'jitter' | 'rate';

/** Outcome that replaces a firing's job. For the schedule, the firing took place. */
export type Refusal =
  | {
      readonly status: 'skip';
      readonly reason: SkipReason;
      /** Explanation for the record. */
      readonly message: string;
      /** Lateness: time since the scheduled time. Milliseconds. */
      readonly lateBy: number;
    }
  /** Its further runs are stored by the completion of this one, and recorded in its place. */
  | {
      readonly status: 'defer';
      readonly reason: DeferReason;
      readonly further: readonly SimpleTrigger[];
      /** Counter of the further runs, if they are parts. */
      readonly parts?: SpreadOccurrence;
      /** Start time of the further runs; absent if they start immediately, or when another run has ended. */
      readonly until?: EpochMs;
      /** Ids of the runs to interrupt in favour of this one. */
      readonly cancels?: readonly string[];
    };

/**
 * Decides whether a firing's job is skipped or deferred; null, in nearly all cases, if the job runs. `nodes`: the nodes that can run it, if it is a
 * broadcast and there are several.
 */
export function refuse(firing: TriggerFiring, nodes: readonly string[] = []): Refusal | null {
  const { finding, trigger, jobDetail } = firing;
  if (finding === undefined && trigger.policy === undefined && jobDetail.policy === undefined) return null;
  const start = jitteredStart(firing);
  if (start !== null) {
    return { status: 'defer', reason: 'jitter', further: [deferredTrigger(firing, 'jitter', start)], until: start };
  }
  return refuseLate(firing) ?? (finding === undefined ? takeApart(firing, nodes) : afterFinding(firing, finding));
}

/** Returns the start time that jitter gives a firing; null to start now. Retries and other runs that follow from a run are not delayed. */
function jitteredStart(dispatch: Dispatch): EpochMs | null {
  const { trigger, fireTime } = dispatch;
  if (trigger.policy?.jitter === undefined || isGroupOfFurtherRuns(trigger.key.group)) return null;
  const start = startOf(dispatch);
  return start > fireTime ? start : null;
}

/** True if a firing is refused for its lateness alone, so that no limit or rule needs checking. */
export function isOutOfTime(dispatch: Dispatch): boolean {
  return jitteredStart(dispatch) !== null || refuseLate(dispatch) !== null;
}

/** Same as `refuse`, for firings that are too late. */
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
  // Deferred firings wait, and continue, in the order of their scheduled times.
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

/** Returns a trigger that runs the deferred job of this firing at `time`. */
function deferredTrigger(firing: TriggerFiring, rule: DeferringRule, time: EpochMs): SimpleTrigger {
  const { jobKey, priority, policy } = firing.trigger;
  const of = { jobKey, data: deferredData(firing, rule), priority };
  const runId = firing.runId;
  return {
    ...retryTrigger(runId, time, of, policy),
    key: deferredTriggerKey(runId, deferredGroup(firing.trigger.key.group)),
  };
}

/**
 * Returns the refusal of a retry that begins later than the `maxAge` of its policy allows; null if it may begin. A retry can be late because it was
 * paused or deferred, or because no node was available. The age counts from the scheduled time, or from a manual rerun. The rerun itself has no age.
 */
export function refuseOld(firing: TriggerFiring, { maxAge, from }: RetryPolicy): Refusal | null {
  if (maxAge === undefined || firing.trigger.key.group !== RETRYING_JOBS) return null;
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
 * Time by which the run of a firing has to end; null if it has no deadline. It counts from the scheduled time of the occurrence, so retries get the
 * time that is left. For a manual rerun it counts from the rerun. For a backfill, whose times are past, it counts from the time the run is due.
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
