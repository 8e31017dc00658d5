import { StaleRead } from '../../../../src/store/sql/runtime/retry-rules';
import {
  optional,
  partsOf,
  type RowOfSet,
  selectByRows,
  selectOrdered,
  writeEveryRow,
  writeRows,
} from '../../../../src/store/sql/runtime/row-batches';
import type { SqlParams, SqlTransaction, SqlValues } from '../../../../src/store/sql/runtime/sql-driver';

type Row = { readonly entryId: string; readonly value?: string };

/** A transaction that records the rows it receives and returns them. */
function echo(changesFor: (rows: readonly Row[]) => number = (rows) => rows.length) {
  const sent: (readonly Row[])[] = [];
  const take = ({ rows }: SqlParams): readonly Row[] => {
    sent.push(JSON.parse(rows as string));
    return sent.at(-1) as readonly Row[];
  };
  const tx: SqlTransaction = {
    maxSetBytes: Number.POSITIVE_INFINITY,
    hasWritten: false,
    all: async <T>(_: string, params: SqlValues) =>
      take(params as SqlParams)
        .map(({ entryId }, POSITION) => ({ POSITION, entryId }))
        .reverse() as T[],
    run: async (_, params) => ({ changes: changesFor(take(params as SqlParams)) }),
  };
  return { tx, sent };
}

const rowsOf = (count: number, size: number) =>
  Array.from({ length: count }, (_, index) => ({
    entryId: `e${String(index).padStart(6, '0')}`,
    value: 'x'.repeat(size),
  }));

describe('sets of rows', () => {
  it('are sent as one JSON text, sorted by key and without null values', async () => {
    const { tx, sent } = echo();
    const rows = [
      { triggerName: 'b', triggerGroup: 'x', text: null },
      { triggerName: 'a', triggerGroup: 'y', text: 'ä' },
    ];
    expect(await writeRows(tx, 'setTriggerStates', rows)).toBe(2);
    expect(sent).toEqual([
      [
        { triggerName: 'a', triggerGroup: 'y', text: 'ä' },
        { triggerName: 'b', triggerGroup: 'x' },
      ],
    ]);
  });

  it('with ordered columns are sent sorted by name and group, with an empty list for a missing value', async () => {
    const sent: unknown[] = [];
    const run: SqlTransaction['run'] = async (_, params) => {
      sent.push(JSON.parse((params as SqlParams).rows as string));
      return { changes: 3 };
    };
    const rows = [
      ['b', 'x', 1, optional(null)],
      ['a', 'y', 2, optional('ä')],
      ['a', 'x', 3, optional('')],
    ] as const;
    expect(await writeRows({ ...echo().tx, run }, 'insertJobs', rows)).toBe(3);
    expect(sent).toEqual([
      [
        ['a', 'x', 3, ['']],
        ['a', 'y', 2, ['ä']],
        ['b', 'x', 1, []],
      ],
    ]);
  });

  it('are not sent if they are empty', async () => {
    const { tx, sent } = echo();
    expect(await writeRows(tx, 'setTriggerStates', [])).toBe(0);
    expect(await selectByRows(tx, 'selectTriggersOfGroups', [])).toEqual([]);
    expect(await selectOrdered(tx, 'selectJobs', [])).toEqual([]);
    expect(sent).toEqual([]);
  });

  it('that exceed the packet size are sent in parts', async () => {
    const { tx, sent } = echo();
    const rows = rowsOf(200, 60_000);
    expect(await writeRows(tx, 'insertTriggers', rows)).toBe(200);
    expect(sent.length).toBeGreaterThan(2);
    expect(sent.length).toBeLessThan(6);
    for (const part of sent) expect(JSON.stringify(part).length).toBeLessThan(5 * 1024 * 1024);
    expect(sent.flat()).toEqual(rows);
  });

  it('get their results back in their own order, even in several parts', async () => {
    const { tx, sent } = echo();
    const rows = rowsOf(200, 60_000);
    const found = await selectOrdered<{ POSITION: number; entryId: string }>(tx, 'selectJobs', rows);
    expect(sent.length).toBeGreaterThan(1);
    expect(found.map(({ entryId }) => entryId)).toEqual(rows.map(({ entryId }) => entryId));
  });

  it('are reported as a stale read if one row did not meet its condition', async () => {
    const { tx } = echo((rows) => rows.length - 1);
    await expect(writeEveryRow(tx, 'markAcquired', rowsOf(2, 1))).rejects.toThrow(StaleRead);
    await expect(writeEveryRow(echo().tx, 'markAcquired', rowsOf(2, 1))).resolves.toBeUndefined();
  });
});

const MAX_PART = 4 * 1024 * 1024;

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('a set of rows as JSON', () => {
  it.each([0, 1, 2, 99, 100, 101, 200, 250])('with %i rows equals the result of JSON.stringify', (count) => {
    const named = range(count).map((index) => ({ name: `"ä" ${index}`, time: index, text: null }));
    const listed = range(count).map(
      (index) => [`a, [${index}]`, index, optional(index % 2 === 0 ? null : 'x')] as const,
    );
    const texts = range(count).map((index) => `],[ \u2028 ${index}`);
    const withoutNulls = named.map(({ name, time }) => ({ name, time }));
    for (const [rows, expected] of [
      [named, withoutNulls],
      [listed, listed],
      [texts, texts],
    ] satisfies (readonly [readonly RowOfSet[], unknown])[]) {
      const parts = count === 0 ? [] : [{ json: JSON.stringify(expected), first: 0, count }];
      expect(partsOf(rows)).toEqual(parts);
    }
  });

  it.each([
    ['many small rows', range(250).map((index) => `${index} ${'x'.repeat(30_000)}`)],
    ['rows too large to send a hundred at once', range(250).map((index) => `${index} ${'x'.repeat(60_000)}`)],
    ['long rows after small ones', range(250).map((index) => `${index} ${'x'.repeat(index < 130 ? 10 : 100_000)}`)],
  ])('is split if it exceeds the maximum length: %s', (_, rows) => {
    const parts = partsOf(rows);
    expect(parts.length).toBeGreaterThan(1);
    let next = 0;
    for (const { json, first, count } of parts) {
      expect(first).toBe(next);
      expect(JSON.parse(json)).toEqual(rows.slice(first, first + count));
      expect(json.length).toBeLessThanOrEqual(MAX_PART + 2);
      next += count;
    }
    expect(next).toBe(rows.length);
  });

  it('puts a row that exceeds the maximum length into a part of its own', () => {
    const rows = ['a', 'b', 'x'.repeat(MAX_PART + 1), 'c', 'd'];
    const parts = partsOf(rows);
    expect(parts.filter(({ json }) => json.length > MAX_PART)).toMatchObject([{ first: 2, count: 1 }]);
    expect(parts.flatMap(({ json }) => JSON.parse(json))).toEqual(rows);
  });

  it('is split if it has very many rows', () => {
    const rows = range(25_000).map(String);
    const parts = partsOf(rows);
    expect(parts.flatMap(({ json }) => JSON.parse(json))).toEqual(rows);
    expect(parts.map(({ count }) => count)).toEqual([6_250, 6_250, 6_250, 6_250]);
  });

  it('is split at the byte limit of the server', () => {
    const rows = range(250).map((index) => `${index} ${'é'.repeat(3_000)}`);
    const parts = partsOf(rows, 500_000);
    expect(parts.every(({ json }) => Buffer.byteLength(json) <= 500_002)).toBe(true);
    expect(parts.flatMap(({ json }) => JSON.parse(json))).toEqual(rows);
    expect(parts.length).toBeLessThan(9);
  });
});
