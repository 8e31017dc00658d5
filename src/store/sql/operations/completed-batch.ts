import type { EpochMs } from '../../../base/clock';
import type { Completion } from '../../../domain/completion';
import { firstOfEach, type JobKey, keyText } from '../../../domain/keys';
import type { CompletionOutcome } from '../../job-store';
import type { NodeTransaction } from '../rows/node-transaction';
import { keyList } from '../rows/rows';
import { writeEveryRow } from '../runtime/row-batches';
import { deleteOrphanJobs } from './ended-triggers';
import type { EndedRuns } from './extension';
import { EXTENSIONS } from './extensions';
import { deleteKindRows } from './write-triggers';

export interface CompletedBatch {
  readonly outcomes: readonly CompletionOutcome[];
  /** Earliest fire time of the triggers that became eligible to fire; undefined if there are none. */
  readonly earliest: EpochMs | undefined;
  /** Like `earliest`, for triggers that this node can fire, because it has just run their jobs. Default: none. */
  readonly earliestHere?: EpochMs | undefined;
}

/** Effects of completions that end no occurrence and store no further runs. */
export const ALONE: Omit<EndedRuns, 'owned'> = { occurrences: new Map(), started: [], stored: new Set() };

/** Thrown if the stored rows contradict an assumption of a `WayToComplete`. The transaction is rolled back, and the next, more careful way runs. */
export class UnexpectedRows extends Error {}

/** A trigger to delete because its last firing has ended. */
export interface FinishedTrigger {
  readonly completion: Completion;
  /** Stored trigger type, which determines the table of the trigger's type row; null if unknown. */
  readonly type: string | null;
  /** The stored trigger's job. It may differ from the job of the completed firing. */
  readonly jobKey: JobKey;
  /** True if the job's row must be read to decide whether the job is deleted with its last trigger. */
  readonly mayLeaveOrphan: boolean;
}

/** Effects of a batch. `triggers`: completions that deleted their trigger. `jobs`: completions that also deleted the job. */
export interface Deletions {
  readonly triggers: ReadonlySet<Completion>;
  readonly jobs: ReadonlySet<Completion>;
}

/* Outcomes shared by all completions: between threads, each repetition of an object costs only a reference. */
export const ENDED: CompletionOutcome = { status: 'completed', deletedTrigger: false, deletedJob: false };
const ENDED_WITH_TRIGGER: CompletionOutcome = { status: 'completed', deletedTrigger: true, deletedJob: false };
const ENDED_WITH_JOB: CompletionOutcome = { status: 'completed', deletedTrigger: true, deletedJob: true };
export const FENCED: CompletionOutcome = { status: 'fenced', deletedTrigger: false, deletedJob: false };
export const FAILED: CompletionOutcome = { status: 'failed', deletedTrigger: false, deletedJob: false };

export function outcomeOf(completion: Completion, { triggers, jobs }: Deletions): CompletionOutcome {
  if (jobs.has(completion)) return ENDED_WITH_JOB;
  return triggers.has(completion) ? ENDED_WITH_TRIGGER : ENDED;
}

/** Deletes finished triggers, and the non-durable jobs that have no other trigger. Throws `StaleRead` if a trigger is no longer finished. */
export async function deleteFinished(tx: NodeTransaction, all: readonly FinishedTrigger[]): Promise<Deletions> {
  // Two firings of one trigger may end in the same batch.
  const finished = firstOfEach(all, ({ completion }) => keyText(completion.firing.trigger.key));
  const rows = finished.map(({ completion }) => keyList(completion.firing.trigger.key));
  const removed = finished.map(({ completion: { firing } }) => ({ key: firing.trigger.key, firing }));
  const [, , jobs] = await Promise.all([
    deleteKindRows(tx, new Set(finished.map(({ type }) => type)), rows),
    writeEveryRow(tx, 'deleteFinishedTriggers', rows),
    deleteOrphans(tx, finished),
    ...EXTENSIONS.map((extension) => extension.removed?.(tx, removed)),
  ]);
  return { triggers: new Set(finished.map(({ completion }) => completion)), jobs };
}

/** Deletes the non-durable jobs left without triggers. Returns the completions that deleted a job: for each job, the last completion in the batch. */
async function deleteOrphans(tx: NodeTransaction, finished: readonly FinishedTrigger[]) {
  const candidates = finished.filter(({ mayLeaveOrphan }) => mayLeaveOrphan);
  const lastOfEachJob = new Map(candidates.map((each) => [keyText(each.jobKey), each]));
  const deleted = await deleteOrphanJobs(
    tx,
    [...lastOfEachJob.values()].map(({ jobKey }) => jobKey),
  );
  return new Set(deleted.flatMap((key) => lastOfEachJob.get(keyText(key))?.completion ?? []));
}
