import type { EpochMs } from '../../../base/clock';
import { maxOf } from '../../../base/lists';
import {
  BRIEF_LENGTH,
  briefDetail,
  RUN_OUTCOMES,
  type RunPage,
  type RunQuery,
  type RunRecord,
} from '../../../domain/run';
import { type RunRow, toRun } from '../rows/run-rows';
import type { SqlNode } from '../rows/sql-node';
import { toFlag } from '../rows/trigger-kinds';
import { selectByRows } from '../runtime/row-batches';
import type { SqlParams, SqlTransaction } from '../runtime/sql-driver';
import { EVERY_GROUP } from './paused-groups';

/** Characters: as long as the column. */
const MAX_DETAIL = 16_777_215;

/** Before and after every time that a run can have. */
const ALL_TIME = { first: -8.64e15, end: 8.64e15 + 1 } as const;

/** So many runs are read for one page at most, where no index leads to those that match: in the order in which they lie. */
const MAX_SCANNED = 5_000;
/** The same where an index leads to more than those that match, and each is looked up. */
const MAX_LOOKED_UP = 2_500;

/**
 * The newest runs that match, one page of them. What there is an index for is asked for once for every outcome, in one trip: so each index
 * gives what is sought in the order of the list, however much of another outcome lies between.
 */
export async function listRuns(tx: SqlTransaction, node: SqlNode, query: RunQuery): Promise<RunPage> {
  const searches = searchesFor(query);
  const whole = paramsOf(node, query);
  const boundary = isScan(query, searches) ? await findBoundary(tx, searches, whole) : null;
  const params = boundary === null ? whole : { ...whole, since: boundary };
  const rows = (await Promise.all(searches.map((search) => select(tx, search, params, query)))).flat();
  const runs = rows.map(toRun).sort(newestFirst);
  const items = runs.slice(0, query.take).map((run) => (query.detail === undefined ? run : briefly(run)));
  const last = items.at(-1);
  // What ended at the boundary was read: the next page begins before it, as no id comes before the empty one.
  const end = boundary === null ? null : { endTime: boundary, runId: '' };
  if (runs.length <= query.take || last === undefined) return { items, next: end };
  return { items, next: { endTime: last.endTime, runId: last.runId } };
}

/** Whether very many runs may be read to find one that matches: the index leads to what is asked for only in part. */
function isScan(query: RunQuery, searches: readonly Search[]): boolean {
  const { instanceId, jobKey, triggerKey, occurrenceId, jobGroup = EVERY_GROUP, search = '' } = query;
  if (query.runIds !== undefined) return false;
  const isOtherThanIndexed = searches.some(
    ({ statement }) =>
      (jobKey !== undefined && statement !== 'selectRunsOfJob') ||
      (triggerKey !== undefined && statement !== 'selectRunsOfTrigger'),
  );
  const isFiltered = instanceId !== undefined || occurrenceId !== undefined || search !== '';
  return isOtherThanIndexed || isFiltered || jobGroup.operator !== 'any';
}

const BOUNDARIES = {
  selectRuns: { statement: 'selectRunBoundary', scanned: MAX_SCANNED },
  selectRunsByOutcome: { statement: 'selectRunBoundaryByOutcome', scanned: MAX_LOOKED_UP },
  selectRunsOfJob: { statement: 'selectRunBoundaryOfJob', scanned: MAX_LOOKED_UP },
  selectRunsOfTrigger: { statement: 'selectRunBoundaryOfTrigger', scanned: MAX_LOOKED_UP },
} as const;

/** What a boundary is looked for by. */
const BOUNDARY_PARAMS = {
  selectRuns: [],
  selectRunsByOutcome: ['outcome', 'isDeadLetter'],
  selectRunsOfJob: ['jobName', 'jobGroup', 'outcome'],
  selectRunsOfTrigger: ['triggerName', 'triggerGroup', 'outcome'],
} as const;

/** The latest time up to which one of the searches may read; null: there is no need for one. */
async function findBoundary(
  tx: SqlTransaction,
  searches: readonly Search[],
  params: SqlParams,
): Promise<EpochMs | null> {
  const find = ({ statement: search, ...chosen }: Search) => {
    if (search === 'selectRunsByIds') return [];
    const { statement, scanned } = BOUNDARIES[search];
    const all: SqlParams = { ...params, ...chosen };
    const names = ['schedName', 'since', 'endTime', ...BOUNDARY_PARAMS[search]];
    const asked = Object.fromEntries(names.map((name) => [name, all[name] ?? null]));
    return tx.all<Pick<RunRow, 'ENDED_TIME'>>(statement, { ...asked, scanned });
  };
  const found = (await Promise.all(searches.map(find))).flat().map(({ ENDED_TIME }) => ENDED_TIME);
  return found.length === 0 ? null : maxOf(found);
}

/** Which index is searched, and for what. */
interface Search {
  readonly statement:
    | 'selectRuns'
    | 'selectRunsOfJob'
    | 'selectRunsOfTrigger'
    | 'selectRunsByOutcome'
    | 'selectRunsByIds';
  /** Null: any. */
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
  // Before jobs and triggers: there are few dead letters, and of a job there may be very many runs.
  if (query.deadLetters !== true) {
    if (query.triggerKey !== undefined) return forEach('selectRunsOfTrigger');
    if (query.jobKey !== undefined) return forEach('selectRunsOfJob');
    if (query.outcomes === undefined) return [{ statement: 'selectRuns', outcome: null, isDeadLetter: null }];
  }
  return outcomes.flatMap((outcome) =>
    marks.map((mark) => ({ statement: 'selectRunsByOutcome' as const, outcome, isDeadLetter: mark })),
  );
}

function paramsOf({ schedName }: SqlNode, query: RunQuery): SqlParams {
  const { jobKey, triggerKey, since = ALL_TIME.first, until = ALL_TIME.end, after, search = '' } = query;
  const isAfterEarlier = after !== undefined && after.endTime < until;
  return {
    schedName,
    since,
    // What ends at `until` itself comes behind every run: no id is before the empty one.
    endTime: isAfterEarlier ? after.endTime : until,
    runId: isAfterEarlier ? after.runId : '',
    jobName: jobKey?.name ?? null,
    jobGroup: jobKey?.group ?? null,
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

/** Decided by the database: there may be runs of groups that have no job any more. */
function groupParams({ jobGroup: { operator, value } = EVERY_GROUP }: RunQuery): SqlParams {
  const isAny = operator === 'any' || (operator !== 'equals' && value === '');
  return { groupOperator: isAny ? null : operator, group: value };
}

function select(
  tx: SqlTransaction,
  { statement, outcome, isDeadLetter }: Search,
  params: SqlParams,
  { runIds = [] }: RunQuery,
): Promise<readonly RunRow[]> {
  const all = { ...params, outcome, isDeadLetter };
  if (statement !== 'selectRunsByIds') return tx.all<RunRow>(statement, all);
  return selectByRows<RunRow>(tx, statement, all, [...new Set(runIds)]);
}

function briefly(run: RunRecord): RunRecord {
  return { ...run, detail: briefDetail(run.detail) };
}

function newestFirst(a: RunRecord, b: RunRecord): number {
  if (a.endTime !== b.endTime) return b.endTime - a.endTime;
  return a.runId < b.runId ? 1 : -1;
}
