import { type Completion, type CompletionPlan, planCompletion } from '../../domain/completion';
import { nextState } from '../../domain/trigger-state';
import type { CompletionOutcome } from '../job-store';
import { type Execution, stateOf, type TriggerEntry } from './entries';
import type { MemoryTables } from './memory-tables';
import { transitionContextOf } from './paused-groups';

const FENCED: CompletionOutcome = { status: 'fenced', deletedTrigger: false, deletedJob: false };
const COMPLETED: CompletionOutcome = { status: 'completed', deletedTrigger: false, deletedJob: false };
const TRIGGER_DELETED: CompletionOutcome = { status: 'completed', deletedTrigger: true, deletedJob: false };
const BOTH_DELETED: CompletionOutcome = { status: 'completed', deletedTrigger: true, deletedJob: true };

/** Ends firings. One outcome per completion, in their order. */
export function completeTriggers(
  tables: MemoryTables,
  completions: readonly Completion[],
): readonly CompletionOutcome[] {
  return completions.map((completion) => complete(tables, completion));
}

function complete(tables: MemoryTables, completion: Completion): CompletionOutcome {
  const execution = tables.endExecution(completion.firing.fireInstanceId);
  if (execution === null) return FENCED;
  persistJobData(tables, execution, completion);
  const entry = currentEntry(tables, execution);
  const plan = planCompletion(completion, entry === null ? null : entry.trigger);
  return carryOut(tables, execution, entry, plan);
}

function carryOut(
  tables: MemoryTables,
  { job }: Execution,
  entry: TriggerEntry | null,
  plan: CompletionPlan,
): CompletionOutcome {
  switch (plan.scope) {
    case 'none':
      return COMPLETED;
    case 'job':
      for (const each of job.triggers.toArray()) moveTo(tables, each, plan.action);
      return COMPLETED;
    case 'trigger':
      if (entry === null) return COMPLETED;
      if (plan.action === 'delete') return deleteTrigger(tables, entry);
      moveTo(tables, entry, plan.action);
      return COMPLETED;
  }
}

/** Deletes a trigger, and its job if that is not durable and has no other one. */
function deleteTrigger(tables: MemoryTables, entry: TriggerEntry): CompletionOutcome {
  const { job } = entry;
  tables.removeTrigger(entry);
  if (job.detail.durable || job.triggers.size > 0 || !job.isStored) return TRIGGER_DELETED;
  tables.removeJob(job);
  return BOTH_DELETED;
}

/** The trigger may have been deleted and stored again since it fired. */
function currentEntry(tables: MemoryTables, { entry }: Execution): TriggerEntry | null {
  return entry.isStored ? entry : (tables.triggers.get(entry.keyText) ?? null);
}

function persistJobData(tables: MemoryTables, { job }: Execution, { jobData }: Completion): void {
  if (jobData === undefined || !job.detail.persistJobDataAfterExecution) return;
  tables.replaceJob(job, { ...job.detail, data: jobData });
}

function moveTo(tables: MemoryTables, entry: TriggerEntry, transition: 'complete' | 'fail'): void {
  const before = stateOf(entry);
  const after = nextState(before, transition, transitionContextOf(tables, entry.trigger.key.group, entry.job));
  if (after !== before) tables.updateTrigger(entry, entry.trigger, after);
}
