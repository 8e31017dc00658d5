import { type Clock, type EpochMs, earliestOf } from '../../../base/clock';
import { SchedulerError, StoreClosedError, toError } from '../../../base/errors';
import { addAll } from '../../../base/lists';
import { PortionBreaks } from '../../../base/portion-breaks';
import { PortionSize } from '../../../base/portion-size';
import { type GroupMatcher, type JobKey, keyText, type TriggerKey } from '../../../domain/keys';
import type { PauseTarget } from '../../../domain/pause';
import type { TriggerState } from '../../../domain/trigger-state';
import type { NodeTransaction, NodeWork } from '../rows/node-transaction';
import { triggerKeyOf } from '../rows/rows';
import { keysOf, triggersOfJobs } from './pause-and-resume';
import { countTriggersOf } from './read-schedule';
import type { TriggerName } from './select-definitions';
import { KEY_SEARCHES, UNFILTERED } from './trigger-search';

/*
 * Groups and jobs may have very many triggers, which are therefore paused and resumed in portions. Each portion has its own transaction, and the
 * lock is free between two portions. The first transaction stores the pause (or its end), so that triggers added later start in the right state.
 * If one portion is enough, this is the only transaction. A portion of a pause skips triggers whose group has since been resumed. A portion of a
 * resumption skips triggers whose group has since been paused.
 */

export interface Moved {
  /** Affected groups, in addition to the groups that `begin` returned. */
  readonly groups: readonly string[];
  /** Earliest fire time of the triggers that became eligible to fire; undefined if there are none. */
  readonly earliest: EpochMs | undefined;
}

export interface PortionedMoves {
  /** Stores the pause or its end, and returns the affected groups. */
  readonly begin: NodeWork<readonly string[]>;
  /** Sources of the triggers to change. Each is processed completely before the next. */
  // biome-ignore lint/suspicious/noExplicitAny: each source knows its own places
  readonly sources: readonly TriggerPortions<any>[];
  readonly move: (tx: NodeTransaction, keys: readonly TriggerKey[]) => Promise<Moved>;
  /**
   * Called after all triggers have been moved. Checks one page of targets after `after` (null: from the beginning), and deletes explanations of
   * pauses that have ended. Newer explanations remain. Returns the last target of the page; null if it was the last page.
   */
  readonly forget: (tx: NodeTransaction, after: PauseTarget | null) => Promise<PauseTarget | null>;
}

interface PortionRunner {
  /** `pausesLong`: the transaction may affect very many groups, and may compute for a long time between two statements. */
  readonly write: <T>(work: NodeWork<T>, options?: { readonly pausesLong: boolean }) => Promise<T>;
  /** Called after each transaction with the earliest fire time of the triggers that became eligible to fire; undefined if there are none. */
  readonly announce: (earliest: EpochMs | undefined) => void;
  readonly clock: Clock;
  /** Aborts when the store closes. No portion begins after that. */
  readonly closing: AbortSignal;
}

/** Start of the next portion: index of its source, and position in this source. */
interface Place {
  readonly source: number;
  readonly at: unknown;
}

interface Portion extends Moved {
  readonly done: number;
  readonly next: Place | null;
}

/** Moves all triggers. Returns the affected groups, sorted. If a later portion fails, rejects with the number of moved triggers, which stay moved. */
export async function moveInPortions(moves: PortionedMoves, runner: PortionRunner): Promise<readonly string[]> {
  const { write, announce, clock, closing } = runner;
  const size = new PortionSize(clock);
  const breaks = new PortionBreaks(clock);
  const groups = new Set<string>();
  const note = (portion: Portion) => {
    for (const group of portion.groups) groups.add(group);
    announce(portion.earliest);
  };
  breaks.begin();
  const first = await size.measure(() =>
    write(
      async (tx) => {
        const started = await moves.begin(tx);
        const portion = await movePortion(tx, moves, { source: 0, at: null }, size.size);
        const rest = portion.next === null ? await moves.forget(tx, null) : null;
        return { ...portion, groups: [...started, ...portion.groups], rest };
      },
      { pausesLong: true },
    ),
  );
  note(first);
  let done = first.done;
  try {
    for (let next = first.next; next !== null; ) {
      if (!(await breaks.end(closing))) throw new StoreClosedError();
      breaks.begin();
      const place: Place = next;
      const portion = await size.measure(() => write((tx) => movePortion(tx, moves, place, size.size)));
      note(portion);
      done += portion.done;
      next = portion.next;
    }
    let hasRest = first.next !== null || first.rest !== null;
    for (let after = first.rest; hasRest; hasRest = after !== null) {
      const place = after;
      after = await write((tx) => moves.forget(tx, place));
    }
  } catch (thrown) {
    throw partlyMoved(thrown, done);
  }
  return [...groups].sort();
}

/** Moves the next triggers, from as many sources as fit into the portion. */
async function movePortion(tx: NodeTransaction, moves: PortionedMoves, place: Place, take: number): Promise<Portion> {
  const groups: string[] = [];
  let earliest: EpochMs | undefined;
  let done = 0;
  let { source, at } = place;
  while (done < take) {
    const read = moves.sources[source];
    if (read === undefined) return { groups, earliest, done, next: null };
    const { keys, next } = await read(tx, at, take - done);
    if (keys.length > 0) {
      const moved = await moves.move(tx, keys);
      addAll(groups, moved.groups);
      earliest = earliestOf([earliest ?? null, moved.earliest ?? null]);
      done += keys.length;
    }
    if (next !== null) return { groups, earliest, done, next: { source, at: next } };
    source++;
    at = null;
  }
  return { groups, earliest, done, next: source < moves.sources.length ? { source, at } : null };
}

