import type { EpochMs } from '../../../base/clock';
import type { Completion } from '../../../domain/completion';
import { firstOfEach, type JobKey, keyText } from '../../../domain/keys';
import type { CompletionOutcome } from '../../job-store';
import { jobKeyColumns, keyList } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { selectOrdered, writeEveryRow, writeRows } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import { EXTENSIONS } from './extensions';
import { deleteKindRows } from './write-triggers';

/** Result of a batch of completions. */
export interface CompletedBatch {
  readonly outcomes: readonly CompletionOutcome[];
  /** The earliest fire time that came within reach; undefined: none did. */
  readonly earliest: EpochMs | undefined;
}

/** The rows are not what this way of completing expects: the batch is rolled back, and completed in the next, more careful way. */
export class UnexpectedRows extends Error {}

/** A trigger that is deleted with the end of its last firing. */
export interface FinishedTrigger {
  readonly completion: Completion;
  /** As stored in its row, so that the row of its kind is found; null: not known. */
  readonly type: string | null;
  /** Its job, which may be another one than was fired. */
  readonly jobKey: JobKey;
  /** True if the job is deleted too if this was its last trigger, as far as is known: its row decides. */
  readonly mayLeaveOrphan: boolean;
}

/** The completions whose trigger, and whose job with it, was deleted. */
export interface Deletions {
  readonly triggers: ReadonlySet<Completion>;
  readonly jobs: ReadonlySet<Completion>;
}

/* The same objects for all completions: many of them are sent between threads, where a repeated object costs only a number. */
const ENDED: CompletionOutcome = { status: 'completed', deletedTrigger: false, deletedJob: false };
const ENDED_WITH_TRIGGER: CompletionOutcome = { status: 'completed', deletedTrigger: true, deletedJob: false };
const ENDED_WITH_JOB: CompletionOutcome = { status: 'completed', deletedTrigger: true, deletedJob: true };
export const FENCED: CompletionOutcome = { status: 'fenced', deletedTrigger: false, deletedJob: false };
export const FAILED: CompletionOutcome = { status: 'failed', deletedTrigger: false, deletedJob: false };

/** The outcome of a completion that was carried out. */
export function outcomeOf(completion: Completion, { triggers, jobs }: Deletions): CompletionOutcome {
  if (jobs.has(completion)) return ENDED_WITH_JOB;
  return triggers.has(completion) ? ENDED_WITH_TRIGGER : ENDED;
}

/** Deletes the triggers and the non-durable jobs left without any. Throws `StaleRead` when one is not finished any more. */
export async function deleteFinished(
  tx: SqlTransaction,
  node: SqlNode,
  all: readonly FinishedTrigger[],
): Promise<Deletions> {
  // Two firings of one trigger may end together.
  const finished = firstOfEach(all, ({ completion }) => keyText(completion.firing.trigger.key));
  const rows = finished.map(({ completion }) => keyList(completion.firing.trigger.key));
  const removed = finished.map(({ completion: { firing } }) => ({ key: firing.trigger.key, firing }));
  const [, , jobs] = await Promise.all([
    deleteKindRows(tx, node, new Set(finished.map(({ type }) => type)), rows),
    writeEveryRow(tx, 'deleteFinishedTriggers', { schedName: node.schedName }, rows),
    deleteOrphans(tx, node, finished),
    ...EXTENSIONS.map((extension) => extension.removed?.(tx, node, removed)),
  ]);
  return { triggers: new Set(finished.map(({ completion }) => completion)), jobs };
}

/** Of each job, the last completion in the batch has deleted it. */
async function deleteOrphans(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  finished: readonly FinishedTrigger[],
): Promise<ReadonlySet<Completion>> {
  const candidates = finished.filter(({ mayLeaveOrphan }) => mayLeaveOrphan);
  const lastOfEachJob = [...new Map(candidates.map((each) => [keyText(each.jobKey), each])).values()];
  const keys = lastOfEachJob.map(({ jobKey }) => jobKey);
  const deleted = await writeRows(tx, 'deleteOrphanJobs', { schedName }, keys.map(keyList));
  const isUnclear = deleted > 0 && deleted < keys.length;
  type Row = { readonly POSITION: number; readonly JOB_NAME: string | null };
  const left = await selectOrdered<Row>(tx, 'selectJobs', { schedName }, isUnclear ? keys.map(jobKeyColumns) : []);
  const gone = lastOfEachJob.filter((_, index) => (isUnclear ? left[index]?.JOB_NAME === null : deleted > 0));
  return new Set(gone.map(({ completion }) => completion));
}
