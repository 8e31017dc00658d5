import type { JobDetail } from './job-detail';
import { sameKey } from './keys';
import { deferredBy, occurrenceOfTrigger } from './occurrence';
import { sameData } from './same-data';
import type { Trigger } from './trigger';

/** A definition before and after a change; null: it is not stored. */
export interface ChangedDefinition<Definition extends Pick<JobDetail, 'policy'>> {
  readonly before: Definition | null;
  readonly after: Definition | null;
}

/** True if the rate of a stored job or trigger was changed, so that waiting firings need new turns. */
export function changesRate({ before, after }: ChangedDefinition<Pick<JobDetail, 'policy'>>): boolean {
  if (before === null || after === null) return false;
  return !sameData(before.policy?.rate ?? null, after.policy?.rate ?? null);
}

/** True if a trigger waits for its turn under a rate. */
export function isPutOffByRate(trigger: Pick<Trigger, 'key' | 'data'>): boolean {
  return deferredBy(trigger).at(-1) === 'rate';
}

/**
 * Returns a trigger that waits for its turn, with the current rate of `owner`, its original trigger. Null if it belongs to another trigger, or
 * already has that rate.
 */
export function withRateOf(putOff: Trigger, owner: Trigger): Trigger | null {
  const { triggerKey } = occurrenceOfTrigger(putOff);
  if (!isPutOffByRate(putOff) || !sameKey(triggerKey, owner.key)) return null;
  if (!changesRate({ before: putOff, after: owner })) return null;
  const { rate: _, ...others } = putOff.policy ?? {};
  return { ...putOff, policy: owner.policy?.rate === undefined ? others : { ...others, rate: owner.policy.rate } };
}
