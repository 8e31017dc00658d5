import { MAX_TIME } from '../../../base/clock';
import { addAll } from '../../../base/lists';
import { compareKeys, compareTexts } from '../../../domain/keys';
import { isDormant, TRIGGER_STATES, type TriggerState } from '../../../domain/trigger-state';
import type { TriggerPageQuery, TriggerPlace } from '../../job-store';
import type { NodeTransaction } from '../rows/node-transaction';
import { nextTimeColumn, triggerKeyOf } from '../rows/rows';
import type { SqlParams } from '../runtime/sql-driver';
import type { StatementName } from '../runtime/statement-names';
import { countIn, type GroupParams, searched } from './read-schedule';
import type { TriggerName } from './select-definitions';

/** Maximum number of index entries to read for one page if the index does not cover the whole query. */
export const MAX_READ = 5_000;

/** Maximum number of rows to look up for one page if the index does not contain the filtered columns. */
const MAX_FOUND = 2_000;

/** Maximum number of matching rows to read and sort. For more rows, the search reads a longer index that is already in order. */
const FEW = 3_000;

type TimeRow = TriggerName & { readonly NEXT_FIRE_TIME: number; readonly PRIORITY: number };

/** Smallest and largest fire time to search, in milliseconds. */
const TIMES = { first: 0, last: MAX_TIME } as const;
const NEVER = -1;
/** Above and below every priority (a 32-bit integer). */
const HIGHEST = 2 ** 31;
const LOWEST = -HIGHEST - 1;

/** Section of a list in fire-time order: certain states, and a range of fire times. */
interface Part {
  has(state: TriggerState): boolean;
  readonly first: number;
  readonly last: number;
  readonly isDormant: boolean;
}

/** Sections in list order: triggers that will fire, dormant triggers, and triggers without a next fire time. */
const PARTS: readonly Part[] = [
  { has: (state) => !isDormant(state), first: TIMES.first, last: TIMES.last, isDormant: false },
  { has: isDormant, first: TIMES.first, last: TIMES.last, isDormant: true },
  { has: () => true, first: NEVER, last: NEVER, isDormant: true },
];

interface TimeRange {
  readonly states: readonly TriggerState[];
  readonly time: number;
  readonly priority: number;
  readonly lastTime: number;
}

interface Found {
  readonly places: readonly TriggerPlace[];
  /** Last position that was searched; null if the search reached the end. */
  readonly end: TriggerPlace | null;
}

/** A search for one page of triggers. Chooses an index that selects the matching triggers, or an index that contains them in order. */
export class TriggerSearch {
  readonly #tx: NodeTransaction;
  readonly #query: TriggerPageQuery;
  readonly #states: readonly TriggerState[];
  readonly #take: number;
  readonly #params: SqlParams;

