import type { EpochMs } from '../../../base/clock';
import { stateAfterFiring } from '../../../domain/firing';
import type { NodeTransactions } from '../rows/node-transaction';
import { fromTime, jobKeyColumns, keyList, nextTimeColumn } from '../rows/rows';
import { storedTimesTriggered } from '../rows/trigger-kinds';
import { type RowOfSet, writeRows } from '../runtime/row-batches';
import { Script } from '../runtime/script';
import { firingFlags, type PlannedFiring } from './firings';

/** A firing that was planned without the lock. */
export interface TrainFiring extends PlannedFiring {
  /** Checksum of the trigger's columns as they were read. */
  readonly asRead: number;
}

/** Assumptions that must still hold when the train has the lock. */
interface TrainTerms {
  readonly now: EpochMs;
  /** Number of the train within its incarnation, from which a refusal counts. */
  readonly train: number;
  readonly epoch: string;
  /** Version of the schedule that was read. */
  readonly version: string;
}

type FiredId = { readonly ENTRY_ID: string };

/**
 * Sends a train: the lock, the firings that are still as they were read, what follows from them, and the commit, in one flush. Every write after the
 * first takes its rows from the fired triggers that are there. Returns the run ids of the firings that were stored. Throws `ScriptRefused` if the
 * database refused a statement; nothing is stored then.
 */
export async function sendTrain(
  { node, plain }: NodeTransactions,
  firings: readonly TrainFiring[],
  terms: TrainTerms,
): Promise<ReadonlySet<string>> {
  const { instanceId } = node;
  const { train, epoch } = terms;
  const script = new Script(null);
  await writeRows(script, 'insertTrain', firings.map(firedRow), { instanceId, ...terms });
  await writeRows(script, 'advanceTrain', firings.map(advancedRow));
  await writeRows(script, 'advanceSimpleTrain', firings.flatMap(simpleRow));
  await writeRows(script, 'advanceSimpropTrain', firings.flatMap(simpropRow));
  await writeRows(script, 'blockTrain', firings.flatMap(blockedRow));
  await writeRows(script, 'deleteReservationsOfTrain', firings.flatMap(blockedRow));
  const rows = JSON.stringify(firings.map(({ firing }) => firing.runId));
  const winners = { statement: 'selectTrain', params: { rows }, isQuery: true, rows: null } as const;
  const stored = await plain.runScript<FiredId>({
    stepsOf: () => [...script.steps, winners],
    resolveUnknown: async (tx) => {
      const found = await tx.all<FiredId>('selectTrain', { rows });
      if (found.length === 0) await tx.run('refuseTrain', { train, instanceId, epoch });
      return { status: 'committed', result: found };
    },
  });
  plain.trains.sent++;
  plain.trains.fired += stored.length;
  return new Set(stored.map(({ ENTRY_ID }) => ENTRY_ID));
}

/** Columns of insertTrain, in order. */
function firedRow({ read: { trigger }, firing, asRead }: TrainFiring): RowOfSet {
  const { key, nextFireTime, priority } = trigger;
  return [...keyList(key), firing.runId, fromTime(nextFireTime), priority, ...firingFlags(firing), asRead];
}

function advancedRow({ firing }: TrainFiring): RowOfSet {
  const { trigger, runId } = firing;
  const { key, previousFireTime, startTime } = trigger;
  return [
    ...keyList(key),
    runId,
    stateAfterFiring(firing),
    nextTimeColumn(trigger),
    fromTime(previousFireTime),
    startTime,
  ];
}

function simpleRow({ read: { trigger: before }, firing: { trigger, runId } }: TrainFiring): readonly RowOfSet[] {
  if (trigger.kind !== 'SIMPLE' || before.kind !== 'SIMPLE') return [];
  const timesTriggered = storedTimesTriggered(trigger);
  if (trigger.repeatCount === before.repeatCount && timesTriggered === before.timesTriggered) return [];
  return [[...keyList(trigger.key), runId, trigger.repeatCount, timesTriggered]];
}

function simpropRow({ firing: { trigger, runId } }: TrainFiring): readonly RowOfSet[] {
  if (trigger.kind !== 'CAL_INT' && trigger.kind !== 'DAILY_I') return [];
  return [[...keyList(trigger.key), runId, trigger.timesTriggered]];
}

function blockedRow({ firing: { jobDetail, runId } }: TrainFiring): readonly RowOfSet[] {
  if (!jobDetail.disallowConcurrentExecution) return [];
  return [{ ...jobKeyColumns(jobDetail.key), entryId: runId }];
}
