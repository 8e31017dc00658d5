import type { Completion } from './completion';
import type { TriggerFiring } from './firing';
import { overlapKey } from './limit-claims';
import type { SpreadOccurrence } from './spread-occurrence';

/** A limit's key and a holder of it. */
export interface HeldLimit {
  readonly key: string;
  /** A run id, or the id of an occurrence with parts. */
  readonly id: string;
}

/** Effects of run ends on limits. */
export interface FreedLimits {
  readonly freed: readonly HeldLimit[];
  /** Keys that a firing passes to the occurrence whose parts it started. */
  readonly passedOn: readonly { readonly from: HeldLimit; readonly to: HeldLimit }[];
}

/**
 * Decides which limits the ends of runs free. An occurrence with parts holds the key of its job's overlap rule from its first firing until its last
 * part has ended. No other run can begin between two parts. `begun`: occurrences whose parts are stored with these completions. `ended`: occurrences
 * that end with them.
 */
export function freedLimits(
  completions: readonly Completion[],
  {
    begun,
    ended,
  }: { readonly begun: ReadonlySet<SpreadOccurrence>; readonly ended: ReadonlyMap<Completion, SpreadOccurrence> },
): FreedLimits {
  const freed: HeldLimit[] = [];
  const passedOn: FreedLimits['passedOn'][number][] = [];
  for (const completion of completions) {
    const { firing, parts } = completion;
    const { runId, holds = [], jobDetail } = firing;
    const goesOn = parts !== undefined && begun.has(parts);
    for (const key of holds) {
      const from = { key, id: runId };
      if (goesOn && key === overlapKey(jobDetail.key)) passedOn.push({ from, to: { key, id: parts.id } });
      else freed.push(from);
    }
    const over = ended.get(completion);
    if (over !== undefined && hasOverlapRule(firing)) freed.push(heldBy(over));
  }
  return { freed, passedOn };
}

/** Returns the key that an occurrence with parts holds, if its job has an overlap rule. */
export function heldBy({ id, jobKey }: SpreadOccurrence): HeldLimit {
  return { key: overlapKey(jobKey), id };
}

function hasOverlapRule({ trigger, jobDetail }: TriggerFiring): boolean {
  return (trigger.policy?.overlap ?? jobDetail.policy?.overlap) !== undefined;
}
