import { CountedClasses } from '../../../src/base/counted-classes';

describe('counted classes of values', () => {
  it('count each value in the first class whose bound it does not exceed, or in the last class', () => {
    const classes = new CountedClasses([1, 10]);
    for (const value of [0, 1, 1.5, 10, 11, 1_000]) classes.add(value);
    expect(classes.read()).toEqual({ counts: [2, 2, 2], sums: [1, 11.5, 1_011] });
  });

  it('return a snapshot of their counts', () => {
    const classes = new CountedClasses([1]);
    const before = classes.read();
    classes.add(1);
    expect([before.counts, classes.read().counts]).toEqual([
      [0, 0],
      [1, 0],
    ]);
  });
});
