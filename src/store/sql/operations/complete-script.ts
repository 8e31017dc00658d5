import { earliestOf } from '../../../base/clock';
import { type Completion, concernsOthers, storesNothingElse } from '../../../domain/completion';
import { heldLimitsOf } from '../../../domain/freed-limits';
import { distinctKeys } from '../../../domain/keys';
import { type NodeTransaction, type NodeTransactions, type NodeWork, withNode } from '../rows/node-transaction';
import { jobKeyColumns } from '../rows/rows';
import { type RowOfSet, writeEveryRow, writeRows } from '../runtime/row-batches';
import { Script, ScriptRefused } from '../runtime/script';
import { ALONE, type CompletedBatch, ENDED } from './completed-batch';
import { EXTENSIONS } from './extensions';

/**
 * Ends runs by one script if some of their jobs must not overlap and nothing else follows from them, so that the server holds TRIGGER_ACCESS for its own
 * time only. Returns null if more follows, or if the stored rows contradict an assumption: nothing is stored then. `resolveUnknown`: called after a
 * commit without an answer, under the lock. It must end the runs that are still stored. If the script arrives later, it then finds none, and stores nothing.
 */
export async function completeByScript(
  { node, plain }: NodeTransactions,
  completions: readonly Completion[],
  resolveUnknown: NodeWork<CompletedBatch>,
): Promise<CompletedBatch | null> {
  const restricted = completions.filter(concernsOthers);
  const isPossible = plain.runsScripts && restricted.length > 0 && !node.lockedRows.areSuspected;
  if (!isPossible || !completions.every(onlyUnblocks)) return null;
  const script = new Script(null);
  const jobs = distinctKeys(restricted.map(({ firing }) => firing.jobDetail.key)).map(jobKeyColumns);
  const params = { rows: JSON.stringify(jobs) };
  const earliest = { statement: 'selectEarliestOfJobs', params, isQuery: true, rows: null } as const;
  let resolved: CompletedBatch | null = null;
  try {
    await write(withNode(script, node), completions, jobs); // refused if a further write must read first
    const rows = await plain.runScript<{ readonly EARLIEST: number | null }>({
      role: 'completions',
      stepsOf: () => [...script.steps, earliest],
      resolveUnknown: async (tx) => {
        resolved = await resolveUnknown(withNode(tx, node));
        return { status: 'committed', result: [] };
      },
    });
    const here = earliestOf(rows.map(({ EARLIEST }) => EARLIEST));
    return resolved ?? { outcomes: completions.map(() => ENDED), earliest: undefined, earliestHere: here };
  } catch (error) {
    if (error instanceof ScriptRefused) return null;
    throw error;
  }
}

/** True if the completion only ends its run, and unblocks the triggers of its job if they must not overlap. */
function onlyUnblocks(completion: Completion): boolean {
  return completion.instruction === 'NOOP' && storesNothingElse(completion) && heldLimitsOf(completion).length === 0;
}

async function write(
  tx: NodeTransaction,
  completions: readonly Completion[],
  jobs: readonly RowOfSet[],
): Promise<void> {
  const { instanceId } = tx.node;
  const concurrent = completions.filter((each) => !concernsOthers(each)).map(({ firing }) => firing.runId);
  const restricted = completions.filter(concernsOthers).map(({ firing }) => ({ entryId: firing.runId }));
  await writeEveryRow(tx, 'deleteConcurrentFirings', concurrent, { instanceId });
  await writeEveryRow(tx, 'deleteFirings', restricted, { instanceId });
  await writeRows(tx, 'unblockIdleTriggers', jobs);
  for (const { ended } of EXTENSIONS) await ended?.(tx, { ...ALONE, owned: completions });
}
