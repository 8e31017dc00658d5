import type { JobDetail } from '../../../domain/job-detail';
import { compareKeys, compareTexts, type TriggerKey } from '../../../domain/keys';
import { TRIGGER_STATES, type TriggerState } from '../../../domain/trigger-state';
import {
  type JobPageQuery,
  type KeyPage,
  LONGEST_COUNT,
  type StoredTrigger,
  type TriggerPageQuery,
} from '../../job-store';
import { type JobRow, jobKeyOf, nextTimeColumn, type TriggerRow, triggerKeyOf } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import type { SqlParams, SqlTransaction } from '../runtime/sql-driver';
import { getJobs, getTriggers, searched } from './read-schedule';

/** The jobs that match, by name and group, behind a key. */
export async function pageJobs(tx: SqlTransaction, node: SqlNode, query: JobPageQuery): Promise<KeyPage<JobDetail>> {
  const { after, take } = query;
  const rows = await tx.all<Pick<JobRow, 'JOB_NAME' | 'JOB_GROUP'>>('listJobKeys', {
    schedName: node.schedName,
    group: query.group ?? null,
    jobType: query.jobType ?? null,
    search: searched(query.search),
    afterName: after?.name ?? null,
    afterGroup: after?.group ?? null,
    take: rowsFor(query),
  });
  const items = await getJobs(tx, node, rows.slice(0, take).map(jobKeyOf));
  return { items, ...extentOf(rows.length, query) };
}

/** The triggers that match, in order, behind a place. */
export async function pageTriggers(
  tx: SqlTransaction,
  node: SqlNode,
  query: TriggerPageQuery,
): Promise<KeyPage<StoredTrigger>> {
  const search = new TriggerSearch(tx, node, query);
  const keys = await (query.sort === 'key' ? search.byKey() : search.byTime());
  const items = await getTriggers(tx, node, keys.slice(0, query.take));
  return { items, ...extentOf(keys.length, query) };
}

type Extent = Pick<TriggerPageQuery, 'take' | 'omitTotal'> & { readonly after?: unknown };

function isCounted({ after, omitTotal = false }: Extent): boolean {
  return after === undefined && !omitTotal;
}

/** Where it is counted, as many keys are read as are counted. */
function rowsFor(query: Extent): number {
  return (isCounted(query) ? Math.max(query.take, LONGEST_COUNT) : query.take) + 1;
}

function extentOf(found: number, query: Extent) {
  const total = { count: Math.min(found, LONGEST_COUNT), isExact: found <= LONGEST_COUNT };
  return { isMore: found > query.take, total: isCounted(query) ? total : null };
}

/** So many rows are read and sorted where that is nearer than an order that an index has. */
const FEW = 5_000;

type KeyRow = Pick<TriggerRow, 'TRIGGER_NAME' | 'TRIGGER_GROUP'>;
type TimeRow = KeyRow & { readonly NEXT_FIRE_TIME: number; readonly PRIORITY: number };

/** Before and behind every fire time. */
const TIMES = { first: 0, last: 8.64e15 } as const;
const NEVER = -1;
/** Above every priority. */
const HIGHEST = 2 ** 31;

/** One look for triggers: chooses the index that leads to them, or that has them in order. */
class TriggerSearch {
  readonly #tx: SqlTransaction;
  readonly #query: TriggerPageQuery;
  readonly #states: readonly TriggerState[];
  readonly #take: number;
  readonly #params: SqlParams;

