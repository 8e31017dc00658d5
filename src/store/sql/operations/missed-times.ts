import { policyOf } from '../../../domain/execution-policy';
import type { JobDetail } from '../../../domain/job-detail';
import { type MisfireClock, passesOver } from '../../../domain/misfire';
import { misfiredRun, type RunRecord } from '../../../domain/run';
import type { Trigger } from '../../../domain/trigger';
import type { SqlNode } from '../rows/sql-node';
import type { SqlTransaction } from '../runtime/sql-driver';
import { insertRuns } from './write-runs';

/** A trigger before and after its misfire instruction was applied, if it misfired; and its job. */
export interface MissingTrigger {
  readonly before: Trigger;
  readonly trigger: Trigger;
  /** Null: this node cannot read it. */
  readonly jobDetail: JobDetail | null;
}

/** Records the fire times that are passed over, where history is wanted. */
export function recordMissed(
  tx: SqlTransaction,
  node: SqlNode,
  recovered: readonly MissingTrigger[],
  clock: MisfireClock,
): Promise<void> {
  const runs: RunRecord[] = [];
  for (const { before, trigger, jobDetail } of recovered) {
    if (jobDetail === null || !passesOver(before, trigger, clock)) continue;
    if (policyOf({ trigger, jobDetail }, node.policy).history === 'none') continue;
    const at = { instanceId: node.instanceId, now: clock.now };
    runs.push(misfiredRun(node.newFireInstanceId(), { trigger: before, jobDetail }, at));
  }
  return insertRuns(tx, node, runs);
}
