import type { EpochMs } from '../../../base/clock';
import { type Completion, type CompletionPlan, planCompletion } from '../../../domain/completion';
import { keyText } from '../../../domain/keys';
import type { Trigger } from '../../../domain/trigger';
import type { CompletionOutcome } from '../../job-store';
import { readPlainTrigger } from '../read-rows';
import { toBoolean } from '../row-formats/trigger-kinds';
import { selectByRows, selectInOrder, writeRows } from '../row-sets';
import { keyList, toTime } from '../rows';
import type { SqlTransaction } from '../sql-driver';
import type { SqlNode } from '../sql-node';
import { carryOut } from './carry-out-completions';
import { type Deletions, outcomeOf } from './delete-finished';
import { persistJobData } from './persist-job-data';
import { selectTriggerRows } from './select-triggers';

/** How a batch is gone about. */
export interface CompletionMode {
  /** Nothing is looked up: see `completePlainly`. */
  readonly isPlain: boolean;
  /** TRIGGER_ACCESS is held. */
  readonly isLocked: boolean;
  /** It is looked up first which firings are still ours; otherwise that is expected of all of them. */
  readonly isPrecise: boolean;
}

/** The batch must be gone about otherwise: a job became non-concurrent while it executed, or a fired row was taken away. */
export class OtherModeNeeded extends Error {
  readonly mode: CompletionMode;

  constructor(mode: CompletionMode) {
    super('The completions must be run in another way.');
    this.mode = mode;
  }
}

/** What a batch of completions did. */
export interface CompletedBatch {
  readonly outcomes: readonly CompletionOutcome[];
  /** The earliest fire time that came within reach; undefined: none did. */
  readonly earliest: EpochMs | undefined;
}

/** A completion whose firing was still ours, and what it does. */
export interface PlannedCompletion {
  readonly completion: Completion;
  readonly plan: CompletionPlan;
  /** The job is non-concurrent as it is stored now: its triggers may be blocked by what has ended. */
  readonly isSerial: boolean;
  readonly persistsData: boolean;
  readonly target: CompletionTarget;
}

/** What is stored now for a completion: the job that was fired, and the trigger under the key that fired. */
export interface CompletionTarget {
  readonly POSITION: number;
  readonly IS_NONCONCURRENT: string | null;
  readonly IS_UPDATE_DATA: string | null;
  readonly IS_DURABLE: string | null;
  readonly TRIGGER_STATE: string | null;
  readonly TRIGGER_TYPE: string | null;
  readonly NEXT_FIRE_TIME: number | null;
  /** The trigger's job, which may be another one by now. */
  readonly JOB_NAME: string | null;
  readonly JOB_GROUP: string | null;
}

/**
 * Ends firings, one outcome per completion, in their order. Without the lock it may run beside everything else: the fired
 * row that it deletes guards the rest. Throws `OtherModeNeeded`.
 */
export async function completeTriggers(
  tx: SqlTransaction,
  node: SqlNode,
  completions: readonly Completion[],
  mode: CompletionMode,
): Promise<CompletedBatch> {
  const owned = await takeOwned(tx, node, completions, mode);
  const planned = await planAll(tx, node, owned);
  if (!mode.isLocked && planned.some(({ isSerial }) => isSerial))
    throw new OtherModeNeeded({ ...mode, isLocked: true });
  await persistJobData(tx, node, planned);
  const { deletions, earliest } = await carryOut(tx, node, planned);
  return { outcomes: toOutcomes(completions, planned, deletions), earliest };
}

/** Deletes the fired rows; a completion whose row is gone may change nothing. Of one firing that is completed twice, the first. */
async function takeOwned(
  tx: SqlTransaction,
  { schedName, instanceId }: SqlNode,
  completions: readonly Completion[],
  mode: CompletionMode,
): Promise<readonly Completion[]> {
  const byEntry = new Map<string, Completion>();
  for (const completion of completions) {
    const { fireInstanceId } = completion.firing;
    if (!byEntry.has(fireInstanceId)) byEntry.set(fireInstanceId, completion);
  }
  const who = { schedName, instanceId };
  const expected = mode.isPrecise ? await presentEntries(tx, who, [...byEntry.keys()]) : [...byEntry.keys()];
  const deleted = await writeRows(
    tx,
    'deleteFirings',
    who,
    expected.map((entryId) => ({ entryId })),
  );
  if (deleted !== expected.length) throw new OtherModeNeeded({ ...mode, isPrecise: true });
  return expected.map((entryId) => byEntry.get(entryId) as Completion);
}

async function presentEntries(
  tx: SqlTransaction,
  who: { readonly schedName: string; readonly instanceId: string },
  entryIds: readonly string[],
): Promise<readonly string[]> {
  const rows = entryIds.map((entryId) => ({ entryId }));
  const found = await selectByRows<{ ENTRY_ID: string; STATE: string }>(tx, 'selectFiredTriggers', who, rows);
  const present = new Set(found.filter(({ STATE }) => STATE === 'EXECUTING').map(({ ENTRY_ID }) => ENTRY_ID));
  return entryIds.filter((entryId) => present.has(entryId));
}

async function planAll(
  tx: SqlTransaction,
  node: SqlNode,
  completions: readonly Completion[],
): Promise<readonly PlannedCompletion[]> {
  const targets = await selectInOrder<CompletionTarget>(
    tx,
    'selectCompletionTargets',
    { schedName: node.schedName },
    completions.map(({ firing }) => [...keyList(firing.jobDetail.key), ...keyList(firing.trigger.key)]),
  );
  const whole = await wholeTriggers(tx, node, completions);
  return completions.map((completion, index) => {
    const target = targets[index] as CompletionTarget;
    const { key } = completion.firing.trigger;
    const stored = whole.get(keyText(key)) ?? partOf(completion, target);
    return {
      completion,
      plan: planCompletion(completion, stored),
      isSerial: toBoolean(target.IS_NONCONCURRENT),
      persistsData: toBoolean(target.IS_UPDATE_DATA),
      target,
    };
  });
}

/** For most instructions it is enough to know whether the trigger will fire again. */
function partOf({ firing }: Completion, { TRIGGER_STATE, NEXT_FIRE_TIME }: CompletionTarget): Trigger | null {
  return TRIGGER_STATE === null ? null : { ...firing.trigger, nextFireTime: toTime(NEXT_FIRE_TIME) };
}

/** The triggers that must be compared with what was fired: one that was rescheduled meanwhile is not touched. */
async function wholeTriggers(
  tx: SqlTransaction,
  node: SqlNode,
  completions: readonly Completion[],
): Promise<ReadonlyMap<string, Trigger>> {
  const compared = completions.filter(
    ({ instruction }) => instruction === 'SET_TRIGGER_COMPLETE' || instruction === 'SET_TRIGGER_ERROR',
  );
  const rows = await selectTriggerRows(
    tx,
    node,
    compared.map(({ firing }) => firing.trigger.key),
  );
  const triggers = rows.map((row) => readPlainTrigger(row, node));
  return new Map(triggers.filter((trigger) => trigger !== null).map((trigger) => [keyText(trigger.key), trigger]));
}

const FENCED: CompletionOutcome = { status: 'fenced', deletedTrigger: false, deletedJob: false };

/** One outcome per completion; those that were not planned are fenced. */
function toOutcomes(
  completions: readonly Completion[],
  planned: readonly PlannedCompletion[],
  deletions: Deletions,
): readonly CompletionOutcome[] {
  const owned = new Set(planned.map(({ completion }) => completion));
  return completions.map((each) => (owned.has(each) ? outcomeOf(each, deletions) : FENCED));
}
