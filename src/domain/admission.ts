import type { EpochMs } from '../base/clock';
import type { TriggerFiring } from './firing';
import { BACKFILL_GROUP_PREFIX, occurrenceOf, tooLateBy } from './occurrence';
import { planParts, type SpreadOccurrence, spreadOf } from './shards';
import type { SimpleTrigger } from './trigger';

/** Why a firing's job is not run at all. `late`: later than `startWithin` allows. `deadline`: the time to end is over, the run counts as timed out. */
export type SkipReason = 'late' | 'deadline';

/** Why further runs take the place of a firing's job. `spread`: they are its parts. */
export type DeferReason = 'spread';

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
    };

/** Decides what is done in place of a firing's job; null: the job is run, as nearly always. */
export function refuse(firing: TriggerFiring): Refusal | null {
  if (firing.trigger.policy === undefined && firing.jobDetail.policy === undefined) return null;
  const deadline = deadlineOf(firing);
  if (deadline !== null && firing.fireTime >= deadline) return pastDeadline(firing);
  const lateBy = tooLateBy(firing);
  if (lateBy === null) return takeApart(firing);
  const message = `It began ${lateBy} ms after its scheduled time, later than startWithin allows.`;
  return { status: 'skip', reason: 'late', message, lateBy };
}

function pastDeadline(firing: TriggerFiring): Refusal {
  const lateBy = firing.fireTime - occurrenceOf(firing).scheduledTime;
  const message = `It was to end by its deadline, but would have begun only ${lateBy} ms after its scheduled time.`;
  return { status: 'skip', reason: 'deadline', message, lateBy };
}

/**
 * When the run of a firing has to end; null: it may take any time. It counts from the scheduled time of the occurrence, so that retries have
 * what is left of it; of a run again by hand from then, and of a backfill, whose times are past, from when it is due.
 */
export function deadlineOf(firing: TriggerFiring): EpochMs | null {
  const { trigger, jobDetail, scheduledFireTime } = firing;
  const { deadline } = trigger.policy?.timeout ?? jobDetail.policy?.timeout ?? {};
  if (deadline === undefined) return null;
  const isBackfill = trigger.key.group.startsWith(BACKFILL_GROUP_PREFIX);
  const from = trigger.policy?.retry?.from?.time;
  return (from ?? (isBackfill ? scheduledFireTime : occurrenceOf(firing).scheduledTime)) + deadline;
}

function takeApart(firing: TriggerFiring): Refusal | null {
  const spread = spreadOf(firing);
  if (spread === null || spread === 'broadcast') return null;
  return { status: 'defer', reason: 'spread', ...planParts(firing, spread) };
}
