import { SchedulerError, StoreClosedError } from '../../../../src/base/errors';
import { triggerKey } from '../../../../src/domain/keys';
import { bisectBatch, bisectFoundBatch, type FoundBatch } from '../../../../src/store/sql/runtime/bisect-batch';
import { toStoreFailure } from '../../../../src/store/sql/runtime/retry-rules';
import { SqlError, type SqlErrorKind } from '../../../../src/store/sql/runtime/sql-driver';

const failure = (kind: SqlErrorKind) =>
  toStoreFailure(new SqlError({ kind, databaseCode: '0', statement: null, message: 'failed' }));

describe('bisectBatch', () => {
  it('runs a batch that succeeds once, and keeps the order', async () => {
    const parts: (readonly number[])[] = [];
    const outcomes = await bisectBatch([1, 2, 3], async (part) => {
      parts.push(part);
      return part.map((item) => item * 10);
    });
    expect(parts).toEqual([[1, 2, 3]]);
    expect(outcomes.map((outcome) => outcome.status === 'done' && outcome.result)).toEqual([10, 20, 30]);
  });

  it('leaves the items that can never succeed alone in the end', async () => {
    const poison = new Set([3, 11, 12]);
    let runs = 0;
    const items = Array.from({ length: 16 }, (_, at) => at);
    const outcomes = await bisectBatch(items, async (part) => {
      runs++;
      if (part.some((item) => poison.has(item))) throw new RangeError('poison');
      return part;
    });
    expect(outcomes.map(({ status }) => status === 'failed')).toEqual(items.map((item) => poison.has(item)));
    expect(outcomes.flatMap((outcome) => (outcome.status === 'done' ? [outcome.result] : []))).toEqual(
      items.filter((item) => !poison.has(item)),
    );
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
    const running = bisectBatch([1, 2], async () => {
      runs++;
      throw failure(kind);
    });
    await expect(running).rejects.toMatchObject({ code: 'STORE_FAILURE' });
    expect(runs).toBe(1);
  });

  it('does not blame a row for a store that was closed meanwhile', async () => {
    let runs = 0;
    const running = bisectBatch([1, 2], async () => {
      runs++;
      throw new StoreClosedError({ cause: failure('connectionLost') });
    });
    await expect(running).rejects.toBeInstanceOf(StoreClosedError);
    expect(runs).toBe(1);
  });

  it('isolates what the database refuses for its content', async () => {
    const outcomes = await bisectBatch([1, 2], async ([item]) => {
      if (item === 1) throw failure('refused');
      return [item];
    });
    expect(outcomes).toEqual([
      { status: 'failed', error: expect.any(SchedulerError) },
      { status: 'done', result: 2 },
    ]);
  });

  it('keeps what is done when the store goes down then: the rest has failed, and is not tried', async () => {
    const parts: (readonly number[])[] = [];
    const outcomes = await bisectBatch([1, 2, 3, 4], async (part) => {
      parts.push(part);
      if (part.length > 1) throw failure('refused');
      if (part[0] === 2) throw failure('connectionLost');
      return part;
    });
    expect(parts).toEqual([[1, 2, 3, 4], [1, 2], [1], [2]]);
    expect(outcomes.map(({ status }) => status)).toEqual(['done', 'failed', 'failed', 'failed']);
  });

  it('has nothing to do for an empty batch', async () => {
    await expect(bisectBatch([], () => Promise.reject(new Error('called')))).resolves.toEqual([]);
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
