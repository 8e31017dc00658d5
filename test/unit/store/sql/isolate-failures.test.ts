import { SchedulerError, StoreClosedError } from '../../../../src/base/errors';
import { triggerKey } from '../../../../src/domain/keys';
import {
  type FoundBatch,
  isolateFailures,
  isolateFoundFailures,
} from '../../../../src/store/sql/operations/refused-triggers';
import { toStoreFailure } from '../../../../src/store/sql/runtime/retry-rules';
import { SqlError, type SqlErrorKind } from '../../../../src/store/sql/runtime/sql-driver';

const failure = (kind: SqlErrorKind) =>
  toStoreFailure(new SqlError({ kind, databaseCode: '0', statement: null, message: 'failed' }));

const failed = (item: number | undefined, error: unknown) => ({ failed: item, error });

describe('isolateFailures', () => {
  it('runs a successful batch once, and keeps the order of its items', async () => {
    const parts: (readonly number[])[] = [];
    const run = async (part: readonly number[]) => {
      parts.push(part);
      return part.map((item) => item * 10);
    };
    await expect(isolateFailures([1, 2, 3], run, () => -1)).resolves.toEqual([10, 20, 30]);
    expect(parts).toEqual([[1, 2, 3]]);
  });

  it('runs each item alone if one of them fails the batch', async () => {
    const poison = new Set([3, 11, 12]);
    let runs = 0;
    const items = Array.from({ length: 16 }, (_, at) => at);
    const run = async (part: readonly number[]) => {
      runs++;
      if (part.some((item) => poison.has(item))) throw new RangeError('poison');
      return part;
    };
    const results = await isolateFailures(items, run, (item) => -item);
    expect(results).toEqual(items.map((item) => (poison.has(item) ? -item : item)));
    expect(runs).toBe(17);
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
  ] as const)('does not retry items alone if no row can be the cause: %s', async (kind) => {
    let runs = 0;
    const run = async () => {
      runs++;
      throw failure(kind);
    };
    await expect(isolateFailures([1, 2], run, failed)).rejects.toMatchObject({ code: 'STORE_FAILURE' });
    expect(runs).toBe(1);
  });

  it('does not blame a row if the store was closed during the batch', async () => {
    let runs = 0;
    const run = async () => {
      runs++;
      throw new StoreClosedError({ cause: failure('connectionLost') });
    };
    await expect(isolateFailures([1, 2], run, failed)).rejects.toBeInstanceOf(StoreClosedError);
    expect(runs).toBe(1);
  });

  it('isolates a row whose content the database refuses', async () => {
    const run = async ([item]: readonly number[]) => {
      if (item === 1) throw failure('refused');
      return [failed(item, null)];
    };
    await expect(isolateFailures([1, 2], run, failed)).resolves.toEqual([
      { failed: 1, error: expect.any(SchedulerError) },
      { failed: 2, error: null },
    ]);
  });

  it('keeps completed items if the connection is lost while items run alone, and fails the rest', async () => {
    const parts: (readonly number[])[] = [];
    const run = async (part: readonly number[]) => {
      parts.push(part);
      if (part.length > 1) throw failure('refused');
      if (part[0] === 2) throw failure('connectionLost');
      return part;
    };
    await expect(isolateFailures([1, 2, 3, 4], run, (item) => -item)).resolves.toEqual([1, -2, -3, -4]);
    expect(parts).toEqual([[1, 2, 3, 4], [1], [2]]);
  });

  it('returns an empty result for an empty batch', async () => {
    await expect(isolateFailures([], () => Promise.reject(new Error('called')), failed)).resolves.toEqual([]);
  });
});

describe('isolateFoundFailures', () => {
  /** Finds numbers in order, and fails for a batch with a poisoned one. */
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
    return { refused, limits, run, running: () => isolateFoundFailures(8, run, ({ name }) => refused.push(name)) };
  }

  it('returns the first item of a batch that fails', async () => {
    const { running, limits, refused } = finding(8, [3]);
    await expect(running()).resolves.toEqual([0]);
    expect([limits, refused]).toEqual([[8, 1], []]);
  });

  it('refuses an item that fails alone, and returns the others', async () => {
    const { running, limits, refused } = finding(5, [0]);
    await expect(running()).resolves.toEqual([1, 2, 3, 4]);
    expect([limits, refused]).toEqual([[8, 1, 8], ['0']]);
  });

  it('throws after ten refused items', async () => {
    const everything = Array.from({ length: 100 }, (_, at) => at);
    const { running, refused } = finding(100, everything);
    await expect(running()).rejects.toMatchObject({ code: 'STORE_FAILURE' });
    expect(refused).toHaveLength(10);
  });

  it.each([
    'connectionLost',
    'deadlock',
  ] as const)('does not retry with a smaller batch if no row can be the cause: %s', async (kind) => {
    const { running, limits } = finding(8, [0], kind);
    await expect(running()).rejects.toMatchObject({ code: 'STORE_FAILURE' });
    expect(limits).toEqual([8]);
  });
});
