import { type Completion, type CompletionPlan, planCompletion } from '../../../domain/completion';
import { keyText } from '../../../domain/keys';
import type { Trigger } from '../../../domain/trigger';
import type { CompletionOutcome } from '../../job-store';
import { firstOfEach } from '../rows/first-of-each';
import { toTime } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { toBoolean } from '../rows/trigger-kinds';
import { selectByRows, writeRows } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import { carryOut } from './carry-out-completions';
import { type CompletedBatch, UnexpectedRows } from './completed-batch';
import { type Deletions, outcomeOf } from './delete-finished';
import { persistJobData } from './persist-job-data';
import { type CompletionTarget, type CompletionTargets, readCompletionTargets } from './read-completion-targets';

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
 * Ends firings under TRIGGER_ACCESS, one outcome per completion, in their order: reads what they touch, decides, and writes. Two trips to
 * the database: deleting and reading, then writing. `isOwnedUnknown`: some may have been taken away, so those that are left are looked
 * up first; without it, a fired row that is gone throws `UnexpectedRows`.
 */
export async function completeLocked(
  tx: SqlTransaction,
  node: SqlNode,
  completions: readonly Completion[],
  { isOwnedUnknown }: { readonly isOwnedUnknown: boolean },
): Promise<CompletedBatch> {
  const each = firstOfEach(completions, entryOf); // of one firing that is completed twice, the first
  const owned = isOwnedUnknown ? await presentOnes(tx, node, each) : each;
  const [deleted, stored] = await Promise.all([takeAway(tx, node, owned), readCompletionTargets(tx, node, owned)]);
  if (deleted !== owned.length) throw new UnexpectedRows();
  const planned = planAll(owned, stored);
  const [, { deletions, earliest }] = await Promise.all([
    persistJobData(tx, node, planned, stored.jobs),
    carryOut(tx, node, planned, stored),
  ]);
  return { outcomes: toOutcomes(completions, planned, deletions), earliest };
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

/** Those whose fired rows are there. */
async function presentOnes(
  tx: SqlTransaction,
  { schedName, instanceId }: SqlNode,
  completions: readonly Completion[],
): Promise<readonly Completion[]> {
  const rows = completions.map((completion) => ({ entryId: entryOf(completion) }));
  const who = { schedName, instanceId };
  const found = await selectByRows<{ ENTRY_ID: string; STATE: string }>(tx, 'selectFiredTriggers', who, rows);
  const present = new Set(found.filter(({ STATE }) => STATE === 'EXECUTING').map(({ ENTRY_ID }) => ENTRY_ID));
  return completions.filter((completion) => present.has(entryOf(completion)));
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
