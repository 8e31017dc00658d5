import type { Page } from '../job-store';

type Compare<T> = (a: T, b: T) => number;

/** One page of the items in order. Costs O(n log(skip + take)), so that the first page of many is cheap. */
export function selectPage<T>(
  items: readonly T[],
  compare: Compare<T>,
  { skip, take }: { readonly skip: number; readonly take: number },
): Page<T> {
  const end = skip + take;
  const sorted = end < items.length / 4 ? smallest(items, compare, end) : [...items].sort(compare);
  return { items: sorted.slice(skip, end), total: items.length };
}

/** The `count` smallest items in order, by a heap whose top is the greatest of those found so far. */
function smallest<T>(items: readonly T[], compare: Compare<T>, count: number): T[] {
  if (count <= 0) return [];
  const heap: T[] = items.slice(0, count);
  for (let index = (count >> 1) - 1; index >= 0; index--) siftDown(heap, compare, index);
  for (let index = count; index < items.length; index++) {
    const item = items[index] as T;
    if (compare(item, heap[0] as T) >= 0) continue;
    heap[0] = item;
    siftDown(heap, compare, 0);
  }
  return heap.sort(compare);
}

function siftDown<T>(heap: T[], compare: Compare<T>, from: number): void {
  const item = heap[from] as T;
  let hole = from;
  for (;;) {
    let child = 2 * hole + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && compare(heap[child + 1] as T, heap[child] as T) > 0) child += 1;
    if (compare(heap[child] as T, item) <= 0) break;
    heap[hole] = heap[child] as T;
    hole = child;
  }
  heap[hole] = item;
}
