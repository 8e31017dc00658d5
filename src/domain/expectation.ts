import type { EpochMs } from '../base/clock';
import type { Completion } from './completion';
import { type JobKey, keyText, type TriggerKey } from './keys';
import { isGroupOfFurtherRuns } from './occurrence';
import type { SpreadOccurrence } from './spread-occurrence';

/** What must succeed within a time (`mustSucceedWithin`), and has not: a trigger where the trigger says so, a job where the job does. */

/** Who must succeed. */
export interface ExpectationOwner {
  readonly jobKey: JobKey;
  /** The trigger that says so; null: the job does, whatever fires it. */
  readonly triggerKey: TriggerKey | null;
}

/** What is expected of an owner. */
export interface Expectation extends ExpectationOwner {
  /** How long it may go without success. Milliseconds. */
  readonly mustSucceedWithin: number;
  /** From when that counts: the last success; before the first one, when it was stored or first due. */
  readonly since: EpochMs;
  /** When a run of it last succeeded, as far as that was expected then; null: never. */
  readonly lastSuccess: EpochMs | null;
}

/** A text that only this owner has. */
export function ownerText({ jobKey, triggerKey }: ExpectationOwner): string {
  return triggerKey === null ? `job ${keyText(jobKey)}` : `trigger ${keyText(triggerKey)}`;
}

/** When it is overdue. */
export function dueTimeOf({ since, mustSucceedWithin }: Expectation): EpochMs {
  return since + mustSucceedWithin;
}

/** After how long without a further success a job with its trigger is overdue, the shorter time if both say so; null: neither does. Milliseconds. */
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
  /** What it said before; undefined: nothing; null: it was not stored. */
  readonly before: number | undefined | null;
  /** What it says now; undefined: nothing. */
  readonly after: number | undefined;
  /** When it, or the first of its triggers, fires first; null: it has fired before, or has no time. */
  readonly firstTime: EpochMs | null;
}

/** What is expected from now on. */
export interface BegunExpectation extends Expectation {
  /** Whatever was expected under the key before is forgotten; else only the time changes. */
  readonly isNew: boolean;
}

/** What is expected of what a change set stores, where that is new or other than it was. */
export function beginExpectations(owners: readonly StoredOwner[], now: EpochMs): readonly BegunExpectation[] {
  return owners.flatMap(({ jobKey, triggerKey, before, after, firstTime }): BegunExpectation[] => {
    if (after === undefined || after === before || isOfFurtherRun(triggerKey)) return [];
    const since = Math.max(now, firstTime ?? now);
    const isNew = typeof before !== 'number';
    return [{ jobKey, triggerKey, mustSucceedWithin: after, since, lastSuccess: null, isNew }];
  });
}

/** The trigger of a retry has the policy of the one that failed. */
function isOfFurtherRun(triggerKey: TriggerKey | null): boolean {
  return triggerKey !== null && isGroupOfFurtherRuns(triggerKey.group);
}

/** An owner of which a run has succeeded. */
export interface MetExpectation extends ExpectationOwner {
  readonly time: EpochMs;
}

/**
 * Whose expectations runs meet that end; each owner once, with its latest success. An occurrence in parts succeeds with its last part, if none
 * failed. `ended`: the occurrences that end with these completions.
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
