import type { EpochMs } from '../../../base/clock';
import { type Completion, type CompletionPlan, planCompletion } from '../../../domain/completion';
import { keyText } from '../../../domain/keys';
import type { Trigger } from '../../../domain/trigger';
import type { CompletionOutcome } from '../../job-store';
import { toBoolean } from '../row-formats/trigger-kinds';
import { selectByRows, writeRows } from '../row-sets';
import { toTime } from '../rows';
import type { SqlTransaction } from '../sql-driver';
import type { SqlNode } from '../sql-node';
import { carryOut } from './carry-out-completions';
import { type Deletions, outcomeOf } from './delete-finished';
import { firstOfEach } from './first-of-each';
import { persistJobData } from './persist-job-data';
import { type CompletionTarget, type CompletionTargets, readCompletionTargets } from './read-completion-targets';

/** How a batch is gone about. */
export interface CompletionMode {
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

/**
 * Ends firings, one outcome per completion, in their order. Without the lock it may run beside everything else: the fired
 * row that it deletes guards the rest. Two trips to the database: deleting and reading, then writing. Throws `OtherModeNeeded`.
 */
export async function completeTriggers(
  tx: SqlTransaction,
  node: SqlNode,
  completions: readonly Completion[],
  mode: CompletionMode,
): Promise<CompletedBatch> {
  const owned = await presentOnes(tx, node, completions, mode);
  const [deleted, stored] = await Promise.all([takeAway(tx, node, owned), readCompletionTargets(tx, node, owned)]);
  if (deleted !== owned.length) throw new OtherModeNeeded({ ...mode, isPrecise: true });
  const planned = planAll(owned, stored);
  if (!mode.isLocked && planned.some(({ isSerial }) => isSerial))
    throw new OtherModeNeeded({ ...mode, isLocked: true });
  const [, { deletions, earliest }] = await Promise.all([
    persistJobData(tx, node, planned, stored.jobs),
    carryOut(tx, node, planned, stored),
  ]);
  return { outcomes: toOutcomes(completions, planned, deletions), earliest };
}

/** Those whose fired rows are expected to be there; of one firing that is completed twice, the first. */
async function presentOnes(
  tx: SqlTransaction,
  node: SqlNode,
  completions: readonly Completion[],
  mode: CompletionMode,
): Promise<readonly Completion[]> {
  const each = firstOfEach(completions, entryOf);
  if (!mode.isPrecise) return each;
  const present = await presentEntries(tx, node, each.map(entryOf));
  return each.filter((completion) => present.has(entryOf(completion)));
}

/** Deletes the fired rows, and answers how many: a completion whose row is gone may change nothing. */
function takeAway(
  tx: SqlTransaction,
  { schedName, instanceId }: SqlNode,
  owned: readonly Completion[],
): Promise<number> {
  const rows = owned.map((completion) => ({ entryId: entryOf(completion) }));
  return writeRows(tx, 'deleteFirings', { schedName, instanceId }, rows);
}

function entryOf({ firing }: Completion): string {
  return firing.fireInstanceId;
}

async function presentEntries(
  tx: SqlTransaction,
  { schedName, instanceId }: SqlNode,
  entryIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = entryIds.map((entryId) => ({ entryId }));
  const who = { schedName, instanceId };
  const found = await selectByRows<{ ENTRY_ID: string; STATE: string }>(tx, 'selectFiredTriggers', who, rows);
  return new Set(found.filter(({ STATE }) => STATE === 'EXECUTING').map(({ ENTRY_ID }) => ENTRY_ID));
}

function planAll(
  completions: readonly Completion[],
  { targets, triggers }: CompletionTargets,
): readonly PlannedCompletion[] {
  return completions.map((completion, index) => {
    const target = targets[index] as CompletionTarget;
    const stored = triggers.get(keyText(completion.firing.trigger.key)) ?? partOf(completion, target);
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

export const FENCED: CompletionOutcome = { status: 'fenced', deletedTrigger: false, deletedJob: false };

/** One outcome per completion; those that were not planned are fenced. */
function toOutcomes(
  completions: readonly Completion[],
  planned: readonly PlannedCompletion[],
  deletions: Deletions,
): readonly CompletionOutcome[] {
  const owned = new Set(planned.map(({ completion }) => completion));
  return completions.map((each) => (owned.has(each) ? outcomeOf(each, deletions) : FENCED));
}
