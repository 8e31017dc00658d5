import { type ChainLink, planChains } from '../../../domain/chain';
import { type Completion, type EndedRun, endedRunsOf } from '../../../domain/completion';
import { distinctKeys, type JobKey, keyText } from '../../../domain/keys';
import type { SpreadOccurrence } from '../../../domain/spread-occurrence';
import type { AfterTrigger, SimpleTrigger } from '../../../domain/trigger';
import type { NodeTransaction } from '../rows/node-transaction';
import { readPlainTrigger } from '../rows/read-rows';
import { jobKeyColumns, jobKeyOf, keyList, toState, triggerKeyOf } from '../rows/rows';
import { countedText } from '../rows/trigger-kinds';
import { writeEveryRow } from '../runtime/row-batches';
import { awaitedEndsOf, endParts } from './parts';
import { type JobName, selectTriggerKeys, selectTriggerRows, type TriggerName } from './select-definitions';
import { advanceTriggers } from './write-triggers';

const NONE: readonly SimpleTrigger[] = [];

/**
 * Counts the parts (shards) that completions end. Returns the occurrences whose last part has ended, and the triggers of the further runs that start
 * because runs or occurrences end. Must run under TRIGGER_ACCESS, before the fired triggers are deleted.
 */
export async function endOccurrences(
  tx: NodeTransaction,
  owned: readonly Completion[],
): Promise<{
  readonly occurrences: ReadonlyMap<Completion, SpreadOccurrence>;
  readonly following: readonly SimpleTrigger[];
}> {
  const occurrences = await endParts(tx, owned);
  return { occurrences, following: await startFurtherRuns(tx, owned, awaitedEndsOf(occurrences)) };
}

/**
 * Returns the triggers of the further runs that start because runs or occurrences end. Must run under TRIGGER_ACCESS, in the transaction that ends
 * the runs, and only for runs that this node still owned. Sends no statement if no trigger waits. `endedOccurrences`: occurrences whose last part
 * (shard) has ended.
 */
export async function startFurtherRuns(
  tx: NodeTransaction,
  owned: readonly Completion[],
  endedOccurrences: readonly EndedRun[],
): Promise<readonly SimpleTrigger[]> {
  const ended = [...endedRunsOf(owned), ...endedOccurrences];
  return ended.length === 0 ? NONE : startFollowers(tx, ended);
}

async function startFollowers(tx: NodeTransaction, ended: readonly EndedRun[]): Promise<readonly SimpleTrigger[]> {
  const parents = distinctKeys(ended.map(({ jobKey }) => jobKey));
  const waiting = await selectWaiting(tx, parents);
  if (waiting.length === 0) return NONE;
  const { changed, starts } = planChains(
    waiting.map(({ trigger }) => trigger),
    ended,
  );
  const before = new Map(waiting.map((each) => [keyText(each.trigger.key), each]));
  const moved = changed.flatMap((trigger) => {
    const read = before.get(keyText(trigger.key));
    return read === undefined ? [] : [{ from: read.row, before: read.trigger, trigger, state: toState(read.row) }];
  });
  await Promise.all([
    advanceTriggers(tx, moved),
    writeEveryRow(tx, 'advanceAfterTriggers', moved.flatMap(changedCounts)),
  ]);
  return starts;
}

/** Returns an array with the changed counts, and the stored counts, which the write compares. The array is empty if nothing changed. */
function changedCounts({ before, trigger }: { readonly before: AfterTrigger; readonly trigger: AfterTrigger }) {
  const [from, to] = [countedText(before), countedText(trigger)];
  const isAsBefore = from === to && before.timesTriggered === trigger.timesTriggered;
  return isAsBefore ? [] : [[...keyList(trigger.key), from, to, trigger.timesTriggered]];
}

/** Returns the unpaused triggers that wait for any of these jobs. Reports a trigger that this node cannot read, and leaves it out. */
async function selectWaiting(tx: NodeTransaction, parents: readonly JobKey[]) {
  const followers = await selectTriggerKeys(tx, 'selectFollowers', parents.map(jobKeyColumns));
  const rows = await selectTriggerRows(tx, distinctKeys(followers));
  return rows.flatMap((row) => {
    const trigger = readPlainTrigger(row, tx.node);
    return trigger?.kind === 'AFTER' ? [{ row, trigger }] : [];
  });
}

/** Returns one link for each trigger and each job that it waits for. */
export async function selectLinks(tx: NodeTransaction): Promise<readonly ChainLink[]> {
  type Row = TriggerName & JobName & { readonly PARENT_NAME: string; readonly PARENT_GROUP: string };
  const rows = await tx.all<Row>('selectLinks');
  return rows.map((row) => ({
    key: triggerKeyOf(row),
    jobKey: jobKeyOf(row),
    after: [{ group: row.PARENT_GROUP, name: row.PARENT_NAME }],
  }));
}
