import type { Completion } from './completion';
import type { TriggerFiring } from './firing';
import { overlapKey } from './limit-claims';
import type { SpreadOccurrence } from './spread-occurrence';

/** A key of a limit, and what holds it. */
export interface HeldLimit {
  readonly key: string;
  /** A run id, or the id of an occurrence that is run in parts. */
  readonly id: string;
}

/** What becomes of limits when runs end. */
export interface FreedLimits {
  readonly freed: readonly HeldLimit[];
  /** Keys that occurrences go on holding in the place of the firings that took them apart. */
  readonly passedOn: readonly { readonly from: HeldLimit; readonly to: HeldLimit }[];
}

/**
 * Decides what the ends of runs free. An occurrence that is run in parts holds the key of its job's overlap rule from its first firing until its
 * last part has ended, so that no other run begins between two parts. `begun`: occurrences whose parts are stored with these completions.
 * `ended`: occurrences that end with them.
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

/** What an occurrence in parts holds, if its job has an overlap rule. */
export function heldBy({ id, jobKey }: SpreadOccurrence): HeldLimit {
  return { key: overlapKey(jobKey), id };
}

function hasOverlapRule({ trigger, jobDetail }: TriggerFiring): boolean {
  return (trigger.policy?.overlap ?? jobDetail.policy?.overlap) !== undefined;
}
