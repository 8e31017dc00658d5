import { type EpochMs, MAX_TIME } from '../../../base/clock';
import { maxOf } from '../../../base/lists';
import {
  ENQUEUED_TOKEN_LENGTH,
  enqueuedTypeOf,
  enqueuedPrefix as prefixOfEnqueued,
} from '../../../domain/enqueued-name';
import {
  BRIEF_LENGTH,
  briefDetail,
  RUN_OUTCOMES,
  type RunCursor,
  type RunPage,
  type RunQuery,
  type RunRecord,
} from '../../../domain/run';
import type { NodeTransaction } from '../rows/node-transaction';
import { type RunRow, toRun } from '../rows/run-rows';
import { toFlag } from '../rows/trigger-kinds';
import { selectByRows } from '../runtime/row-batches';
import type { SqlParams } from '../runtime/sql-driver';
import { EVERY_GROUP } from './paused-groups';
import { countIn } from './read-schedule';

/** Maximum length of the DETAIL column, in characters. */
const MAX_DETAIL = 16_777_215;

/** Time range of all runs, in milliseconds: `first` is inclusive, `end` is exclusive. */
const ALL_TIME = { first: -MAX_TIME, end: MAX_TIME + 1 } as const;

/** Maximum number of runs to read for one page if no index selects the matching runs. */
const MAX_SCANNED = 5_000;
/** Maximum number of runs to look up for one page if the index also selects runs that do not match. */
const MAX_FOUND = 2_500;

/**
 * Returns one page of matching runs, newest first. If an index fits the query, searches it once per outcome, all in one round trip. Each search
 * then reads its rows in list order, without reading runs with other outcomes.
 */
export async function listRuns(tx: NodeTransaction, query: RunQuery): Promise<RunPage> {
  const searches = searchesFor(query);
  const whole = paramsOf(query);
  const boundary = isScan(query, searches) ? await findBoundary(tx, searches, whole) : null;
  const params = boundary === null ? whole : { ...whole, since: boundary };
  const rows = (await Promise.all(searches.map((search) => select(tx, search, params, query)))).flat();
  const runs = rows.map(toRun).sort(newestFirst);
  const page = runs.slice(0, query.take);
  const items = query.detail === undefined ? page : page.map((run) => ({ ...run, detail: briefDetail(run.detail) }));
  const last = items.at(-1);
  // All runs that ended exactly at the boundary were read. The empty id sorts before every run id, so the next page starts with earlier runs.
  const end = boundary === null ? null : { endTime: boundary, runId: '' };
  if (runs.length <= query.take || last === undefined) return { items, next: end };
  return { items, next: { endTime: last.endTime, runId: last.runId } };
}

/** True if one page may require reading very many runs, because the index covers only some filters of the query. */
function isScan(query: RunQuery, searches: readonly Search[]): boolean {
  const { instanceId, jobKey, jobType, triggerKey, occurrenceId, jobGroup = EVERY_GROUP, search = '' } = query;
  if (query.runIds !== undefined) return false;
  const isOtherThanIndexed = searches.some(
    ({ statement }) =>
      (jobKey !== undefined && statement !== 'selectRunsOfJob') ||
      (triggerKey !== undefined && statement !== 'selectRunsOfTrigger'),
  );
  const isFiltered = instanceId !== undefined || jobType !== undefined || occurrenceId !== undefined || search !== '';
  return isOtherThanIndexed || isFiltered || jobGroup.operator !== 'any';
}

/** Statement that finds where each search must stop, its limit, and its parameters in addition to the common ones. */
const BOUNDARIES = {
  selectRuns: ['selectRunBoundary', MAX_SCANNED, []],
  selectRunsByOutcome: ['selectRunBoundaryByOutcome', MAX_FOUND, ['outcome', 'isDeadLetter']],
  selectRunsOfJob: ['selectRunBoundaryOfJob', MAX_FOUND, ['jobName', 'jobGroup', 'outcome']],
  selectRunsOfTrigger: ['selectRunBoundaryOfTrigger', MAX_FOUND, ['triggerName', 'triggerGroup', 'outcome']],
} as const;

/** Returns the latest end time at which one of the searches must stop; null if all may read to the end. */
async function findBoundary(
  tx: NodeTransaction,
  searches: readonly Search[],
  params: SqlParams,
): Promise<EpochMs | null> {
  const find = ({ statement: search, ...chosen }: Search) => {
    if (search === 'selectRunsByIds') return [];
    const [statement, scanned, others] = BOUNDARIES[search];
    const all: SqlParams = { ...params, ...chosen };
    const names = ['since', 'endTime', ...others];
    const own = Object.fromEntries(names.map((name) => [name, all[name] ?? null]));
    return tx.all<Pick<RunRow, 'ENDED_TIME'>>(statement, { ...own, scanned });
  };
  const found = (await Promise.all(searches.map(find))).flat().map(({ ENDED_TIME }) => ENDED_TIME);
  return found.length === 0 ? null : maxOf(found);
}

interface Search {
  readonly statement: keyof typeof BOUNDARIES | 'selectRunsByIds';
  /** Outcome to search for; null for any outcome. */
  readonly outcome: string | null;
  readonly isDeadLetter: string | null;
}

