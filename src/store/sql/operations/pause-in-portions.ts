import { type Clock, type EpochMs, earliestOf } from '../../../base/clock';
import { SchedulerError, StoreClosedError, toError } from '../../../base/errors';
import { addAll } from '../../../base/lists';
import { PortionBreaks } from '../../../base/portion-breaks';
import { PortionSize } from '../../../base/portion-size';
import type { TriggerKey } from '../../../domain/keys';
import type { PauseTarget } from '../../../domain/pause';
import type { SqlTransaction } from '../runtime/sql-driver';
import type { Work } from '../runtime/transactions';
import type { TriggerPortions } from './trigger-portions';

/*
 * Groups and jobs may have very many triggers: they are paused and resumed in portions, each in a transaction of its own, between which
 * others have the lock. The first one notes the pause (or its end), so that what is added from then on starts as it should. Where all of it
 * is one portion, that is the only transaction. A portion leaves out triggers whose group was resumed (or paused) again by then.
 */

/** What one portion did. */
export interface Moved {
  /** Groups that were touched beside those that `begin` has returned. */
  readonly groups: readonly string[];
  /** When the first of the triggers fires earlier because of it; undefined: none does. */
  readonly earliest: EpochMs | undefined;
}

/** A change of the states of many triggers. */
export interface PortionedMoves {
  /** Notes the change, and returns the groups that it touches. */
  readonly begin: Work<readonly string[]>;
  /** The triggers that it changes, from several sources, one after the other. */
  // biome-ignore lint/suspicious/noExplicitAny: each source knows its own places
  readonly sources: readonly TriggerPortions<any>[];
  readonly move: (tx: SqlTransaction, keys: readonly TriggerKey[]) => Promise<Moved>;
  /**
   * Forgets what was said of pauses that are over when all triggers have been moved, unless it was said since, among some of all from a place
   * on; null: from the first. Where the next ones begin; null: there are none.
   */
  readonly forget: (tx: SqlTransaction, after: PauseTarget | null) => Promise<PauseTarget | null>;
}

export interface PortionRunner {
  /** `pausesLong`: it may concern very many groups. */
  readonly write: <T>(work: Work<T>, options?: { readonly pausesLong: boolean }) => Promise<T>;
  /** Called after each transaction with the fire time that it brought within reach. */
  readonly announce: (earliest: EpochMs | undefined) => void;
  readonly clock: Clock;
  /** No further portion begins when it has aborted: the store closes. */
  readonly closing: AbortSignal;
}

/** Where the next portion begins: the source, and the place in it. */
interface Place {
  readonly source: number;
  readonly at: unknown;
}

interface Portion extends Moved {
  readonly done: number;
  readonly next: Place | null;
}

/** Returns the groups. Rejects with how many triggers have been moved, and stay so, when a later portion fails. */
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
        const begun = await moves.begin(tx);
        const portion = await movePortion(tx, moves, { source: 0, at: null }, size.size);
        const said = portion.next === null ? await moves.forget(tx, null) : null;
        return { ...portion, groups: [...begun, ...portion.groups], said };
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
    let isSaid = first.next !== null || first.said !== null;
    for (let after = first.said; isSaid; isSaid = after !== null) {
      const place = after;
      after = await write((tx) => moves.forget(tx, place));
    }
  } catch (thrown) {
    throw partlyMoved(thrown, done);
  }
  return [...groups].sort();
}

/** Moves the next triggers, from as many sources as have a place in the portion. */
async function movePortion(tx: SqlTransaction, moves: PortionedMoves, place: Place, take: number): Promise<Portion> {
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
  const message = `${error.message} ${moved} triggers have been paused or resumed before, in portions, and stay so. Call it again for the others.`;
  return new SchedulerError(code, message, { cause: error });
}
