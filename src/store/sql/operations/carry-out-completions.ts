import type { EpochMs } from '../../../base/clock';
import { mayEndTrigger } from '../../../domain/completion';
import { type JobKey, keyText, sameKey } from '../../../domain/keys';
import { nextState, type TriggerState } from '../../../domain/trigger-state';
import { earliestOf } from '../rows/earliest';
import { firstOfEach } from '../rows/first-of-each';
import { jobKeyColumns, toState, toTime } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { toBoolean } from '../rows/trigger-kinds';
import { selectByRows, writeRows } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import type { PlannedCompletion } from './complete-locked';
import { type Deletions, deleteFinished, type FinishedTrigger } from './delete-finished';
import { type CompletionTargets, type ExecutingJobs, jobsOf, selectExecuting } from './read-completion-targets';
import { endReservations, moveTriggers } from './write-triggers';

/**
 * Does what the plans of a batch say, in one trip unless triggers are settled. `earliest`: the earliest fire time that came within
 * reach; undefined: none.
 */
export async function carryOut(
  tx: SqlTransaction,
  node: SqlNode,
  planned: readonly PlannedCompletion[],
  stored: Pick<CompletionTargets, 'executing' | 'over'>,
): Promise<{ readonly deletions: Deletions; readonly earliest: EpochMs | undefined }> {
  const kept = keptAmong(planned, stored.over);
  const deleting = deleteFinished(
    tx,
    node,
    planned.flatMap((each) => toFinished(each, kept)),
  );
  const [deletions, earliest] = await Promise.all([deleting, settleAndUnblock(tx, node, planned, stored.executing)]);
  return { deletions, earliest };
}

/** Nothing is asked where nothing is to be settled, so that what follows is sent at once. */
async function settleAndUnblock(
  tx: SqlTransaction,
  node: SqlNode,
  planned: readonly PlannedCompletion[],
  executing: ExecutingJobs,
): Promise<EpochMs | undefined> {
  await settleTriggers(tx, node, planned);
  await settleJobs(tx, node, planned);
  return unblock(tx, node, planned, executing);
}

/**
 * Triggers that have fired for the last time, of jobs that ask for recovery: true where something of them executes still, on
 * whichever node. It may have to be run again, for which its job and the data of both are needed, so they stay until it has ended.
 */
function keptAmong(planned: readonly PlannedCompletion[], over: ReadonlySet<string>): ReadonlyMap<string, boolean> {
  const texts = planned.filter(isOver).map(({ completion }) => keyText(completion.firing.trigger.key));
  return new Map(texts.map((text) => [text, !over.has(text)]));
}

function isOver({ completion, target }: PlannedCompletion): boolean {
  return target.TRIGGER_STATE === 'COMPLETE' && toTime(target.NEXT_FIRE_TIME) === null && mayEndTrigger(completion);
}

/** Of what goes with its last firing, what its deletion has to know. */
function toFinished(
  { completion, plan, target }: PlannedCompletion,
  kept: ReadonlyMap<string, boolean>,
): readonly FinishedTrigger[] {
  const isKept = kept.get(keyText(completion.firing.trigger.key));
  const isDeleted = plan.scope === 'trigger' && plan.action === 'delete';
  if (isKept === true || (isKept === undefined && !isDeleted)) return [];
  if (plan.scope !== 'none' && !isDeleted) return []; // it settles the trigger otherwise
  const jobKey = { name: target.JOB_NAME ?? '', group: target.JOB_GROUP ?? '' };
  const isDurable = toBoolean(target.IS_DURABLE);
  const mayLeaveOrphan = !isDurable || !sameKey(jobKey, completion.firing.jobDetail.key);
  return [{ completion, type: target.TRIGGER_TYPE, jobKey, mayLeaveOrphan }];
}

async function settleTriggers(tx: SqlTransaction, node: SqlNode, planned: readonly PlannedCompletion[]): Promise<void> {
  const moved = firstOfEach(beforeTheirJob(planned).flatMap(toMove), ({ key }) => keyText(key));
  await moveTriggers(tx, node, moved);
  await endReservations(
    tx,
    node,
    moved.map(({ key, from }) => ({ key, state: from.TRIGGER_STATE })),
  );
}

/** Without those that come after another completion has settled every trigger of the job. */
function beforeTheirJob(planned: readonly PlannedCompletion[]): readonly PlannedCompletion[] {
  const settled = new Set<string>();
  return planned.filter(({ plan, completion }) => {
    const job = keyText(completion.firing.jobDetail.key);
    if (plan.scope === 'job') settled.add(job);
    return !settled.has(job);
  });
}

function toMove({ plan, completion, target }: PlannedCompletion) {
  if (plan.scope !== 'trigger' || plan.action === 'delete' || target.TRIGGER_STATE === null) return [];
  const { key } = completion.firing.trigger;
  const before = toState({ TRIGGER_STATE: target.TRIGGER_STATE });
  const state = settledState(before, plan.action);
  const from = { TRIGGER_NAME: key.name, TRIGGER_GROUP: key.group, TRIGGER_STATE: before };
  return state === before ? [] : [{ key, from, state }];
}

function settledState(before: TriggerState, transition: 'complete' | 'fail'): TriggerState {
  return nextState(before, transition, { jobExecuting: false, groupPaused: false });
}

async function settleJobs(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  planned: readonly PlannedCompletion[],
): Promise<void> {
  const settled = firstOfEach(
    planned.filter(({ plan }) => plan.scope === 'job'),
    ({ completion }) => keyText(completion.firing.jobDetail.key),
  );
  const rows = settled.map(({ completion, plan }) => ({
    ...jobKeyColumns(completion.firing.jobDetail.key),
    toState: settledState('WAITING', plan.scope === 'job' ? plan.action : 'complete'),
  }));
  await writeRows(tx, 'settleTriggersOfJobs', { schedName }, rows);
  await writeRows(tx, 'deleteReservationsOfJobs', { schedName }, rows);
}

/** Lets the triggers of non-concurrent jobs go on that do not execute any more. */
async function unblock(
  tx: SqlTransaction,
  node: SqlNode,
  planned: readonly PlannedCompletion[],
  executing: ExecutingJobs,
): Promise<EpochMs | undefined> {
  const serial = jobsOf(planned.filter(({ isSerial }) => isSerial).map(({ completion }) => completion));
  const isKnown = serial.every((key) => executing.asked.has(keyText(key)));
  return isKnown ? unblockEnded(tx, node, serial, executing) : unblockTriggersOf(tx, node, serial);
}

/** Lets the triggers of those of the jobs go on that do not execute; the earliest of their fire times, if any moved. */
export async function unblockTriggersOf(
  tx: SqlTransaction,
  node: SqlNode,
  jobs: readonly JobKey[],
): Promise<EpochMs | undefined> {
  return unblockEnded(tx, node, jobs, await selectExecuting(tx, node, jobs));
}

async function unblockEnded(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  jobs: readonly JobKey[],
  executing: ExecutingJobs,
): Promise<EpochMs | undefined> {
  const ended = jobs.filter((key) => !executing.found.has(keyText(key))).map(jobKeyColumns);
  const [moved, times] = await Promise.all([
    writeRows(tx, 'unblockTriggers', { schedName }, ended),
    selectByRows<{ EARLIEST: number | null }>(tx, 'selectEarliestOfJobs', { schedName }, ended),
  ]);
  return moved === 0 ? undefined : earliestOf(times.map(({ EARLIEST }) => EARLIEST));
}
