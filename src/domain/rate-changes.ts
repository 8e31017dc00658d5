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

/** Whether the rate of a stored job or trigger was changed: what waits for its turn is planned anew. */
export function changesRate({ before, after }: ChangedDefinition<Pick<JobDetail, 'policy'>>): boolean {
  if (before === null || after === null) return false;
  return !sameData(before.policy?.rate ?? null, after.policy?.rate ?? null);
}

/** Whether a trigger waits for its turn under a rate. */
export function isPutOffByRate(trigger: Pick<Trigger, 'key' | 'data'>): boolean {
  return deferredBy(trigger).at(-1) === 'rate';
}

/** A trigger that waits for its turn with the rate that `owner`, its own trigger, has now; null: it belongs to another, or has that rate. */
export function withRateOf(putOff: Trigger, owner: Trigger): Trigger | null {
  const { triggerKey } = occurrenceOfTrigger(putOff);
  if (!isPutOffByRate(putOff) || !sameKey(triggerKey, owner.key)) return null;
  if (!changesRate({ before: putOff, after: owner })) return null;
  const { rate: _, ...others } = putOff.policy ?? {};
  return { ...putOff, policy: owner.policy?.rate === undefined ? others : { ...others, rate: owner.policy.rate } };
}
