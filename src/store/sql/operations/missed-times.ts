import type { EpochMs } from '../../../base/clock';
import type { MissedFireTime } from '../../../domain/editable-schedule';
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
  const skipped = recovered.flatMap(({ before: trigger, jobDetail, skips }) =>
    jobDetail === null || !skips ? [] : [{ trigger, jobDetail, error: null }],
  );
  const [earliest] = await Promise.all([insertFurtherRuns(tx, further), recordMissed(tx, skipped, clock.now)]);
  return earliest;
}

/** Records fire times that do not fire, if the history of the trigger or job is enabled. */
export function recordMissed(tx: NodeTransaction, missed: readonly MissedFireTime[], now: EpochMs): Promise<void> {
  const runs = missed
    .filter((each) => policyOf(each, tx.node.policy).history !== 'none')
    .map((each): RunRecord => {
      const at = { instanceId: tx.node.instanceId, now, error: each.error };
      return misfiredRun(tx.node.newRunId(), each, at);
    });
  return insertRuns(tx, runs);
}
