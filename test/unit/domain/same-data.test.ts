import { sameData } from '../../../src/domain/same-data';

describe('sameData', () => {
  it('returns true for equal plain values, whatever the order of their fields', () => {
    const data = { a: 1, b: [1, 'x', null, { c: true }], d: { e: {} } };
    expect(sameData(data, structuredClone(data))).toBe(true);
    expect(sameData({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true);
    expect(sameData(null, null)).toBe(true);
  });

  it.each([
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { a: '1' }],
    [{ a: 1 }, { a: 1, b: undefined }],
    [{ a: undefined }, { b: undefined }],
    [
      [1, 2],
      [2, 1],
    ],
    [[1], [1, 2]],
    [[], {}],
    [{}, null],
    [null, undefined],
    [0, false],
    [{ __proto__: null, a: 1 }, { b: 1 }],
    [{ constructor: 1 }, {}],
  ])('returns false for %j and %j', (a, b) => {
    expect(sameData(a, b)).toBe(false);
    expect(sameData(b, a)).toBe(false);
  });
});
