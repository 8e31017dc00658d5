import { type Completion, mayEndTrigger } from '../../../domain/completion';
import { firstOfEach, type JobKey, keyText } from '../../../domain/keys';
import type { Trigger } from '../../../domain/trigger';
import { readPlainTrigger } from '../rows/read-rows';
import { type JobRow, jobKeyColumns, keyList, type TriggerRow, triggerKeyColumns, triggerKeyOf } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { selectByRows, selectOrdered } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import { selectExecutingJobs } from './fired-triggers';
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
  /** The stored data of jobs of which an execution has returned data. */
  readonly jobData: ReadonlyMap<string, Uint8Array | null>;
  /** Those of the jobs that execute, of jobs that were fired as non-concurrent. */
  readonly executing: ReadonlySet<string>;
  /** Of the triggers that the end of these firings may end: those that have fired for the last time and that nobody executes. */
  readonly over: ReadonlySet<string>;
}

/**
 * Reads it all in one trip; to be given to the transaction behind the deletion of the fired triggers, without which it would find
 * what ends here still executing.
 */
export async function readCompletionTargets(
  tx: SqlTransaction,
  node: SqlNode,
  completions: readonly Completion[],
): Promise<CompletionTargets> {
  const keys = completions.map(({ firing }) => [...keyList(firing.jobDetail.key), ...keyList(firing.trigger.key)]);
  const nonConcurrent = completions.filter(({ firing }) => firing.jobDetail.disallowConcurrentExecution);
  const [targets, triggers, jobData, executing, over] = await Promise.all([
    selectOrdered<CompletionTarget>(tx, 'selectCompletionTargets', { schedName: node.schedName }, keys),
    selectCompared(tx, node, completions),
    selectJobData(tx, node, completions),
    selectExecutingJobs(tx, node, jobsOf(nonConcurrent)),
    selectOver(tx, node, completions.filter(mayEndTrigger)),
  ]);
  return { targets, triggers, jobData, executing, over };
}

/** The jobs that were fired, each once. */
export function jobsOf(completions: readonly Completion[]): readonly JobKey[] {
  const keys = completions.map(({ firing }) => firing.jobDetail.key);
  return firstOfEach(keys, keyText);
}

async function selectCompared(
  tx: SqlTransaction,
  node: SqlNode,
  completions: readonly Completion[],
): Promise<CompletionTargets['triggers']> {
  const compared = completions.filter(
    ({ instruction }) => instruction === 'SET_TRIGGER_COMPLETE' || instruction === 'SET_TRIGGER_ERROR',
  );
  const keys = compared.map(({ firing }) => firing.trigger.key);
  const triggers = (await selectTriggerRows(tx, node, keys)).map((row) => readPlainTrigger(row, node));
  return new Map(triggers.flatMap((trigger) => (trigger === null ? [] : [[keyText(trigger.key), trigger]])));
}

async function selectJobData(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  completions: readonly Completion[],
): Promise<CompletionTargets['jobData']> {
  const keys = jobsOf(completions.filter(({ jobData }) => jobData !== undefined));
  type Row = Pick<JobRow, 'DETAIL_DATA'> & { readonly POSITION: number };
  const rows = await selectOrdered<Row>(tx, 'selectJobs', { schedName }, keys.map(jobKeyColumns));
  return new Map(keys.map((key, index) => [keyText(key), rows[index]?.DETAIL_DATA ?? null]));
}

async function selectOver(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  completions: readonly Completion[],
): Promise<CompletionTargets['over']> {
  const keys = completions.map(({ firing }) => triggerKeyColumns(firing.trigger.key));
  type Row = Pick<TriggerRow, 'TRIGGER_NAME' | 'TRIGGER_GROUP'>;
  const rows = await selectByRows<Row>(tx, 'selectLeftovers', { schedName }, keys);
  return new Set(rows.map((row) => keyText(triggerKeyOf(row))));
}
