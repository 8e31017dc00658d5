import { SchedulerError } from '../base/errors';
import type { SchedulerConfig } from '../config/scheduler-config';
import { DEFAULT_RULES, type Rules } from '../domain/rules';
import type { JobStore } from '../store/job-store';
import type { SchedulerParts } from './scheduler-parts';

/**
 * Stores the rules of this node if the scheduler has none yet. Rejects with CONFIGURATION if the scheduler has other rules: two nodes would compute
 * different fire times for one trigger.
 */
export async function agreeOnRules(store: JobStore, { policy, instanceName }: SchedulerConfig): Promise<void> {
  const own = policy.rules ?? DEFAULT_RULES;
  const stored = await store.ensureRules(own);
  if (stored === own) return;
  throw new SchedulerError(
    'CONFIGURATION',
    `Expected scheduler.rules: '${stored}', which the scheduler '${instanceName}' has in its database, found '${own}'. ` +
      `Set scheduler.rules to '${stored}' on this node. To change the rules of all nodes, stop them and run \`quartz rules set ${own}\`.`,
  );
}

/** Rules of the scheduler, as its nodes share them. All methods reject with SCHEDULER_STATE or STORE_FAILURE. */
export interface StoredRules {
  /** Returns the stored rules; null before the first node. */
  readRules(): Promise<Rules | null>;
  /** Replaces the stored rules, unless nodes live. Returns the instance ids of these nodes; empty if the rules were replaced. */
  setRules(rules: Rules): Promise<readonly string[]>;
}

export function storedRules({ usableStore }: Pick<SchedulerParts, 'usableStore'>): StoredRules {
  return {
    readRules: async () => usableStore().readRules(),
    setRules: async (rules) => usableStore().setRules(rules),
  };
}
