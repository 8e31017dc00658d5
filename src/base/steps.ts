import type { TimeSlice } from './yield-to-event-loop';

/** Work in steps, each of them whole: between two of them other work may come. */
export type Steps<Result> = Generator<void, Result, void>;

/** Does all of it now. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Does it in slices of time: between two of them timers and I/O of the host run. */
export async function inSlices<Result>(
  steps: Steps<Result>,
  slice: Pick<TimeSlice, 'isOver' | 'rest'>,
): Promise<Result> {
  for (;;) {
    if (slice.isOver()) await slice.rest();
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** As `map` of a list, one step for each item. */
export function* mapping<Item, Result>(items: readonly Item[], map: (item: Item) => Result): Steps<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    results.push(map(item));
    yield;
  }
  return results;
}
