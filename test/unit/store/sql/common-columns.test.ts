import {
  type ColumnsInsert,
  insertRows,
  type ListedValue,
  optional,
} from '../../../../src/store/sql/runtime/row-batches';
import type { SqlParams, SqlTransaction } from '../../../../src/store/sql/runtime/sql-driver';

const INSERT: ColumnsInsert = {
  statement: 'insertSimpleTriggers',
  commonStatement: 'insertAlikeSimpleTriggers',
  oneStatement: 'insertSimpleTrigger',
  own: 2,
  common: ['count', 'text', 'maybe'],
};

/** Statements that are sent for the rows. */
async function sentFor(...rows: readonly (readonly ListedValue[])[]) {
  const sent: unknown[] = [];
  const tx: SqlTransaction = {
    maxSetBytes: Number.POSITIVE_INFINITY,
    hasWritten: false,
    all: () => Promise.reject(new Error('nothing is read')),
    run: async (statement, params) => {
      const { rows: json, ...others } = Array.isArray(params) ? { rows: undefined, params } : (params as SqlParams);
      const parsed: unknown[] | null = json === undefined ? null : JSON.parse(String(json));
      sent.push({ statement, ...others, ...(parsed && { rows: parsed }) });
      return { changes: parsed?.length ?? 1 };
    },
  };
  await insertRows(tx, INSERT, rows);
  return sent;
}

describe('columns of a batch of rows', () => {
  it('are sent once if all rows have the same value', async () => {
    expect(await sentFor(['a', 'g', 5, 'x', optional('y')], ['b', 'g', 5, 'x', optional('y')])).toEqual([
      {
        statement: 'insertAlikeSimpleTriggers',
        rows: [
          ['a', 'g'],
          ['b', 'g'],
        ],
        ...{ count: 5, text: 'x', maybe: 'y' },
      },
    ]);
  });

  it('are sent once even if their common value is null', async () => {
    const [sent] = await sentFor(['a', 'g', 0, '', optional(null)], ['b', 'g', 0, '', optional(null)]);
    expect(sent).toMatchObject({ count: 0, text: '', maybe: null });
  });

  it('are sent without a list if there is only one row', async () => {
    expect(await sentFor(['a', 'g', 5, 'x', optional('y')])).toEqual([
      { statement: 'insertSimpleTrigger', params: ['a', 'g', 5, 'x', 'y'] },
    ]);
    expect(await sentFor(['a', 'g', 5, 'x', optional(null)])).toEqual([
      { statement: 'insertSimpleTrigger', params: ['a', 'g', 5, 'x', null] },
    ]);
  });

  it.each([
    ['a number', [6, 'x', optional('y')]],
    ['a text', [5, 'z', optional('y')]],
    ['an optional value', [5, 'x', optional('z')]],
    ['an absent value', [5, 'x', optional(null)]],
  ] as const)('are sent with each row if %s differs', async (_, rest) => {
    const rows = [
      ['a', 'g', 5, 'x', optional('y')],
      ['b', 'g', ...rest],
      ['c', 'g', 5, 'x', optional('y')],
    ] as const;
    expect(await sentFor(...rows)).toEqual([{ statement: 'insertSimpleTriggers', rows }]);
  });

  it('are not sent if there are no rows', async () => {
    expect(await sentFor()).toEqual([]);
  });
});
