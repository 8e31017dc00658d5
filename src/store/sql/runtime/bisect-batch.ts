import type { TriggerKey } from '../../../domain/keys';
import { mayBeOfOneRow } from './retry-rules';

/** What became of one item of a batch. */
export type ItemOutcome<Result> =
  | { readonly status: 'done'; readonly result: Result }
  | { readonly status: 'failed'; readonly error: unknown };

/**
 * Runs a batch; one that fails is split in halves and these are run by themselves, so that an item that can never succeed
 * is alone in the end and its neighbours do not suffer. `run` answers one result per item, in order, and should have
 * tried twice before it rejects (`RunOptions.isSplit`). When the store as a whole fails, no more is tried: rejects with that
 * if nothing was done yet, otherwise what was not done has failed.
 */
export async function bisectBatch<Item, Result>(
  items: readonly Item[],
  run: (part: readonly Item[]) => Promise<readonly Result[]>,
): Promise<readonly ItemOutcome<Result>[]> {
  const outcomes: ItemOutcome<Result>[] = [];
  const parts = items.length === 0 ? [] : [items];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    try {
      addDone(outcomes, await run(part));
    } catch (error) {
      if (!mayBeOfOneRow(error)) return withRest(outcomes, items.length, error);
      const middle = Math.ceil(part.length / 2);
      if (part.length === 1) outcomes.push({ status: 'failed', error });
      else parts.push(part.slice(middle), part.slice(0, middle));
    }
  }
  return outcomes;
}

function addDone<Result>(outcomes: ItemOutcome<Result>[], results: readonly Result[]): void {
  for (const result of results) outcomes.push({ status: 'done', result });
}

function withRest<Result>(
  outcomes: readonly ItemOutcome<Result>[],
  length: number,
  error: unknown,
): readonly ItemOutcome<Result>[] {
  if (!outcomes.some(({ status }) => status === 'done')) throw error;
  return [
    ...outcomes,
    ...Array.from({ length: length - outcomes.length }, () => ({ status: 'failed', error }) as const),
  ];
}

/** One attempt at a batch that the work itself finds. */
export interface FoundBatch {
  /** It takes no more than this many, the first ones. */
  readonly maxCount: number;
  /** To be told, before anything is written, what the batch is. */
  readonly onBatch: (keys: readonly TriggerKey[]) => void;
}

/** Refused one by one before a batch gives up: when everything is refused, no row is at fault. */
const MOST_REFUSED = 10;

/**
 * Runs a batch that the work itself finds; one that fails is run again with the first half of it, and so on. A trigger that
 * fails alone is handed to `refuse`, and must not be found again. Resolves to what the first run came to that succeeded.
 */
export async function bisectFoundBatch<Result>(
  maxCount: number,
  run: (batch: FoundBatch) => Promise<Result>,
  refuse: (key: TriggerKey, error: unknown) => void,
): Promise<Result> {
  let limit = maxCount;
  for (let refused = 0; ; ) {
    let found: readonly TriggerKey[] = [];
    const onBatch = (keys: readonly TriggerKey[]) => {
      found = keys;
    };
    try {
      return await run({ maxCount: limit, onBatch });
    } catch (error) {
      const [first] = found;
      if (first === undefined || !mayBeOfOneRow(error) || refused === MOST_REFUSED) throw error;
      limit = Math.ceil(found.length / 2);
      if (found.length > 1) continue;
      refuse(first, error);
      refused++;
      limit = maxCount;
    }
  }
}