  /** `groups`: the group of the query, or the groups that it matches. */
  constructor(tx: NodeTransaction, query: TriggerPageQuery, { take, groups }: { take: number; groups: GroupParams }) {
    this.#tx = tx;
    this.#query = query;
    this.#states = [...new Set(query.states ?? TRIGGER_STATES)];
    this.#take = take;
    this.#params = {
      ...groups,
      waitsForName: query.waitsFor?.name ?? null,
      waitsForGroup: query.waitsFor?.group ?? null,
      jobName: query.jobKey?.name ?? null,
      jobGroup: query.jobKey?.group ?? null,
      calendarName: query.calendarName ?? null,
      states: this.#states.length === TRIGGER_STATES.length ? null : JSON.stringify(this.#states),
      search: searched(query.search),
      afterName: query.after?.key.name ?? '',
      afterGroup: query.after?.key.group ?? '',
      take,
    };
  }

  async byKey(): Promise<Found> {
    const behind = { ...this.#params, endName: null, endGroup: null };
    if (this.#params.states !== null && (await this.#areFewInStates())) {
      const found = await ofEach(this.#states, (state) =>
        this.#tx.all<TriggerName>('listTriggerKeysInState', { ...behind, states: null, state }),
      );
      return { places: found.map(placeByKey).sort(byName).slice(0, this.#take), end: null };
    }
    const [statement, boundary, indexed] = this.#keySearch();
    const others = FILTERS.filter((name) => !indexed.includes(name) && this.#params[name] !== null);
    const own = only(this.#params, ['afterName', 'afterGroup', ...indexed]);
    const [end] = others.length === 0 ? [] : await this.#tx.all<TriggerName>(boundary, { ...own, scanned: MAX_READ });
    const range = { ...behind, endName: end?.TRIGGER_NAME ?? null, endGroup: end?.TRIGGER_GROUP ?? null };
    const isOfGroupAlone = statement === 'listTriggerKeysOfGroup' && others.every((name) => name === 'search');
    const rows = await (isOfGroupAlone
      ? this.#tx.all<TriggerName>('listTriggerKeysOfGroupAlone', without(range, [...OF_ROWS, 'groups', 'states']))
      : this.#tx.all<TriggerName>(statement, range));
    return { places: rows.map(placeByKey), end: end === undefined ? null : placeByKey(end) };
  }

  #keySearch(): KeySearch {
    const { jobKey, calendarName } = this.#query;
    if (jobKey !== undefined) return KEY_SEARCHES.job;
    if (calendarName !== undefined) return KEY_SEARCHES.calendar;
    return this.#params.group === null ? KEY_SEARCHES.all : KEY_SEARCHES.group;
  }

  /** Searches section by section, because the index orders the triggers of each state by time. Reads a state only when its section is reached. */
  async byTime(): Promise<Found> {
    const statement = await this.#statementByTime();
    const { after } = this.#query;
    const first = after === undefined ? 0 : partOf(after);
    const places: TriggerPlace[] = [];
    for (const [index, part] of PARTS.entries()) {
      const states = this.#states.filter(part.has);
      if (index < first || states.length === 0) continue;
      const isWithin = after !== undefined && index === first;
      const start = isWithin
        ? { time: nextTimeColumn(after), priority: after.priority }
        : { time: part.first, priority: HIGHEST };
      const end = part.last === NEVER ? null : await this.#lastTime(statement, states, start.time);
      addAll(places, await this.#timesIn(statement, { states, ...start, lastTime: end ?? part.last }));
      if (end !== null) return { places: places.slice(0, this.#take), end: placeBehind(end, part) };
      if (places.length >= this.#take) break;
    }
    return { places: places.slice(0, this.#take), end: null };
  }

  /** Returns the last fire time to search; null for no limit. Searches each state only up to the limit found for the states before it. */
  async #lastTime(statement: TimeStatement, states: readonly TriggerState[], time: number): Promise<number | null> {
    const isInOrder = statement === 'listTriggerTimes' || statement === 'listTriggerTimesAlone';
    const isFiltered = FILTERS.some((name) => name !== 'states' && this.#params[name] !== null);
    if (!isInOrder || !isFiltered) return null;
    const scanned = statement === 'listTriggerTimes' ? MAX_FOUND : MAX_READ;
    let end: number | null = null;
    for (const state of states) {
      const params: SqlParams = { state, scanned, time, lastTime: end ?? TIMES.last };
      const [found] = await this.#tx.all<Pick<TimeRow, 'NEXT_FIRE_TIME'>>('selectTriggerTimeBoundary', params);
      end = found?.NEXT_FIRE_TIME ?? end;
    }
    return end;
  }

  async #timesIn(statement: TimeStatement, { states, ...range }: TimeRange): Promise<readonly TriggerPlace[]> {
    const params = { ...this.#params, ...range };
    const isDormantPart = states.every(isDormant);
    const own = without(params, statement === 'listTriggerTimesAlone' ? [...OF_ROWS, 'states'] : ['states']);
    const rows =
      statement === 'listTriggerTimesOfJob' || statement === 'listTriggerTimesOfCalendar'
        ? await this.#tx.all<TimeRow>(statement, { ...params, states: JSON.stringify(states) })
        : await ofEach(states, (state) => this.#tx.all<TimeRow>(statement, { ...own, state }));
    return rows.sort(byTime).map((row) => placeByTime(row, isDormantPart));
  }

  async #statementByTime(): Promise<TimeStatement> {
    const { jobKey, calendarName, waitsFor } = this.#query;
    if (jobKey !== undefined) {
      const count = await this.#count('countTriggersOfJob', { jobName: jobKey.name, jobGroup: jobKey.group });
      if (count <= FEW) return 'listTriggerTimesOfJob';
    }
    if (calendarName !== undefined && (await this.#count('countTriggersOfCalendar', { calendarName })) <= FEW)
      return 'listTriggerTimesOfCalendar';
    const isOfIndex = [jobKey, calendarName, waitsFor].every((filter) => filter === undefined);
    return isOfIndex ? 'listTriggerTimesAlone' : 'listTriggerTimes';
  }

  async #areFewInStates(): Promise<boolean> {
    const counts = await Promise.all(this.#states.map((state) => this.#count('countTriggersInState', { state })));
    return counts.reduce((sum, count) => sum + count, 0) <= FEW;
  }

  /** Counts at most `FEW` + 1 triggers. */
  #count(statement: `countTriggers${'InState' | 'OfJob' | 'OfCalendar'}`, filter: SqlParams): Promise<number> {
    return countIn(this.#tx, statement, { ...filter, most: FEW + 1 });
  }
}

async function ofEach<Row>(
  states: readonly TriggerState[],
  select: (state: TriggerState) => Promise<readonly Row[]>,
): Promise<Row[]> {
  return (await Promise.all(states.map(select))).flat();
}

const FILTERS = ['group', 'groups', 'jobName', 'jobGroup', 'waitsForName', 'calendarName', 'states', 'search'] as const;

/** Parameters of every filter, for any trigger. */
export const UNFILTERED = {
  ...{ group: null, groups: null, jobName: null, jobGroup: null, calendarName: null, search: null },
  ...{ waitsForName: null, waitsForGroup: null },
} as const;

/** Filters on columns that no ordered index contains. */
const OF_ROWS = ['jobName', 'jobGroup', 'calendarName', 'waitsForName', 'waitsForGroup'] as const;

/** Statement that lists keys, statement that finds the last key within a number of rows, and the filters that their index covers. */
type KeySearch = readonly [list: StatementName, boundary: StatementName, indexed: readonly (typeof FILTERS)[number][]];

export const KEY_SEARCHES: Readonly<Record<'all' | 'job' | 'calendar' | 'group', KeySearch>> = {
  all: ['listTriggerKeys', 'selectTriggerBoundary', []],
  job: ['listTriggerKeysOfJob', 'selectTriggerBoundaryOfJob', ['jobName', 'jobGroup']],
  calendar: ['listTriggerKeysOfCalendar', 'selectTriggerBoundaryOfCalendar', ['calendarName']],
  group: ['listTriggerKeysOfGroup', 'selectTriggerBoundaryOfGroup', ['group']],
};

type TimeStatement = `listTriggerTimes${'' | 'Alone' | 'OfJob' | 'OfCalendar'}`;

function only(params: SqlParams, names: readonly string[]): SqlParams {
  return Object.fromEntries(names.map((name) => [name, params[name] ?? null]));
}

function without(params: SqlParams, names: readonly string[]): SqlParams {
  return Object.fromEntries(Object.entries(params).filter(([name]) => !names.includes(name)));
}

function placeByKey(row: TriggerName): TriggerPlace {
  return { key: triggerKeyOf(row), kind: 'SIMPLE', nextFireTime: null, priority: 0, isDormant: false };
}

function placeByTime({ NEXT_FIRE_TIME: time, PRIORITY: priority, ...key }: TimeRow, isDormant: boolean): TriggerPlace {
  const nextFireTime = time === NEVER ? null : time;
  return { key: triggerKeyOf(key), kind: 'SIMPLE', nextFireTime, priority, isDormant };
}

function placeBehind(time: number, { isDormant }: Part): TriggerPlace {
  return { key: { name: '', group: '' }, kind: 'SIMPLE', nextFireTime: time, priority: LOWEST, isDormant };
}

function partOf(place: TriggerPlace): number {
  if (nextTimeColumn(place) === NEVER) return 2;
  return place.isDormant ? 1 : 0;
}

function byName({ key: a }: TriggerPlace, { key: b }: TriggerPlace): number {
  return compareTexts(a.name, b.name) || compareTexts(a.group, b.group);
}

function byTime(a: TimeRow, b: TimeRow): number {
  return (
    a.NEXT_FIRE_TIME - b.NEXT_FIRE_TIME || b.PRIORITY - a.PRIORITY || compareKeys(triggerKeyOf(a), triggerKeyOf(b))
  );
}
