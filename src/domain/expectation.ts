import type { EpochMs } from '../base/clock';
import type { Completion } from './completion';
import { type JobKey, keyText, type TriggerKey } from './keys';
import { isGroupOfFurtherRuns } from './occurrence';
import type { SpreadOccurrence } from './spread-occurrence';

/** A job or trigger that has not succeeded within its `mustSucceedWithin`: a trigger if the trigger has the setting, a job if the job has it. */

/** Job or trigger that must succeed. */
export interface ExpectationOwner {
  readonly jobKey: JobKey;
  /** The trigger with the setting; null if the job has it, for all its triggers. */
  readonly triggerKey: TriggerKey | null;
}

/** Expectation of an owner. */
export interface Expectation extends ExpectationOwner {
  /** Maximum time without success. Milliseconds. */
  readonly mustSucceedWithin: number;
  /** Start of that time: the last success; before the first success, the time at which the owner was stored or first due. */
  readonly since: EpochMs;
  /** Time of the last success that was recorded for the expectation; null if there is none. */
  readonly lastSuccess: EpochMs | null;
}

/** Returns a text that is unique for the owner. */
export function ownerText({ jobKey, triggerKey }: ExpectationOwner): string {
  return triggerKey === null ? `job ${keyText(jobKey)}` : `trigger ${keyText(triggerKey)}`;
}

/** Returns the time from which the owner is overdue. */
export function dueTimeOf({ since, mustSucceedWithin }: Expectation): EpochMs {
  return since + mustSucceedWithin;
}

/**
 * Returns the time without success after which a job with its trigger is overdue, in milliseconds. If both set it, the shorter one counts. Null if
 * neither does.
 */
export function shortestExpectation(
  owners: readonly ({ readonly policy?: { readonly mustSucceedWithin?: number } | undefined } | null)[],
): number | null {
  let shortest: number | null = null;
  for (const owner of owners) {
    const within = owner?.policy?.mustSucceedWithin;
    if (within !== undefined && (shortest === null || within < shortest)) shortest = within;
  }
  return shortest;
}

/** An owner that a change set stores. */
export interface StoredOwner extends ExpectationOwner {
  /** Previous setting. Undefined: stored without one. Null: not stored. */
  readonly before: number | undefined | null;
  /** New setting; undefined if it has none. */
  readonly after: number | undefined;
  /** First fire time of the owner, or of its first trigger; null if it has fired before, or has no fire time. */
  readonly firstTime: EpochMs | null;
}

/** Expectation that starts now. */
export interface BegunExpectation extends Expectation {
  /** True if it replaces any previous expectation under the key; false if only the time changes. */
  readonly isNew: boolean;
}

/** Returns the new or changed expectations of the objects that a change set stores. */
export function beginExpectations(owners: readonly StoredOwner[], now: EpochMs): readonly BegunExpectation[] {
  return owners.flatMap(({ jobKey, triggerKey, before, after, firstTime }): BegunExpectation[] => {
    if (after === undefined || after === before || isOfFurtherRun(triggerKey)) return [];
    const since = Math.max(now, firstTime ?? now);
    const isNew = typeof before !== 'number';
    return [{ jobKey, triggerKey, mustSucceedWithin: after, since, lastSuccess: null, isNew }];
  });
}

/** A retry's trigger has the policy of the trigger that failed. */
function isOfFurtherRun(triggerKey: TriggerKey | null): boolean {
  return triggerKey !== null && isGroupOfFurtherRuns(triggerKey.group);
}

/** An owner with a run that succeeded. */
export interface MetExpectation extends ExpectationOwner {
  readonly time: EpochMs;
}

/**
 * Returns the owners whose expectations these ended runs meet, each once, with its latest success. An occurrence in parts succeeds with its last
 * part, if none failed. `ended`: occurrences that end with these completions.
 */
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
