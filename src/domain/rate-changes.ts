import type { JobDetail } from './job-detail';
import { sameKey } from './keys';
import { deferredBy, occurrenceOfTrigger } from './occurrence';
import { sameData } from './same-data';
import type { Trigger } from './trigger';

type MaybeStored = Pick<JobDetail, 'policy'> | null;

/** True if the change replaces the rate limit of a stored job or trigger, so that its waiting firings need new turns. Null: not stored. */
export function changesRate({ before, after }: { readonly before: MaybeStored; readonly after: MaybeStored }): boolean {
  if (before === null || after === null) return false;
  return !sameData(before.policy?.rate ?? null, after.policy?.rate ?? null);
}

/** Returns a copy with the rate limit of `owner`, its original trigger. Null if it belongs to another trigger, or already has this rate limit. */
export function withRateOf(putOff: Trigger, owner: Trigger): Trigger | null {
  const { triggerKey } = occurrenceOfTrigger(putOff);
  if (deferredBy(putOff).at(-1) !== 'rate' || !sameKey(triggerKey, owner.key)) return null;
  if (!changesRate({ before: putOff, after: owner })) return null;
  const { rate: _, ...others } = putOff.policy ?? {};
  return { ...putOff, policy: owner.policy?.rate === undefined ? others : { ...others, rate: owner.policy.rate } };
}
