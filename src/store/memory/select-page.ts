import type { Page } from '../job-store';
import { type Compare, heapify, siftDown } from './heap';

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
  const greatestFirst: Compare<T> = (a, b) => compare(b, a);
  const heap = items.slice(0, count);
  heapify(heap, greatestFirst);
  for (let index = count; index < items.length; index++) {
    const item = items[index] as T;
    if (compare(item, heap[0] as T) >= 0) continue;
    heap[0] = item;
    siftDown(heap, greatestFirst, 0);
  }
  return heap.sort(compare);
}
