import type { Completion } from '../../../domain/completion';
import { type JobKey, keyText } from '../../../domain/keys';
import type { CompletionOutcome } from '../../job-store';
import { firstOfEach } from '../rows/first-of-each';
import { jobKeyColumns, keyList } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { selectOrdered, writeEveryRow, writeRows } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import { deleteKindRows } from './delete-triggers';

/** A trigger that goes with the end of its last firing. */
export interface FinishedTrigger {
  readonly completion: Completion;
  /** As its row says, so that the row of its kind is found; null: not known. */
  readonly type: string | null;
  /** Its job, which may be another one than was fired. */
  readonly jobKey: JobKey;
  /** Whether the job goes too if this was its last trigger, as far as is known: its row decides. */
  readonly mayLeaveOrphan: boolean;
}

/** The completions whose trigger, and whose job with it, was deleted. */
export interface Deletions {
  readonly triggers: ReadonlySet<Completion>;
  readonly jobs: ReadonlySet<Completion>;
}

const NO_JOBS: ReadonlySet<Completion> = new Set();

/** Deletes the triggers and the non-durable jobs left without any. Throws `StaleRead` when one is not finished any more. */
export async function deleteFinished(
  tx: SqlTransaction,
  node: SqlNode,
  all: readonly FinishedTrigger[],
): Promise<Deletions> {
  // Two firings of one trigger may end together.
  const finished = firstOfEach(all, ({ completion }) => keyText(completion.firing.trigger.key));
  const { schedName } = node;
  const rows = finished.map(({ completion }) => keyList(completion.firing.trigger.key));
  const [, , jobs] = await Promise.all([
    deleteKindRows(tx, node, new Set(finished.map(({ type }) => type)), rows),
    writeEveryRow(tx, 'deleteFinishedTriggers', { schedName }, rows),
    deleteOrphans(tx, node, finished),
  ]);
  return { triggers: new Set(finished.map(({ completion }) => completion)), jobs };
}

/** Of each job, the last completion in the batch has deleted it. */
async function deleteOrphans(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  finished: readonly FinishedTrigger[],
): Promise<ReadonlySet<Completion>> {
  const candidates = lastOfEachJob(finished);
  const keys = candidates.map(({ jobKey }) => jobKey);
  const deleted = await writeRows(tx, 'deleteOrphanJobs', { schedName }, keys.map(keyList));
  if (deleted === 0) return NO_JOBS;
  if (deleted === candidates.length) return new Set(candidates.map(({ completion }) => completion));
  type Row = { readonly POSITION: number; readonly JOB_NAME: string | null };
  const left = await selectOrdered<Row>(tx, 'selectJobs', { schedName }, keys.map(jobKeyColumns));
  const gone = candidates.filter((_, index) => left[index]?.JOB_NAME === null);
  return new Set(gone.map(({ completion }) => completion));
}

function lastOfEachJob(finished: readonly FinishedTrigger[]): readonly FinishedTrigger[] {
  const last = new Map<string, FinishedTrigger>();
  for (const each of finished) if (each.mayLeaveOrphan) last.set(keyText(each.jobKey), each);
  return [...last.values()];
}

/* The same three objects for all completions: many of them cross between threads, where one that comes again is a number. */
const ENDED: CompletionOutcome = { status: 'completed', deletedTrigger: false, deletedJob: false };
const ENDED_WITH_TRIGGER: CompletionOutcome = { status: 'completed', deletedTrigger: true, deletedJob: false };
const ENDED_WITH_JOB: CompletionOutcome = { status: 'completed', deletedTrigger: true, deletedJob: true };

/** What a completion has come to that was carried out. */
export function outcomeOf(completion: Completion, { triggers, jobs }: Deletions): CompletionOutcome {
  if (jobs.has(completion)) return ENDED_WITH_JOB;
  return triggers.has(completion) ? ENDED_WITH_TRIGGER : ENDED;
}
