import { isStoreDown } from './restart-rules';

/** What became of one item of a batch. */
export type ItemOutcome<Result> =
  | { readonly status: 'done'; readonly result: Result }
  | { readonly status: 'failed'; readonly error: unknown };

/**
 * Runs a batch; one that fails is split in halves and these are run by themselves, so that an item that can never succeed
 * is alone in the end and its neighbours do not suffer. `run` answers one result per item, in order, and should have
 * tried twice before it rejects (`RunOptions.attempts`). Rejects only when the store as a whole is down.
 */
export async function runInHalves<Item, Result>(
  items: readonly Item[],
  run: (part: readonly Item[]) => Promise<readonly Result[]>,
): Promise<ItemOutcome<Result>[]> {
  if (items.length === 0) return [];
  try {
    const results = await run(items);
    return results.map((result) => ({ status: 'done', result }));
  } catch (error) {
    if (isStoreDown(error)) throw error;
    if (items.length === 1) return [{ status: 'failed', error }];
  }
  const middle = Math.ceil(items.length / 2);
  const first = await runInHalves(items.slice(0, middle), run);
  return [...first, ...(await runInHalves(items.slice(middle), run))];
}
