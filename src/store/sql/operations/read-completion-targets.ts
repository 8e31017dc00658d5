import { type Completion, mayEndTrigger } from '../../../domain/completion';
import { type JobKey, keyText } from '../../../domain/keys';
import type { Trigger } from '../../../domain/trigger';
import { firstOfEach } from '../rows/first-of-each';
import { readPlainTrigger } from '../rows/read-rows';
import { type JobRow, jobKeyColumns, jobKeyOf, keyList, triggerKeyColumns, triggerKeyOf } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { selectByRows, selectOrdered } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import { selectTriggerRows } from './select-triggers';

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

/** All that is stored of what the completions of a batch touch, by the texts of keys. */
export interface CompletionTargets {
  /** One for each completion, in their order. */
  readonly targets: readonly CompletionTarget[];
  /** The triggers that must be compared with what was fired: one that was rescheduled meanwhile is not touched. */
  readonly triggers: ReadonlyMap<string, Trigger>;
  /** The rows of jobs of which an execution has returned data. */
  readonly jobs: ReadonlyMap<string, JobRow>;
  readonly executing: ExecutingJobs;
  /** Of the triggers that the end of these firings may end: those that have fired for the last time and that nobody executes. */
  readonly over: ReadonlySet<string>;
}

/** Which jobs execute, of those that were asked for. */
export interface ExecutingJobs {
  readonly asked: ReadonlySet<string>;
  readonly found: ReadonlySet<string>;
}

/**
 * Reads it all in one trip; to be given to the transaction behind the deletion of the fired rows, without which it would find
 * what ends here still executing. What a firing does not suggest, a stored row may ask for all the same: a job that has become
 * non-concurrent is not among `executing.asked`.
 */
export async function readCompletionTargets(
  tx: SqlTransaction,
  node: SqlNode,
  completions: readonly Completion[],
): Promise<CompletionTargets> {
  const { schedName } = node;
  const serial = completions.filter(({ firing }) => firing.jobDetail.disallowConcurrentExecution);
  const [targets, triggers, jobs, executing, over] = await Promise.all([
    selectOrdered<CompletionTarget>(
      tx,
      'selectCompletionTargets',
      { schedName },
      completions.map(({ firing }) => [...keyList(firing.jobDetail.key), ...keyList(firing.trigger.key)]),
    ),
    selectCompared(tx, node, completions),
    selectJobsWithData(tx, node, completions),
    selectExecuting(tx, node, jobsOf(serial)),
    selectOver(tx, node, completions.filter(mayEndTrigger)),
  ]);
  return { targets, triggers, jobs, executing, over };
}

/** The jobs that were fired, each once. */
export function jobsOf(completions: readonly Completion[]): readonly JobKey[] {
  return firstOfEach(
    completions.map(({ firing }) => firing.jobDetail.key),
    keyText,
  );
}

/** Which of the jobs execute. */
export async function selectExecuting(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  jobs: readonly JobKey[],
): Promise<ExecutingJobs> {
  type Row = { readonly JOB_NAME: string; readonly JOB_GROUP: string };
  const rows = await selectByRows<Row>(tx, 'selectExecutingJobs', { schedName }, jobs.map(jobKeyColumns));
  return { asked: new Set(jobs.map(keyText)), found: new Set(rows.map((row) => keyText(jobKeyOf(row)))) };
}

async function selectCompared(
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
  const triggers = rows.map((row) => readPlainTrigger(row, node)).filter((trigger) => trigger !== null);
  return new Map(triggers.map((trigger) => [keyText(trigger.key), trigger]));
}

async function selectJobsWithData(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  completions: readonly Completion[],
): Promise<ReadonlyMap<string, JobRow>> {
  const keys = jobsOf(completions.filter(({ jobData }) => jobData !== undefined));
  type Row = JobRow & { readonly POSITION: number };
  const rows = await selectOrdered<Row>(tx, 'selectJobs', { schedName }, keys.map(jobKeyColumns));
  return new Map(keys.map((key, index) => [keyText(key), rows[index] as JobRow]));
}

async function selectOver(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  completions: readonly Completion[],
): Promise<ReadonlySet<string>> {
  const keys = completions.map(({ firing }) => triggerKeyColumns(firing.trigger.key));
  type Row = { readonly TRIGGER_NAME: string; readonly TRIGGER_GROUP: string };
  const rows = await selectByRows<Row>(tx, 'selectLeftovers', { schedName }, keys);
  return new Set(rows.map((row) => keyText(triggerKeyOf(row))));
}
