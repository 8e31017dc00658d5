import type { JobKey, TriggerKey } from '../domain/keys';

/** A key, or just a name in the group DEFAULT. */
export type JobKeyLike = JobKey | string;
/** A key of a trigger, or just a name in the group DEFAULT. */
export type TriggerKeyLike = TriggerKey | string;
