import { CountedClasses } from '../../../src/base/counted-classes';

describe('counted classes', () => {
  it('put each value where the bound is that it does not exceed, and what is beyond all of them last', () => {
    const classes = new CountedClasses([1, 10]);
    for (const value of [0, 1, 1.5, 10, 11, 1_000]) classes.add(value);
    expect(classes.read()).toEqual({ counts: [2, 2, 2], sums: [1, 11.5, 1_011] });
  });

  it('are read as they are at that moment', () => {
    const classes = new CountedClasses([1]);
    const before = classes.read();
    classes.add(1);
    expect([before.counts, classes.read().counts]).toEqual([
      [0, 0],
      [1, 0],
    ]);
  });
});
