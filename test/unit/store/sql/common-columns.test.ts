import { type CommonColumnsInsert, withCommonColumns } from '../../../../src/store/sql/runtime/common-columns';
import { type ListedValue, optional } from '../../../../src/store/sql/runtime/row-batches';

const ALIKE: CommonColumnsInsert = {
  statement: 'insertAlikeSimpleTriggers',
  own: 2,
  common: ['count', 'text', 'maybe'],
};

const setOf = (...rows: readonly (readonly ListedValue[])[]) => ({ statement: 'insertSimpleTriggers', rows }) as const;

describe('what all rows of a set have in common', () => {
  it('is said once', () => {
    const set = setOf(['a', 1, 5, 'x', optional('y')], ['b', 2, 5, 'x', optional('y')]);
    expect(withCommonColumns(set, ALIKE)).toEqual({
      statement: 'insertAlikeSimpleTriggers',
      rows: [
        ['a', 1],
        ['b', 2],
      ],
      params: { count: 5, text: 'x', maybe: 'y' },
    });
  });

  it('may be nothing', () => {
    expect(withCommonColumns(setOf(['a', 1, 0, '', optional(null)]), ALIKE).params).toEqual({
      count: 0,
      text: '',
      maybe: null,
    });
  });

  it.each([
    ['a number', [6, 'x', optional('y')]],
    ['a text', [5, 'z', optional('y')]],
    ['what may be absent', [5, 'x', optional('z')]],
    ['what is absent', [5, 'x', optional(null)]],
  ] as const)('is said of each where they differ in %s', (_, rest) => {
    const set = setOf(['a', 1, 5, 'x', optional('y')], ['b', 2, ...rest], ['c', 3, 5, 'x', optional('y')]);
    expect(withCommonColumns(set, ALIKE)).toBe(set);
  });

  it('is nothing of an empty set', () => {
    const set = setOf();
    expect(withCommonColumns(set, ALIKE)).toBe(set);
  });
});
