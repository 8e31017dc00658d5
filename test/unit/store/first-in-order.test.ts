import fc from 'fast-check';
import { firstInOrder } from '../../../src/store/memory/read-schedule';

const ascending = (a: number, b: number) => a - b;

describe('firstInOrder', () => {
  it('returns the same items as a full sort', () => {
    const numbers = fc.array(fc.integer({ min: -50, max: 50 }), { maxLength: 300, size: 'max' });
    fc.assert(
      fc.property(numbers, fc.nat(320), (items, take) => {
        const before = [...items];
        const expected = [...items].sort(ascending).slice(0, take);
        expect(firstInOrder(items, ascending, take)).toEqual(expected);
        expect(items).toEqual(before);
      }),
      { numRuns: 300 },
    );
  });

  it('returns all items if fewer than requested', () => {
    expect(firstInOrder([3, 1, 2], ascending, Number.MAX_SAFE_INTEGER)).toEqual([1, 2, 3]);
  });

  it('compares each item about once for a few of many items', () => {
    let compared = 0;
    const counting = (a: number, b: number) => {
      compared += 1;
      return a - b;
    };
    const items = Array.from({ length: 10_000 }, (_, index) => (index * 7919) % 10_000);
    expect(firstInOrder(items, counting, 10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(compared).toBeLessThan(15_000);
  });
});
