import type { JobData } from '../../../domain/job-data';
import { distinctKeys, formatKey, type JobKey, keyText, type TriggerKey } from '../../../domain/keys';
import { isGroupOfFurtherRuns } from '../../../domain/occurrence';
import {
  type ExplainedPause,
  isRunHeld,
  originOfRun,
  type PausedTrigger,
  pausedTriggerOf,
  runsOf,
} from '../../../domain/pause';
import type { SimpleTrigger } from '../../../domain/trigger';
import type { TriggerState } from '../../../domain/trigger-state';
import type { Which } from '../../job-store';
import { decodeJobData } from '../rows/job-data';
import type { NodeTransaction } from '../rows/node-transaction';
import {
  jobKeyColumns,
  jobKeyOf,
  readable,
  type TriggerRow,
  toState,
  triggerKeyColumns,
  triggerKeyOf,
} from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { selectByRows } from '../runtime/row-batches';
import { isGroupPaused } from './paused-groups';
import { selectPausesOf } from './pauses';
import type { JobName, TriggerName } from './select-definitions';

type Row = TriggerName & JobName & Pick<TriggerRow, 'TRIGGER_STATE' | 'JOB_DATA'>;

/** Trigger of a further run, such as a retry. `origin`: the trigger whose occurrence it runs. */
type RunOfTrigger = Row & { readonly origin: TriggerKey };

/**
 * Returns the further runs of triggers. `jobs`: jobs of these triggers, if all of the triggers exist; null to search the further runs of every
 * job. Reports a run that this node cannot read, and leaves it out.
 */
export async function selectRunsOf(
  tx: NodeTransaction,
  which: Which<TriggerKey>,
  jobs: readonly JobKey[] | null,
): Promise<readonly RunOfTrigger[]> {
  const rows =
    jobs === null
      ? await tx.all<Row>('selectFurtherRuns')
      : await selectByRows<Row>(tx, 'selectFurtherRunsOfJobs', distinctKeys(jobs).map(jobKeyColumns));
  return among(rows, [which], tx.node);
}

/** Returns the further runs of the triggers in any of the selections. Searches the further runs of every job. */
export async function selectRunsOfAny(
  tx: NodeTransaction,
  selections: readonly Which<TriggerKey>[],
): Promise<readonly RunOfTrigger[]> {
  return among(await tx.all<Row>('selectFurtherRuns'), selections, tx.node);
}

function among(rows: readonly Row[], selections: readonly Which<TriggerKey>[], node: SqlNode): readonly RunOfTrigger[] {
  const selected = selections.map(runsOf);
  const isSelected = (origin: TriggerKey) => selected.some((isOf) => isOf(origin));
  return rows.flatMap((row) => {
    const origin = originOf(row, node);
    return origin !== null && isSelected(origin) ? [{ ...row, origin }] : [];
  });
}

/** Returns the fields of a trigger that decide which pauses cover it. */
export function pausedTriggerIn(row: Row, node: SqlNode): PausedTrigger {
  const [key, jobKey] = [triggerKeyOf(row), jobKeyOf(row)];
  const of = isGroupOfFurtherRuns(key.group) ? originOf(row, node) : null;
  return of === null ? { key, jobKey } : { key, jobKey, of };
}

function originOf(row: Row, node: SqlNode): TriggerKey | null {
  const data = readTriggerData(row, node);
  return data === null ? null : originOfRun({ key: triggerKeyOf(row), data });
}

/** Returns the data of a trigger. Null, after a report, if this node cannot read it. */
export function readTriggerData(row: TriggerName & Pick<TriggerRow, 'JOB_DATA'>, node: SqlNode): JobData | null {
  const name = formatKey(triggerKeyOf(row));
  return readable(node, { what: 'trigger', name }, () => decodeJobData(row.JOB_DATA, `trigger '${name}'`));
}

/** Returns `jobs` if it has one entry for each key. Null otherwise: some of the triggers do not exist. */
export function jobsOfAll(keys: readonly TriggerKey[], jobs: readonly JobKey[]): readonly JobKey[] | null {
  return jobs.length === distinctKeys(keys).length ? jobs : null;
}

/** Returns the states of the triggers whose occurrences these runs belong to, by the key in the form of `keyText`. Leaves out deleted triggers. */
export async function selectOriginStates(
  tx: NodeTransaction,
  runs: readonly SimpleTrigger[],
): Promise<ReadonlyMap<string, TriggerState>> {
  const origins = distinctKeys(runs.map(originKey)).map(triggerKeyColumns);
  type State = TriggerName & Pick<TriggerRow, 'TRIGGER_STATE'>;
  const rows = await selectByRows<State>(tx, 'selectStates', origins);
  return new Map(rows.map((row) => [keyText(triggerKeyOf(row)), toState(row)]));
}

/** Returns a predicate for further runs that must wait until their trigger is resumed. Reads pauses only if one of the triggers is paused. */
export async function selectHeld(
  tx: NodeTransaction,
  runs: readonly SimpleTrigger[],
  { states, paused }: { readonly states: ReadonlyMap<string, TriggerState>; readonly paused: ReadonlySet<string> },
): Promise<(run: SimpleTrigger) => boolean> {
  const held = (run: SimpleTrigger, pauses: readonly ExplainedPause[]) => {
    const key = originKey(run);
    const state = states.get(keyText(key)) ?? null;
    const origin = { key, jobKey: run.jobKey };
    return isRunHeld(origin, state, { isGroupPaused: isGroupPaused(paused, key.group), pauses });
  };
  if (!runs.some((run) => held(run, []))) return () => false;
  const origins = runs.map((run) => ({ key: originKey(run), jobKey: run.jobKey }));
  const pauses = await selectPausesOf(tx, origins); // the explanation of a pause may let retries run during the pause
  return (run) => held(run, pauses);
}

function originKey(run: SimpleTrigger): TriggerKey {
  const { of, key } = pausedTriggerOf(run);
  return of ?? key;
}
