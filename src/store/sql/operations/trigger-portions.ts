import { type GroupMatcher, type JobKey, keyText, type TriggerKey } from '../../../domain/keys';
import type { TriggerState } from '../../../domain/trigger-state';
import { type JobRow, jobKeyColumns, jobKeyOf, type TriggerRow, triggerKeyOf } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { selectByRows } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';

/*
 * Triggers of groups and jobs in portions, in the order of an index: reading one costs the same wherever it begins. A portion is read in the
 * transaction that changes it; nothing needs to be remembered between two but where the next one begins.
 */

/** Some triggers, and where the next ones begin; null: there are none. */
export interface TriggerPortion<Place> {
  readonly keys: readonly TriggerKey[];
  readonly next: Place | null;
}

/** Reads at most about `take` triggers from a place on; null: from the beginning. */
export type TriggerPortions<Place> = (
  tx: SqlTransaction,
  place: Place | null,
  take: number,
) => Promise<TriggerPortion<Place>>;

type KeyRow = Pick<TriggerRow, 'TRIGGER_NAME' | 'TRIGGER_GROUP'>;
type StateRow = KeyRow & Pick<TriggerRow, 'TRIGGER_STATE'>;

/** Where triggers are sought: the statement that lists them, and the one that says how far a certain number of rows reaches. */
const RANGES = {
  all: ['listTriggerKeys', 'selectTriggerBoundary'],
  group: ['listTriggerKeysOfGroup', 'selectTriggerBoundaryOfGroup'],
  job: ['listTriggerKeysOfJob', 'selectTriggerBoundaryOfJob'],
} as const;

/** Rows that are looked at for one portion, however few of them are in the states that are sought. */
const MOST_LOOKED_AT = 2_000;

const ANY = { jobName: null, jobGroup: null, calendarName: null, group: null, search: null };

/** The keys themselves, whatever is stored. */
export function portionsOfKeys(keys: readonly TriggerKey[]): TriggerPortions<number> {
  return async (_, place, take) => {
    const first = place ?? 0;
    const end = first + take;
    return { keys: keys.slice(first, end), next: end < keys.length ? end : null };
  };
}

/** Those of groups that are in one of the states. Several groups are sought among all triggers. */
export function portionsOfGroups(
  node: SqlNode,
  matcher: GroupMatcher,
  isMeant: (group: string) => boolean,
  states: readonly TriggerState[],
): TriggerPortions<TriggerKey> {
  const range = matcher.operator === 'equals' ? ({ group: matcher.value } as const) : {};
  return async (tx, place, take) => {
    const { keys, next } = await keysBehind(tx, node, { ...{ range, states, place, take } });
    return { keys: keys.filter(({ group }) => isMeant(group)), next };
  };
}

/** Where in a list of jobs: the first job that is left, and the trigger of it that was the last one. */
export interface PlaceInJobs {
  readonly jobs: readonly JobKey[];
  readonly after: TriggerKey | null;
}

/** Those of jobs that are in one of the states. `jobs` is asked once, where the first portion begins. */
export function portionsOfJobs(
  node: SqlNode,
  jobs: (tx: SqlTransaction) => Promise<readonly JobKey[]>,
  states: readonly TriggerState[],
): TriggerPortions<PlaceInJobs> {
  return async (tx, place, take) => {
    const { jobs: left, after } = place ?? { jobs: await jobs(tx), after: null };
    const [first] = left;
    if (first === undefined) return { keys: [], next: null };
    const few = after === null ? await fewIn(tx, node, left.slice(0, take), take) : [];
    if (few.length > 0) {
      const rows = await selectByRows<StateRow>(
        tx,
        'selectTriggersOfJobs',
        { schedName: node.schedName },
        few.map(jobKeyColumns),
      );
      const keys = rows.filter((row) => (states as readonly string[]).includes(row.TRIGGER_STATE)).map(triggerKeyOf);
      return { keys, next: inJobs(left.slice(few.length), null) };
    }
    const range = { jobName: first.name, jobGroup: first.group };
    const { keys, next } = await keysBehind(tx, node, { ...{ range, states, place: after, take } });
    return { keys, next: next === null ? inJobs(left.slice(1), null) : inJobs(left, next) };
  };
}

/** The first of the jobs, as many as have no more than `take` triggers together. */
async function fewIn(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  jobs: readonly JobKey[],
  take: number,
): Promise<readonly JobKey[]> {
  type Row = Pick<JobRow, 'JOB_NAME' | 'JOB_GROUP'> & { readonly TRIGGERS: number };
  const rows = await selectByRows<Row>(tx, 'countTriggersOfJobs', { schedName }, jobs.map(jobKeyColumns));
  const counts = new Map(rows.map((row) => [keyText(jobKeyOf(row)), row.TRIGGERS]));
  let sum = 0;
  const end = jobs.findIndex((job) => {
    sum += counts.get(keyText(job)) ?? 0;
    return sum > take;
  });
  return end === -1 ? jobs : jobs.slice(0, end);
}

function inJobs(jobs: readonly JobKey[], after: TriggerKey | null): PlaceInJobs | null {
  return jobs.length === 0 ? null : { jobs, after };
}

interface Search {
  /** A group, a job, or all triggers. */
  readonly range: { readonly group?: string; readonly jobName?: string; readonly jobGroup?: string };
  readonly states: readonly TriggerState[];
  readonly place: TriggerKey | null;
  readonly take: number;
}

async function keysBehind(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  { range, states, place, take }: Search,
): Promise<TriggerPortion<TriggerKey>> {
  const [list, boundary] = RANGES[range.group !== undefined ? 'group' : range.jobName !== undefined ? 'job' : 'all'];
  const from = { schedName, ...range, afterName: place?.name ?? null, afterGroup: place?.group ?? null };
  const [end] = await tx.all<KeyRow>(boundary, { ...from, scanned: MOST_LOOKED_AT });
  const upTo = { endName: end?.TRIGGER_NAME ?? null, endGroup: end?.TRIGGER_GROUP ?? null };
  const rows = await tx.all<KeyRow>(list, { ...ANY, ...from, ...upTo, states: JSON.stringify(states), take });
  const keys = rows.map(triggerKeyOf);
  const last = keys.length < take ? end && triggerKeyOf(end) : keys.at(-1);
  return { keys, next: last ?? null };
}
