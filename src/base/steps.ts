import type { TimeSlice } from './yield-to-event-loop';

/** Work that is divided into steps. The caller may run other work between two steps. */
export type Steps<Result> = Generator<void, Result, void>;

export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Runs the steps in time slices, and returns the result. Timers and I/O of the process can run between two slices. */
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

export function* mapping<Item, Result>(items: readonly Item[], map: (item: Item) => Result): Steps<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    results.push(map(item));
    yield;
  }
  return results;
}
