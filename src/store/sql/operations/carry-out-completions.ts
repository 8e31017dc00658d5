import type { EpochMs } from '../../../base/clock';
import type { Completion } from '../../../domain/completion';
import { type JobKey, keyText, sameKey } from '../../../domain/keys';
import { nextState, type TriggerState } from '../../../domain/trigger-state';
import { toBoolean } from '../row-formats/trigger-kinds';
import { selectByRows, selectInOrder, writeEveryRow, writeRows } from '../row-sets';
import { jobKeyColumns, keyList, toState } from '../rows';
import type { SqlTransaction } from '../sql-driver';
import type { SqlNode } from '../sql-node';
import type { PlannedCompletion } from './complete-triggers';
import { deleteKindRows } from './delete-triggers';
import { earliestOf } from './earliest';
import { endReservations, moveTriggers } from './write-triggers';

/** The completions whose trigger, and whose job with it, was deleted. */
export interface Deletions {
  readonly triggers: ReadonlySet<Completion>;
  readonly jobs: ReadonlySet<Completion>;
}

/** Does what the plans of a batch say. `earliest`: the earliest fire time that came within reach; undefined: none. */
export async function carryOut(
  tx: SqlTransaction,
  node: SqlNode,
  planned: readonly PlannedCompletion[],
): Promise<{ readonly deletions: Deletions; readonly earliest: EpochMs | undefined }> {
  const deletions = await deleteFinished(tx, node, planned);
  await settleTriggers(tx, node, planned);
  await settleJobs(tx, node, planned);
  return { deletions, earliest: await unblock(tx, node, planned) };
}

async function deleteFinished(
  tx: SqlTransaction,
  node: SqlNode,
  planned: readonly PlannedCompletion[],
): Promise<Deletions> {
  const finished = firstOfEach(
    planned.filter(({ plan }) => plan.scope === 'trigger' && plan.action === 'delete'),
    ({ completion }) => keyText(completion.firing.trigger.key),
  );
  const { schedName } = node;
  const types = new Set(finished.map(({ target }) => target.TRIGGER_TYPE));
  const rows = finished.map(({ completion }) => keyList(completion.firing.trigger.key));
  await deleteKindRows(tx, node, types, rows);
  await writeEveryRow(tx, 'deleteFinishedTriggers', { schedName }, rows);
  return {
    triggers: new Set(finished.map(({ completion }) => completion)),
    jobs: await deleteOrphans(tx, node, finished),
  };
}

/** Deletes non-durable jobs left without triggers; of each, the last completion in the batch has deleted it. */
async function deleteOrphans(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  finished: readonly PlannedCompletion[],
): Promise<ReadonlySet<Completion>> {
  const last = new Map(finished.filter(mayLeaveOrphan).map((each) => [keyText(jobOf(each)), each]));
  const candidates = [...last.values()];
  const jobs = candidates.map(jobOf);
  const deleted = await writeRows(tx, 'deleteOrphanJobs', { schedName }, jobs.map(keyList));
  if (deleted === 0) return new Set();
  if (deleted === candidates.length) return new Set(candidates.map(({ completion }) => completion));
  const left = await selectInOrder<{ POSITION: number; JOB_NAME: string | null }>(
    tx,
    'selectJobs',
    { schedName },
    jobs.map(jobKeyColumns),
  );
  return new Set(candidates.filter((_, index) => left[index]?.JOB_NAME === null).map(({ completion }) => completion));
}

function mayLeaveOrphan(planned: PlannedCompletion): boolean {
  const isDurable = toBoolean(planned.target.IS_DURABLE);
  return !isDurable || !sameKey(jobOf(planned), planned.completion.firing.jobDetail.key);
}

/** The job of the trigger, which may be another one than was fired. */
function jobOf({ target }: PlannedCompletion): JobKey {
  return { name: target.JOB_NAME ?? '', group: target.JOB_GROUP ?? '' };
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
): Promise<EpochMs | undefined> {
  const ended = firstOfEach(
    planned.filter(({ isSerial }) => isSerial),
    ({ completion }) => keyText(completion.firing.jobDetail.key),
  );
  return unblockTriggersOf(
    tx,
    node,
    ended.map(({ completion }) => completion.firing.jobDetail.key),
  );
}

/** Lets the triggers of those of the jobs go on that do not execute; the earliest of their fire times, if any moved. */
export async function unblockTriggersOf(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  jobs: readonly JobKey[],
): Promise<EpochMs | undefined> {
  const rows = jobs.map(jobKeyColumns);
  const executing = await selectByRows<{ JOB_NAME: string; JOB_GROUP: string }>(
    tx,
    'selectExecutingJobs',
    { schedName },
    rows,
  );
  const still = new Set(executing.map(({ JOB_NAME, JOB_GROUP }) => keyText({ name: JOB_NAME, group: JOB_GROUP })));
  const ended = jobs.filter((key) => !still.has(keyText(key))).map(jobKeyColumns);
  if ((await writeRows(tx, 'unblockTriggers', { schedName }, ended)) === 0) return undefined;
  const times = await selectByRows<{ EARLIEST: number | null }>(tx, 'selectEarliestOfJobs', { schedName }, ended);
  return earliestOf(times.map(({ EARLIEST }) => EARLIEST));
}

function firstOfEach<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const key = keyOf(item);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
