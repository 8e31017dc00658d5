import type { JobDetail } from './job-detail';
import { sameKey } from './keys';
import { deferredBy, occurrenceOfTrigger } from './occurrence';
import { sameData } from './same-data';
import type { Trigger } from './trigger';

/** A job or trigger before and after a change; null if it was not stored then. */
export interface ChangedDefinition<Definition extends Pick<JobDetail, 'policy'>> {
  readonly before: Definition | null;
  readonly after: Definition | null;
}

/** True if the change replaces the rate limit of a stored job or trigger, so that its waiting firings need new turns. */
export function changesRate({ before, after }: ChangedDefinition<Pick<JobDetail, 'policy'>>): boolean {
  if (before === null || after === null) return false;
  return !sameData(before.policy?.rate ?? null, after.policy?.rate ?? null);
}

export function isPutOffByRate(trigger: Pick<Trigger, 'key' | 'data'>): boolean {
  return deferredBy(trigger).at(-1) === 'rate';
}

/** Returns a copy with the rate limit of `owner`, its original trigger. Null if it belongs to another trigger, or already has this rate limit. */
export function withRateOf(putOff: Trigger, owner: Trigger): Trigger | null {
  const { triggerKey } = occurrenceOfTrigger(putOff);
  if (!isPutOffByRate(putOff) || !sameKey(triggerKey, owner.key)) return null;
  if (!changesRate({ before: putOff, after: owner })) return null;
  const { rate: _, ...others } = putOff.policy ?? {};
  return { ...putOff, policy: owner.policy?.rate === undefined ? others : { ...others, rate: owner.policy.rate } };
}
