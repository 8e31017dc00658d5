import type { Completion } from './completion';
import { overlapKey } from './limit-claims';
import type { SpreadOccurrence } from './spread-occurrence';

/** Capacity of a limit that a run or an occurrence uses. */
export interface HeldLimit {
  readonly key: string;
  /** Id of the run, or of an occurrence that is divided into parts (shards). */
  readonly id: string;
}

export interface FreedLimits {
  readonly freed: readonly HeldLimit[];
  /** Capacity that moves from a firing to the occurrence whose parts (shards) the firing started. */
  readonly passedOn: readonly { readonly from: HeldLimit; readonly to: HeldLimit }[];
}

const NONE: readonly string[] = [];

/** Returns the capacity that a run has when it ends. */
export function heldLimitsOf({ firing: { runId, holds = NONE }, tookOver = NONE }: Completion): readonly HeldLimit[] {
  if (holds.length + tookOver.length === 0) return [];
  return [...holds, ...tookOver].map((key) => ({ key, id: runId }));
}

/**
 * Returns the capacity freed when runs end. An occurrence with parts (shards) uses the capacity of its job's overlap rule until its last part ends,
 * so that no other run begins between two parts. `started`: occurrences whose parts are stored now. `ended`: occurrences that end now.
 */
export function freedLimits(
  completions: readonly Completion[],
  {
    started,
    ended,
  }: { readonly started: ReadonlySet<SpreadOccurrence>; readonly ended: ReadonlyMap<Completion, SpreadOccurrence> },
): FreedLimits {
  const freed: HeldLimit[] = [];
  const passedOn: FreedLimits['passedOn'][number][] = [];
  for (const completion of completions) {
    const { firing, parts, passesTo } = completion;
    const { trigger, jobDetail } = firing;
    const goesOn = parts !== undefined && started.has(parts);
    for (const from of heldLimitsOf(completion)) {
      const { key } = from;
      if (passesTo !== undefined) passedOn.push({ from, to: { key, id: passesTo } });
      else if (goesOn && key === overlapKey(jobDetail.key)) passedOn.push({ from, to: { key, id: parts.id } });
      else freed.push(from);
    }
    const over = ended.get(completion);
    const overlap = trigger.policy?.overlap ?? jobDetail.policy?.overlap;
    if (over !== undefined && overlap !== undefined) freed.push(heldBy(over));
  }
  return { freed, passedOn };
}

/** Returns the capacity of the overlap rule that an occurrence with parts (shards) uses. */
export function heldBy({ id, jobKey }: SpreadOccurrence): HeldLimit {
  return { key: overlapKey(jobKey), id };
}
