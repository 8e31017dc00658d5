import fc from 'fast-check';
import { selectPage } from '../../../src/store/memory/read-schedule';

const ascending = (a: number, b: number) => a - b;

describe('selectPage', () => {
  it('returns the same page as a full sort', () => {
    const numbers = fc.array(fc.integer({ min: -50, max: 50 }), { maxLength: 300, size: 'max' });
    fc.assert(
      fc.property(numbers, fc.nat(320), fc.nat(320), (items, skip, take) => {
        const before = [...items];
        const expected = [...items].sort(ascending).slice(skip, skip + take);
        expect(selectPage(items, ascending, { skip, take })).toEqual({ items: expected, total: items.length });
        expect(items).toEqual(before);
      }),
      { numRuns: 300 },
    );
  });

  it('returns all items if the page is larger than the list', () => {
    const page = selectPage([3, 1, 2], ascending, { skip: 1, take: Number.MAX_SAFE_INTEGER });
    expect(page).toEqual({ items: [2, 3], total: 3 });
  });

  it('compares each item about once for the first page', () => {
    let compared = 0;
    const counting = (a: number, b: number) => {
      compared += 1;
      return a - b;
    };
    const items = Array.from({ length: 10_000 }, (_, index) => (index * 7919) % 10_000);
    expect(selectPage(items, counting, { skip: 0, take: 10 }).items).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(compared).toBeLessThan(15_000);
  });
});