function partlyMoved(thrown: unknown, moved: number): Error {
  const error = toError(thrown);
  const code = error instanceof SchedulerError ? error.code : 'STORE_FAILURE';
  const message = `${error.message} Triggers already changed in earlier portions: ${moved}. They keep their new state. Repeat the call for the others.`;
  return new SchedulerError(code, message, { cause: error });
}

/*
 * Sources that return triggers of groups and jobs in portions, in index order, so that every portion costs the same. A portion is read in the
 * transaction that changes its triggers. Between two transactions, only the start of the next portion is remembered.
 */

/** One portion of triggers. `next`: start of the next portion; null if this is the last portion. */
interface TriggerPortion<Place> {
  readonly keys: readonly TriggerKey[];
  readonly next: Place | null;
}

/** Reads one portion: at most about `take` triggers, starting at `place` (null: from the beginning). */
export type TriggerPortions<Place> = (
  tx: NodeTransaction,
  place: Place | null,
  take: number,
) => Promise<TriggerPortion<Place>>;

/** Maximum number of rows to check per portion, even if few of them are in the requested states. */
const MAX_CHECKED = 2_000;

/** Returns portions of the given keys, whether or not they are stored. */
export function portionsOfKeys(keys: readonly TriggerKey[]): TriggerPortions<number> {
  return async (_, place, take) => {
    const first = place ?? 0;
    const end = first + take;
    return { keys: keys.slice(first, end), next: end < keys.length ? end : null };
  };
}

/** Returns portions of the triggers in these groups and states. If the matcher may match several groups, searches all triggers. */
export function portionsOfGroups(
  matcher: GroupMatcher,
  isSelected: (group: string) => boolean,
  states: readonly TriggerState[],
): TriggerPortions<TriggerKey> {
  const range = matcher.operator === 'equals' ? ({ group: matcher.value } as const) : {};
  return async (tx, place, take) => {
    const { keys, next } = await keysBehind(tx, { range, states, place, take });
    return { keys: keys.filter(({ group }) => isSelected(group)), next };
  };
}

/** Position in a list of jobs: the remaining jobs, and the last processed trigger of the first job; null if none was processed. */
interface PlaceInJobs {
  readonly jobs: readonly JobKey[];
  readonly after: TriggerKey | null;
}

/** Returns portions of the triggers of these jobs in these states. Calls `jobs` once, when the first portion begins. */
export function portionsOfJobs(
  jobs: (tx: NodeTransaction) => Promise<readonly JobKey[]>,
  states: readonly TriggerState[],
): TriggerPortions<PlaceInJobs> {
  return async (tx, place, take) => {
    const { jobs: left, after } = place ?? { jobs: await jobs(tx), after: null };
    const [first] = left;
    if (first === undefined) return { keys: [], next: null };
    const few = after === null ? await fewIn(tx, left.slice(0, take), take) : [];
    if (few.length > 0) {
      const rows = await triggersOfJobs(tx, few);
      const keys = keysOf(rows, ({ TRIGGER_STATE }) => (states as readonly string[]).includes(TRIGGER_STATE));
      return { keys, next: inJobs(left.slice(few.length), null) };
    }
    const range = { jobName: first.name, jobGroup: first.group };
    const { keys, next } = await keysBehind(tx, { range, states, place: after, take });
    return { keys, next: next === null ? inJobs(left.slice(1), null) : inJobs(left, next) };
  };
}

/** Returns the first jobs that together have at most `take` triggers. */
async function fewIn(tx: NodeTransaction, jobs: readonly JobKey[], take: number) {
  const counts = await countTriggersOf(tx, jobs);
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
  /** Range to search: a group, a job, or (if empty) all triggers. */
  readonly range: { readonly group?: string; readonly jobName?: string; readonly jobGroup?: string };
  readonly states: readonly TriggerState[];
  readonly place: TriggerKey | null;
  readonly take: number;
}

async function keysBehind(
  tx: NodeTransaction,
  { range, states, place, take }: Search,
): Promise<TriggerPortion<TriggerKey>> {
  const [list, boundary] =
    KEY_SEARCHES[range.group !== undefined ? 'group' : range.jobName !== undefined ? 'job' : 'all'];
  const from = { ...range, afterName: place?.name ?? '', afterGroup: place?.group ?? '' };
  const [end] = await tx.all<TriggerName>(boundary, { ...from, scanned: MAX_CHECKED });
  const upTo = { endName: end?.TRIGGER_NAME ?? null, endGroup: end?.TRIGGER_GROUP ?? null };
  const rows = await tx.all<TriggerName>(list, {
    ...UNFILTERED,
    ...from,
    ...upTo,
    states: JSON.stringify(states),
    take,
  });
  const keys = rows.map(triggerKeyOf);
  const last = keys.length < take ? end && triggerKeyOf(end) : keys.at(-1);
  return { keys, next: last ?? null };
}
