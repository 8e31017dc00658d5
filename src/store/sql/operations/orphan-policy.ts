import { policyOf, type WholePolicy } from '../../../domain/execution-policy';
import type { OrphanedFiredTrigger } from '../../../domain/recovery';
import { readPolicy } from '../rows/job-data';
import type { SqlNode } from '../rows/sql-node';
import type { OrphanedFirings } from './extension';

/** Returns the effective policy of a firing whose node has ended. */
export function policyOfOrphan(
  { firings, storedData, jobRows }: OrphanedFirings,
  index: number,
  node: Pick<SqlNode, 'policy'>,
): WholePolicy {
  const { runId, jobKey } = firings[index] as OrphanedFiredTrigger;
  const trigger = { policy: readPolicy(storedData.get(runId) ?? null) ?? {} };
  const policy = readPolicy(jobRows[index]?.DETAIL_DATA ?? null) ?? {};
  return policyOf({ trigger, jobDetail: jobKey === null ? { policy } : { policy, key: jobKey } }, node.policy);
}
