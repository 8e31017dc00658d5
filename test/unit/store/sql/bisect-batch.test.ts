import { SchedulerError, StoreClosedError } from '../../../../src/base/errors';
import { triggerKey } from '../../../../src/domain/keys';
import { bisectBatch, bisectFoundBatch, type FoundBatch } from '../../../../src/store/sql/runtime/rejected-triggers';
import { toStoreFailure } from '../../../../src/store/sql/runtime/retry-rules';
import { SqlError, type SqlErrorKind } from '../../../../src/store/sql/runtime/sql-driver';

const failure = (kind: SqlErrorKind) =>
  toStoreFailure(new SqlError({ kind, databaseCode: '0', statement: null, message: 'failed' }));

const failed = (item: number | undefined, error: unknown) => ({ failed: item, error });

describe('bisectBatch', () => {
  it('runs a batch that succeeds once, and keeps the order', async () => {
    const parts: (readonly number[])[] = [];
    const run = async (part: readonly number[]) => {
      parts.push(part);
      return part.map((item) => item * 10);
    };
    await expect(bisectBatch([1, 2, 3], run, () => -1)).resolves.toEqual([10, 20, 30]);
    expect(parts).toEqual([[1, 2, 3]]);
  });

  it('leaves the items that can never succeed alone in the end', async () => {
    const poison = new Set([3, 11, 12]);
    let runs = 0;
    const items = Array.from({ length: 16 }, (_, at) => at);
    const run = async (part: readonly number[]) => {
      runs++;
      if (part.some((item) => poison.has(item))) throw new RangeError('poison');
      return part;
    };
    const results = await bisectBatch(items, run, (item) => -item);
    expect(results).toEqual(items.map((item) => (poison.has(item) ? -item : item)));
    expect(runs).toBeLessThanOrEqual(25); // 2 log2(16) for each poisoned one, and the whole
  });

  it.each([
    'connectionLost',
    'readOnly',
    'full',
    'connectionLimit',
    'lockTimeout',
    'schema',
    'deadlock',
    'interrupted',
    'other',
  ] as const)('does not try halves when no row can be to blame: %s', async (kind) => {
    let runs = 0;
    const run = async () => {
      runs++;
      throw failure(kind);
    };
    await expect(bisectBatch([1, 2], run, failed)).rejects.toMatchObject({ code: 'STORE_FAILURE' });
    expect(runs).toBe(1);
  });

  it('does not blame a row for a store that was closed meanwhile', async () => {
    let runs = 0;
    const run = async () => {
      runs++;
      throw new StoreClosedError({ cause: failure('connectionLost') });
    };
    await expect(bisectBatch([1, 2], run, failed)).rejects.toBeInstanceOf(StoreClosedError);
    expect(runs).toBe(1);
  });

  it('isolates what the database refuses for its content', async () => {
    const run = async ([item]: readonly number[]) => {
      if (item === 1) throw failure('refused');
      return [failed(item, null)];
    };
    await expect(bisectBatch([1, 2], run, failed)).resolves.toEqual([
      { failed: 1, error: expect.any(SchedulerError) },
      { failed: 2, error: null },
    ]);
  });

  it('keeps what is done when the store goes down then: the rest has failed, and is not tried', async () => {
    const parts: (readonly number[])[] = [];
    const run = async (part: readonly number[]) => {
      parts.push(part);
      if (part.length > 1) throw failure('refused');
      if (part[0] === 2) throw failure('connectionLost');
      return part;
    };
    await expect(bisectBatch([1, 2, 3, 4], run, (item) => -item)).resolves.toEqual([1, -2, -3, -4]);
    expect(parts).toEqual([[1, 2, 3, 4], [1, 2], [1], [2]]);
  });

  it('has nothing to do for an empty batch', async () => {
    await expect(bisectBatch([], () => Promise.reject(new Error('called')), failed)).resolves.toEqual([]);
  });
});

describe('bisectFoundBatch', () => {
  /** Finds numbers in order, and fails on a batch with a poisoned one. */
  function finding(count: number, poison: readonly number[], kind: SqlErrorKind = 'refused') {
    const refused: string[] = [];
    const limits: number[] = [];
    const run = async ({ maxCount, onBatch }: FoundBatch) => {
      limits.push(maxCount);
      const all = Array.from({ length: count }, (_, at) => at).filter((at) => !refused.includes(`${at}`));
      const batch = all.slice(0, maxCount);
      onBatch(batch.map((at) => triggerKey(`${at}`)));
      if (batch.some((at) => poison.includes(at))) throw failure(kind);
      return batch;
    };
    return { refused, limits, run, running: () => bisectFoundBatch(8, run, ({ name }) => refused.push(name)) };
  }

  it('takes the first half of a batch that fails, and so on, until it succeeds', async () => {
    const { running, limits, refused } = finding(8, [3]);
    await expect(running()).resolves.toEqual([0, 1]);
    expect([limits, refused]).toEqual([[8, 4, 2], []]);
  });

  it('refuses what fails alone, and takes the others', async () => {
    const { running, limits, refused } = finding(5, [0]);
    await expect(running()).resolves.toEqual([1, 2, 3, 4]);
    expect([limits, refused]).toEqual([[8, 3, 2, 1, 8], ['0']]);
  });

  it('gives up when everything is refused', async () => {
    const everything = Array.from({ length: 100 }, (_, at) => at);
    const { running, refused } = finding(100, everything);
    await expect(running()).rejects.toMatchObject({ code: 'STORE_FAILURE' });
    expect(refused).toHaveLength(10);
  });

  it.each([
    'connectionLost',
    'deadlock',
  ] as const)('tries nothing else when no row can be to blame: %s', async (kind) => {
    const { running, limits } = finding(8, [0], kind);
    await expect(running()).rejects.toMatchObject({ code: 'STORE_FAILURE' });
    expect(limits).toEqual([8]);
  });
});
