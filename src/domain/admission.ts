import type { TriggerFiring } from './firing';
import { tooLateBy } from './occurrence';
import type { SimpleTrigger } from './trigger';

/** Why a firing's job is not run at all. `late`: later than `startWithin` allows. */
export type SkipReason = 'late';

/** Why further runs take the place of a firing's job. */
export type DeferReason = never;

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
  | { readonly status: 'defer'; readonly reason: DeferReason; readonly further: readonly SimpleTrigger[] };

/** Decides what is done in place of a firing's job; null: the job is run, as nearly always. */
export function refuse(firing: TriggerFiring): Refusal | null {
  if (firing.trigger.policy === undefined && firing.jobDetail.policy === undefined) return null;
  const lateBy = tooLateBy(firing);
  if (lateBy === null) return null;
  const message = `It began ${lateBy} ms after its scheduled time, later than startWithin allows.`;
  return { status: 'skip', reason: 'late', message, lateBy };
}
