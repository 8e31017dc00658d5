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
 * Why a firing's job is not run at all. `late`: later than `startWithin` allows. `deadline`: the time to end is over, the run counts as
 * timed out. `overlap`: an earlier run of its job executes, and its rule lets no further firing wait. `rate`: its rate has no turn that is early
 * enough for `startWithin`. `maxAge`: a retry that begins later than its policy allows; the run counts as failed, and is a dead letter.
 */
export type SkipReason = 'late' | 'deadline' | 'maxAge' | 'overlap' | 'rate';

/**
 * Why further runs take the place of a firing's job. `spread`: they are its parts. `overlap`: it waits for the end of earlier runs. `jitter`: it
 * begins later than its scheduled time. `rate`: it begins in its turn under its rate.
 */
export type DeferReason = 'spread' | 'overlap' | 'jitter' | 'rate';

/** What takes the place of a firing's job. For the schedule, the firing took place. */
export type Refusal =
  | {
      readonly status: 'skip';
      readonly reason: SkipReason;
      /** For the record. */
      readonly message: string;
      /** How long after its scheduled time. Milliseconds. */
      readonly lateBy: number;
    }
  /** Its further runs are stored by the completion of this one, and recorded in its place. */
  | {
      readonly status: 'defer';
      readonly reason: DeferReason;
      readonly further: readonly SimpleTrigger[];
      /** What counts them, where they are parts. */
      readonly parts?: SpreadOccurrence;
      /** When they will run; absent: at once, or when something has ended. */
      readonly until?: EpochMs;
      /** The runs that are to be interrupted for it. */
      readonly cancels?: readonly string[];
    };

/**
 * Decides what is done in place of a firing's job; null: the job is run, as nearly always. `nodes`: those that can run it, where it is a
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

/** When a firing is to run that is not to run now, as its jitter says; null: now. Retries and whatever else follows from a run are not put off. */
function jitteredStart(dispatch: Dispatch): EpochMs | null {
  const { trigger, fireTime } = dispatch;
  if (trigger.policy?.jitter === undefined || isGroupOfFurtherRuns(trigger.key.group)) return null;
  const start = startOf(dispatch);
  return start > fireTime ? start : null;
}

/** Whether a firing is refused for its time alone, so that nothing else need be asked. */
export function isOutOfTime(dispatch: Dispatch): boolean {
  return jitteredStart(dispatch) !== null || refuseLate(dispatch) !== null;
}

/** As `refuse`, of what comes too late. */
function refuseLate(dispatch: Dispatch): Refusal | null {
  const deadline = deadlineOf(dispatch);
  if (deadline !== null && dispatch.fireTime >= deadline) return pastDeadline(dispatch);
  const lateBy = tooLateBy(dispatch);
  if (lateBy === null) return null;
  const message = `Skipped: it would have begun ${lateBy} ms after its scheduled time, later than startWithin allows.`;
  return { status: 'skip', reason: 'late', message, lateBy };
}

function afterFinding(firing: TriggerFiring, finding: FiringFinding): Refusal {
  const scheduledTime = scheduledTimeOf(firing);
  if (finding.reason === 'rate') return afterRate(firing, finding);
  if (finding.status === 'skip') {
    const message = 'Skipped: an earlier run of its job was still executing.';
    return { status: 'skip', reason: finding.reason, message, lateBy: firing.fireTime - scheduledTime };
  }
  // In the order of their scheduled times they wait, and go on.
  const further = [deferredTrigger(firing, finding.reason, scheduledTime)];
  return { status: 'defer', reason: finding.reason, further, cancels: finding.cancels };
}

function afterRate(firing: TriggerFiring, { status, until }: FiringFinding & { readonly reason: 'rate' }): Refusal {
  if (status === 'defer') return { status, reason: 'rate', further: [deferredTrigger(firing, 'rate', until)], until };
  const late = refuseLate({ ...firing, fireTime: until });
  if (late?.status === 'skip' && late.reason === 'deadline') return late;
  const lateBy = until - scheduledTimeOf(firing);
  const message = `Skipped: its rate limit would have let it begin ${lateBy} ms after its scheduled time, later than startWithin allows.`;
  return { status: 'skip', reason: 'rate', message, lateBy };
}

/** The trigger that runs at `time` what this firing does not run. */
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
 * The refusal of a retry that begins later than the `maxAge` of its retries allows, because it was paused, put off or no node was there; null: it
 * may begin. The age counts from the scheduled time, and after a rerun by hand from that; the rerun itself has no age.
 */
export function refuseOld(firing: TriggerFiring, { maxAge, from }: RetryPolicy): Refusal | null {
  if (maxAge === undefined || firing.trigger.key.group !== RETRYING_JOBS) return null;
  const { attempt, scheduledTime } = occurrenceOf(firing);
  const isRerun = from !== undefined && attempt <= from.attempt;
  const age = firing.fireTime - (from?.time ?? scheduledTime);
  if (isRerun || age <= maxAge) return null;
  const message = `Not retried: the retry would have begun ${age} ms after its occurrence, later than the maxAge of its retry policy (${maxAge} ms).`;
  return { status: 'skip', reason: 'maxAge', message, lateBy: firing.fireTime - scheduledTime };
}

function pastDeadline(firing: Dispatch): Refusal {
  const lateBy = firing.fireTime - scheduledTimeOf(firing);
  const message = `Skipped: it would have begun ${lateBy} ms after its scheduled time, past its deadline.`;
  return { status: 'skip', reason: 'deadline', message, lateBy };
}

/**
 * When the run of a firing has to end; null: it may take any time. It counts from the scheduled time of the occurrence, so that retries have
 * what is left of it; of a run again by hand from then, and of a backfill, whose times are past, from when it is due.
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
