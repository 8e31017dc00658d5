import type { TimeSlice } from './yield-to-event-loop';

/** Work divided into steps. Other work may run between two steps, but not during one. */
export type Steps<Result> = Generator<void, Result, void>;

/** Runs all steps without a break. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Runs the steps in time slices. Timers and I/O of the host run between two slices. */
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

/** Maps a list with one step per item. */
export function* mapping<Item, Result>(items: readonly Item[], map: (item: Item) => Result): Steps<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    results.push(map(item));
    yield;
  }
  return results;
}
