import { systemRandom } from '../../../base/ids';
import type { CalendarData } from '../../../domain/calendars/calendar';
import type { JobDetail } from '../../../domain/job-detail';
import { type GroupMatcher, type JobKey, keyText, type TriggerKey } from '../../../domain/keys';
import type { NamePageQuery, StoredTrigger } from '../../job-store';
import { decodeCalendar } from '../rows/calendar';
import type { NodeTransaction } from '../rows/node-transaction';
import { showJob, showTrigger } from '../rows/read-rows';
import { jobKeyColumns, jobKeyOf } from '../rows/rows';
import { selectByRows } from '../runtime/row-batches';
import type { SqlParams } from '../runtime/sql-driver';
import type { StatementName } from '../runtime/statement-names';
import { insertMeta, selectMeta } from './meta';
import { type JobName, selectCalendars, selectEachJob, selectTriggerRows } from './select-definitions';

/** Returns the jobs with these keys that exist, in the same order. For a job that this node cannot read, returns the readable fields. */
export async function getJobs(tx: NodeTransaction, keys: readonly JobKey[]): Promise<readonly JobDetail[]> {
  const rows = await selectEachJob(tx, keys);
  return rows.flatMap((row) => (row === null ? [] : [showJob(row, tx.node)]));
}

/** Returns the triggers with these keys that exist, in the same order. For a trigger that this node cannot read, returns the readable fields. */
export async function getTriggers(tx: NodeTransaction, keys: readonly TriggerKey[]): Promise<readonly StoredTrigger[]> {
  return (await selectTriggerRows(tx, keys)).map((row) => showTrigger(row, tx.node));
}

/** Returns the calendar with this name; null if there is none. Throws INVALID_CALENDAR if this node cannot read it. */
export async function getCalendar(tx: NodeTransaction, name: string): Promise<CalendarData | null> {
  const bytes = (await selectCalendars(tx, [name])).get(name);
  return bytes === undefined ? null : decodeCalendar(bytes, name, tx.node.timeZone).data;
}

export async function getCalendarNames(tx: NodeTransaction): Promise<readonly string[]> {
  const rows = await tx.all<{ CALENDAR_NAME: string }>('selectCalendarNames');
  return rows.map(({ CALENDAR_NAME }) => CALENDAR_NAME).sort();
}

/** Returns one page of calendars, ordered by name. `data` is null for a calendar that this node cannot read. */
export async function pageCalendars(tx: NodeTransaction, { after = '', take }: NamePageQuery) {
  type Row = { readonly CALENDAR_NAME: string; readonly CALENDAR: Uint8Array };
  const rows = await tx.all<Row>('selectCalendarPage', { afterName: after, take: take + 1 });
  const items = rows
    .slice(0, take)
    .map((row) => ({ name: row.CALENDAR_NAME, data: readableCalendar(row, tx.node.timeZone) }));
  return { items, next: rows.length > take ? (items.at(-1)?.name ?? null) : null };
}

function readableCalendar(
  row: { readonly CALENDAR_NAME: string; readonly CALENDAR: Uint8Array },
  timeZone: string,
): CalendarData | null {
  try {
    return decodeCalendar(row.CALENDAR, row.CALENDAR_NAME, timeZone).data;
  } catch {
    return null; // malformed, or of a class that is not Quartz's
  }
}

/** Returns the number of triggers of each job, by the key in the form of `keyText`. Leaves out jobs without triggers. */
export async function countTriggersOf(
  tx: NodeTransaction,
  jobs: readonly JobKey[],
): Promise<ReadonlyMap<string, number>> {
  type Row = JobName & { readonly TRIGGERS: number };
  const rows = await selectByRows<Row>(tx, 'countTriggersOfJobs', jobs.map(jobKeyColumns));
  return new Map(rows.map((row) => [keyText(jobKeyOf(row)), row.TRIGGERS]));
}

export async function findLargeJobs(
  tx: NodeTransaction,
  jobs: readonly JobKey[],
  moreThan: number,
): Promise<readonly JobKey[]> {
  const counts = await countTriggersOf(tx, jobs);
  return jobs.filter((job) => (counts.get(keyText(job)) ?? 0) > moreThan);
}

/** Returns the number that a statement counts. */
export async function countIn(tx: NodeTransaction, statement: StatementName, params: SqlParams): Promise<number> {
  const [row] = await tx.all<{ readonly TOTAL: number }>(statement, params);
  return row?.TOTAL ?? 0;
}

export const searched = (text: string | undefined) => (text === undefined || text === '' ? null : text.toLowerCase());

/** Parameters of a filter by group: one group, which an index may serve, or the names of the groups that match. Null: no filter. */
export type GroupParams = Readonly<Record<'group' | 'groups', string | null>>;

/** Returns the parameters for a matcher. `select` returns the groups that match: one rule for matches on every database. */
export async function matchedGroups(
  matcher: GroupMatcher | undefined,
  select: (matcher: GroupMatcher) => Promise<readonly string[]>,
): Promise<GroupParams> {
  if (matcher === undefined || matcher.operator === 'any') return { group: null, groups: null };
  if (matcher.operator === 'equals') return { group: matcher.value, groups: null };
  return { group: null, groups: JSON.stringify(await select(matcher)) };
}

const KEY_CHARACTERS = 50;

/** Returns the key for hashing this scheduler's definition versions; null if no node has stored one yet. */
export async function selectVersionKey(tx: NodeTransaction): Promise<string | null> {
  return selectMeta(tx, 'versionKey');
}

/** Stores a new version key unless one is already stored. Returns the stored key. */
export async function storeVersionKey(tx: NodeTransaction): Promise<string> {
  return insertMeta(tx, 'versionKey', systemRandom.token(KEY_CHARACTERS));
}
