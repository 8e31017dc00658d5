import { addAll, argumentsOf, maxOf, minOf } from '../../../src/base/lists';

/** More items than a function call accepts as arguments. */
const MANY = Array.from({ length: 300_000 }, (_, index) => index);

describe('lists of any length', () => {
  it('can be appended to another list', () => {
    const list = [-1];
    addAll(list, MANY);
    expect(list).toHaveLength(MANY.length + 1);
    expect(list.slice(0, 3)).toEqual([-1, 0, 1]);
  });

  it('return their largest and smallest value', () => {
    expect(maxOf(MANY)).toBe(299_999);
    expect(maxOf([3, 1], 5)).toBe(5);
    expect(maxOf([])).toBe(Number.NEGATIVE_INFINITY);
    expect(minOf(MANY)).toBe(0);
    expect(minOf(new Set([3, 1, 2]))).toBe(1);
    expect(minOf([])).toBeNull();
  });

  it('are refused as arguments of one call before the stack overflows', () => {
    expect(argumentsOf([1, 2])).toEqual([1, 2]);
    expect(() => argumentsOf(MANY)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    expect(Math.max(...argumentsOf(MANY.slice(0, 32_766)))).toBe(32_765);
  });
});
