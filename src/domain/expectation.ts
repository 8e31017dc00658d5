import type { EpochMs } from '../base/clock';
import { minOf } from '../base/lists';
import type { Completion } from './completion';
import { type JobKey, keyText, type TriggerKey } from './keys';
import { isGroupOfFurtherRuns } from './occurrence';
import type { SpreadOccurrence } from './spread-occurrence';

/** Expectations: a job or trigger is overdue if it has not succeeded for longer than its `mustSucceedWithin` setting. */

export interface ExpectationOwner {
  readonly jobKey: JobKey;
  /** The trigger that has the setting; null if the job has it. In that case, successful runs of all triggers of the job count. */
  readonly triggerKey: TriggerKey | null;
}

export interface Expectation extends ExpectationOwner {
  /** Maximum time without a success, in milliseconds. */
  readonly mustSucceedWithin: number;
  /** Start of the current period: the last success, or before the first success the later of the time of storing and the first fire time. */
  readonly since: EpochMs;
  /** Time of the last success since the expectation was stored; null if there is none. */
  readonly lastSuccess: EpochMs | null;
}

/** Returns a string that is unique for the owner. */
export function ownerText({ jobKey, triggerKey }: ExpectationOwner): string {
  return triggerKey === null ? `job ${keyText(jobKey)}` : `trigger ${keyText(triggerKey)}`;
}

export function dueTimeOf({ since, mustSucceedWithin }: Expectation): EpochMs {
  return since + mustSucceedWithin;
}

/** Returns the shortest `mustSucceedWithin` setting of the given jobs and triggers, in milliseconds. Null if none of them has the setting. */
export function shortestExpectation(
  owners: readonly ({ readonly policy?: { readonly mustSucceedWithin?: number } | undefined } | null)[],
): number | null {
  return minOf(owners.map((owner) => owner?.policy?.mustSucceedWithin ?? null));
}

export interface StoredOwner extends ExpectationOwner {
  /** Previous `mustSucceedWithin`, in milliseconds. Undefined: the job or trigger was stored without the setting. Null: it was not stored. */
  readonly before: number | undefined | null;
  /** New `mustSucceedWithin`, in milliseconds; undefined: none. */
  readonly after: number | undefined;
  /** First fire time of the trigger, or of the job's first trigger. Null if that trigger has already fired or has no fire time. */
  readonly firstTime: EpochMs | null;
}

interface StartedExpectation extends Expectation {
  /** True if the new expectation replaces any stored expectation of the same job or trigger. False if only `mustSucceedWithin` changes. */
  readonly isNew: boolean;
}

/** Returns the expectations that the changes begin or update. Triggers of retries and other further runs have no expectations. */
export function beginExpectations(owners: readonly StoredOwner[], now: EpochMs): readonly StartedExpectation[] {
  return owners.flatMap(({ jobKey, triggerKey, before, after, firstTime }): StartedExpectation[] => {
    if (after === undefined || after === before) return [];
    // A trigger of a further run has the policy of its original trigger, but no expectation.
    if (triggerKey !== null && isGroupOfFurtherRuns(triggerKey.group)) return [];
    const since = Math.max(now, firstTime ?? now);
    const isNew = typeof before !== 'number';
    return [{ jobKey, triggerKey, mustSucceedWithin: after, since, lastSuccess: null, isNew }];
  });
}

interface MetExpectation extends ExpectationOwner {
  readonly time: EpochMs;
}

/** Returns each met expectation with its latest success. An occurrence with parts (shards), in `ended` if it ends now, succeeds if no part failed. */
export function metBy(
  completions: readonly Completion[],
  ended: ReadonlyMap<Completion, SpreadOccurrence>,
): readonly MetExpectation[] {
  const met = new Map<string, MetExpectation>();
  const add = (owner: ExpectationOwner, time: EpochMs) => {
    const text = ownerText(owner);
    if ((met.get(text)?.time ?? Number.NEGATIVE_INFINITY) < time) met.set(text, { ...owner, time });
  };
  for (const completion of completions) {
    const { firing, end } = completion;
    if (end?.outcome !== 'succeeded') continue;
    if (end.occurrence.shard !== undefined && ended.get(completion)?.failed !== 0) continue;
    const { trigger, jobDetail } = firing;
    const jobKey = jobDetail.key;
    if (trigger.policy?.mustSucceedWithin !== undefined) {
      add({ jobKey, triggerKey: end.occurrence.triggerKey }, end.endTime);
    }
    if (jobDetail.policy?.mustSucceedWithin !== undefined) add({ jobKey, triggerKey: null }, end.endTime);
  }
  return [...met.values()];
}