  constructor(tx: SqlTransaction, { schedName }: SqlNode, query: TriggerPageQuery) {
    this.#tx = tx;
    this.#query = query;
    this.#states = [...new Set(query.states ?? TRIGGER_STATES)];
    this.#take = rowsFor(query);
    this.#params = {
      schedName,
      group: query.group ?? null,
      jobName: query.jobKey?.name ?? null,
      jobGroup: query.jobKey?.group ?? null,
      calendarName: query.calendarName ?? null,
      search: searched(query.search),
      afterName: query.after?.key.name ?? null,
      afterGroup: query.after?.key.group ?? null,
      take: this.#take,
    };
  }

  async byKey(): Promise<readonly TriggerKey[]> {
    const { states, jobKey, calendarName, group } = this.#query;
    if (states !== undefined && (await this.#areFewInStates())) {
      const found = await this.#ofEachState((state) =>
        this.#tx.all<KeyRow>('listTriggerKeysInState', { ...this.#params, states: null, state }),
      );
      return found.map(triggerKeyOf).sort(byName).slice(0, this.#take);
    }
    if (group !== undefined && [states, jobKey, calendarName].every((filter) => filter === undefined))
      return (await this.#tx.all<KeyRow>('listTriggerKeysOfGroupAlone', withoutOthers(this.#params))).map(triggerKeyOf);
    const params = { ...this.#params, states: states === undefined ? null : JSON.stringify(this.#states) };
    const rows = await (jobKey !== undefined
      ? this.#tx.all<KeyRow>('listTriggerKeysOfJob', params)
      : calendarName !== undefined
        ? this.#tx.all<KeyRow>('listTriggerKeysOfCalendar', params)
        : group !== undefined
          ? this.#tx.all<KeyRow>('listTriggerKeysOfGroup', params)
          : this.#tx.all<KeyRow>('listTriggerKeys', params));
    return rows.map(triggerKeyOf);
  }

  /** Each state has its own order by time in the index; what never fires again stands before all that will, and is listed behind it. */
  async byTime(): Promise<readonly TriggerKey[]> {
    const statement = await this.#statementByTime();
    const { after } = this.#query;
    const place = after && { time: nextTimeColumn(after), priority: after.priority };
    const isBehindTimes = place?.time === NEVER;
    const start = { time: TIMES.first, priority: HIGHEST };
    const timed = isBehindTimes ? [] : await this.#timesIn(statement, { ...(place ?? start), lastTime: TIMES.last });
    if (timed.length >= this.#take) return timed.slice(0, this.#take);
    const first = isBehindTimes ? place : { time: NEVER, priority: HIGHEST };
    const never = await this.#timesIn(statement, { ...first, lastTime: NEVER });
    return [...timed, ...never].slice(0, this.#take);
  }

  async #timesIn(statement: TimeStatement, range: SqlParams): Promise<readonly TriggerKey[]> {
    const { afterName, afterGroup, ...all } = this.#params;
    const params = statement === 'listTriggerTimesAlone' ? withoutOthers(all) : all;
    const behind = { afterName: afterName ?? '', afterGroup: afterGroup ?? '' };
    const rows = await this.#ofEachState((state) =>
      this.#tx.all<TimeRow>(statement, { ...params, ...behind, ...range, state }),
    );
    return [...rows].sort(byTime).map(triggerKeyOf);
  }

  async #statementByTime(): Promise<TimeStatement> {
    const { jobKey, calendarName } = this.#query;
    const { schedName = null, jobName = null, jobGroup = null } = this.#params;
    const most = FEW + 1;
    if (jobKey !== undefined && (await this.#isFew('countTriggersOfJob', { schedName, jobName, jobGroup, most })))
      return 'listTriggerTimesOfJob';
    if (calendarName !== undefined && (await this.#isFew('countTriggersOfCalendar', { schedName, calendarName, most })))
      return 'listTriggerTimesOfCalendar';
    return jobKey === undefined && calendarName === undefined ? 'listTriggerTimesAlone' : 'listTriggerTimes';
  }

  async #areFewInStates(): Promise<boolean> {
    const { schedName = null } = this.#params;
    const counts = await Promise.all(
      this.#states.map((state) => this.#count('countTriggersInState', { schedName, state, most: FEW + 1 })),
    );
    return counts.reduce((sum, count) => sum + count, 0) <= FEW;
  }

  async #isFew(statement: 'countTriggersOfJob' | 'countTriggersOfCalendar', params: SqlParams): Promise<boolean> {
    return (await this.#count(statement, params)) <= FEW;
  }

  async #count(
    statement: 'countTriggersInState' | 'countTriggersOfJob' | 'countTriggersOfCalendar',
    params: SqlParams,
  ): Promise<number> {
    const [row] = await this.#tx.all<{ readonly TOTAL: number }>(statement, params);
    return row?.TOTAL ?? 0;
  }

  async #ofEachState<Row>(select: (state: TriggerState) => Promise<readonly Row[]>): Promise<Row[]> {
    return (await Promise.all(this.#states.map(select))).flat();
  }
}

/** What statements take that read nothing but an index. */
function withoutOthers({ jobName: _, jobGroup: __, calendarName: ___, ...params }: SqlParams): SqlParams {
  return params;
}

type TimeStatement =
  | 'listTriggerTimes'
  | 'listTriggerTimesAlone'
  | 'listTriggerTimesOfJob'
  | 'listTriggerTimesOfCalendar';

function byName(a: TriggerKey, b: TriggerKey): number {
  return compareTexts(a.name, b.name) || compareTexts(a.group, b.group);
}

function byTime(a: TimeRow, b: TimeRow): number {
  return (
    a.NEXT_FIRE_TIME - b.NEXT_FIRE_TIME || b.PRIORITY - a.PRIORITY || compareKeys(triggerKeyOf(a), triggerKeyOf(b))
  );
}
