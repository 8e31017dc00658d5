import type { EpochMs } from '../../../base/clock';
import { policyOf } from '../../../domain/execution-policy';
import type { JobDetail } from '../../../domain/job-detail';
import type { MisfireClock } from '../../../domain/misfire';
import { misfiredRun, type RunRecord } from '../../../domain/run';
import type { SimpleTrigger, Trigger } from '../../../domain/trigger';
import type { NodeTransaction } from '../rows/node-transaction';
import { insertFurtherRuns, planFurtherRuns } from './further-runs';
import { insertRuns } from './write-runs';

/** A trigger before and after misfire recovery, with its job. */
export interface MissingTrigger {
  readonly before: Trigger;
  readonly trigger: Trigger;
  /** Triggers of the catch-up runs for the missed fire times. */
  readonly caughtUp: readonly SimpleTrigger[];
  /** True if a fire time was skipped. */
  readonly skips: boolean;
  /** Job of the trigger; null if this node cannot read it. */
  readonly jobDetail: JobDetail | null;
}

/**
 * Stores the catch-up runs of missed fire times. Records skipped fire times if the history of the trigger or job is enabled. Returns the
 * earliest fire time of the catch-up runs; undefined if there are none. Must run under TRIGGER_ACCESS.
 */
export async function storeMissed(
  tx: NodeTransaction,
  recovered: readonly MissingTrigger[],
  clock: MisfireClock,
): Promise<EpochMs | undefined> {
  const caughtUp = recovered.flatMap((each) => each.caughtUp);
  const further = await planFurtherRuns(tx, caughtUp, { isRequested: true });
  const [earliest] = await Promise.all([insertFurtherRuns(tx, further), recordMissed(tx, recovered, clock)]);
  return earliest;
}

function recordMissed(tx: NodeTransaction, recovered: readonly MissingTrigger[], clock: MisfireClock) {
  const runs: RunRecord[] = [];
  for (const { before, trigger, jobDetail, skips } of recovered) {
    if (jobDetail === null || !skips) continue;
    if (policyOf({ trigger, jobDetail }, tx.node.policy).history === 'none') continue;
    const at = { instanceId: tx.node.instanceId, now: clock.now };
    runs.push(misfiredRun(tx.node.newRunId(), { trigger: before, jobDetail }, at));
  }
  return insertRuns(tx, runs);
}
