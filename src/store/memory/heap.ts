/** Negative when `a` is to stand above `b`. */
export type Compare<T> = (a: T, b: T) => number;

/** Arranges the items as a binary heap: the first by `compare` at index 0. */
export function heapify<T>(heap: T[], compare: Compare<T>): void {
  for (let index = (heap.length >> 1) - 1; index >= 0; index--) siftDown(heap, compare, index);
}

/** Restores the heap after the item at `from` was replaced by one that may stand lower. */
export function siftDown<T>(heap: T[], compare: Compare<T>, from: number): void {
  const item = heap[from] as T;
  let hole = from;
  for (;;) {
    let child = 2 * hole + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && compare(heap[child + 1] as T, heap[child] as T) < 0) child += 1;
    if (compare(heap[child] as T, item) >= 0) break;
    heap[hole] = heap[child] as T;
    hole = child;
  }
  heap[hole] = item;
}