function searchesFor(query: RunQuery): readonly Search[] {
  const outcomes = [...new Set(query.outcomes ?? RUN_OUTCOMES)];
  const marks = query.deadLetters === true ? [toFlag(true)] : [toFlag(true), toFlag(false)];
  const isDeadLetter = query.deadLetters === true ? toFlag(true) : null;
  const forEach = (statement: Search['statement']) => outcomes.map((outcome) => ({ statement, outcome, isDeadLetter }));
  if (query.runIds !== undefined)
    return query.outcomes === undefined
      ? [{ statement: 'selectRunsByIds', outcome: null, isDeadLetter }]
      : forEach('selectRunsByIds');
  // Dead letters are searched by outcome even if a job or trigger is given: they are few, but a job may have very many runs.
  if (query.deadLetters !== true) {
    if (query.triggerKey !== undefined) return forEach('selectRunsOfTrigger');
    if (query.jobKey !== undefined) return forEach('selectRunsOfJob');
    if (query.outcomes === undefined) return [{ statement: 'selectRuns', outcome: null, isDeadLetter: null }];
  }
  return outcomes.flatMap((outcome) =>
    marks.map((mark) => ({ statement: 'selectRunsByOutcome' as const, outcome, isDeadLetter: mark })),
  );
}

function paramsOf(query: RunQuery): SqlParams {
  const { jobKey, triggerKey, since = ALL_TIME.first, until = ALL_TIME.end, after, search = '' } = query;
  const isAfterEarlier = after !== undefined && after.endTime < until;
  return {
    since,
    // The empty id sorts before every run id, so a run that ended exactly at `until` is excluded.
    endTime: isAfterEarlier ? after.endTime : until,
    runId: isAfterEarlier ? after.runId : '',
    jobName: jobKey?.name ?? null,
    jobGroup: jobKey?.group ?? null,
    ...enqueuedParams(query),
    jobType: query.jobType ?? null,
    ...groupParams(query),
    triggerName: triggerKey?.name ?? null,
    triggerGroup: triggerKey?.group ?? null,
    occurrenceId: query.occurrenceId ?? null,
    instanceId: query.instanceId ?? null,
    search: search === '' ? null : search.toLowerCase(),
    detailLength: query.detail === undefined ? MAX_DETAIL : query.detail === 'none' ? 0 : BRIEF_LENGTH,
    take: query.take + 1,
  };
}

/** Returns the parameters that select enqueued jobs by their type; nulls if the query names only a job key. */
function enqueuedParams(query: RunQuery): SqlParams {
  const enqueuedType = enqueuedTypeOf(query);
  const enqueuedPrefix = enqueuedType === null ? null : prefixOfEnqueued(enqueuedType);
  return { enqueuedType, enqueuedPrefix, enqueuedToken: ENQUEUED_TOKEN_LENGTH };
}

/** Returns the parameters that filter by job group. The database evaluates the filter, because runs may belong to groups that no longer have jobs. */
function groupParams({ jobGroup: { operator, value } = EVERY_GROUP }: RunQuery): SqlParams {
  const isAny = operator === 'any' || (operator !== 'equals' && value === '');
  return { groupOperator: isAny ? null : operator, group: value };
}

function select(
  tx: NodeTransaction,
  { statement, outcome, isDeadLetter }: Search,
  params: SqlParams,
  { runIds = [] }: RunQuery,
): Promise<readonly RunRow[]> {
  const all = { ...params, outcome, isDeadLetter };
  if (statement !== 'selectRunsByIds') return tx.all<RunRow>(statement, all);
  return selectByRows<RunRow>(tx, statement, [...new Set(runIds)], all);
}

function newestFirst(a: RunRecord, b: RunRecord): number {
  return b.endTime - a.endTime || (a.runId < b.runId ? 1 : -1);
}

/** Maximum number of runs to skip in one transaction. If the store has a single connection, firings wait until the transaction ends. */
const STEP = 10_000;

const BEGINNING: RunCursor = { endTime: ALL_TIME.first, runId: '' };

/** Runs `work` in its own read transaction. */
type Read = <Result>(work: (tx: NodeTransaction) => Promise<Result>) => Promise<Result>;

/** End time of the run after the `newer` most recent; null if none. Reads from the oldest: the caller deletes older runs, so few are left. */
export async function findRunEnd(read: Read, newer: number): Promise<EpochMs | null> {
  let total = 0;
  for (const outcome of RUN_OUTCOMES)
    for (const isDeadLetter of [toFlag(false), toFlag(true)]) total += await countRuns(read, { outcome, isDeadLetter });
  let place = BEGINNING;
  for (let older = total - newer; older > 0; older -= STEP) {
    const next = await pass(read, 'selectRunEnd', {}, { place, count: Math.min(older, STEP) });
    if (next === null) return null; // other nodes have deleted runs since they were counted
    place = next;
  }
  return place === BEGINNING ? null : place.endTime;
}

/** Counts the runs of one index range: full steps of `STEP` runs, and the remainder. */
async function countRuns(read: Read, range: SqlParams): Promise<number> {
  let total = 0;
  let place = BEGINNING;
  for (;;) {
    const next = await pass(read, 'selectRunAfter', range, { place, count: STEP });
    if (next === null) break;
    total += STEP;
    place = next;
  }
  return total + (await read((tx) => countIn(tx, 'countRuns', { ...range, ...place, most: STEP })));
}

/** Returns the position `count` runs after `place`; null if fewer runs follow. */
async function pass(
  read: Read,
  statement: 'selectRunAfter' | 'selectRunEnd',
  range: SqlParams,
  { place, count }: { readonly place: RunCursor; readonly count: number },
): Promise<RunCursor | null> {
  const params = { ...range, ...place, skipped: count - 1 };
  const [row] = await read((tx) => tx.all<Pick<RunRow, 'ENDED_TIME' | 'RUN_ID'>>(statement, params));
  return row === undefined ? null : { endTime: row.ENDED_TIME, runId: row.RUN_ID };
}
