import type { SchedulerConfig } from '../config/scheduler-config';
import { requireSameRules, rulesIn } from '../domain/rules';
import type { JobStore } from '../store/job-store';

/**
 * Stores the rules of this node if the scheduler has none yet. Rejects with CONFIGURATION if the scheduler has other rules. The node compares them again
 * when it joins, because they can change until then.
 */
export async function agreeOnRules(store: JobStore, { policy, instanceName }: SchedulerConfig): Promise<void> {
  const own = rulesIn(policy);
  requireSameRules(await store.ensureRules(own), own, instanceName);
}
