import { SchedulerError } from '../../../../src/base/errors';
import { toStoreFailure } from '../../../../src/store/sql/restart-rules';
import { runInHalves } from '../../../../src/store/sql/run-in-halves';
import { SqlError, type SqlErrorKind } from '../../../../src/store/sql/sql-driver';

const failure = (kind: SqlErrorKind) =>
  toStoreFailure(new SqlError({ kind, databaseCode: '0', statement: null, message: 'failed' }));

describe('runInHalves', () => {
  it('runs a batch that succeeds once, and keeps the order', async () => {
    const parts: (readonly number[])[] = [];
    const outcomes = await runInHalves([1, 2, 3], async (part) => {
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
    const outcomes = await runInHalves(items, async (part) => {
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
  ] as const)('does not try halves when the store is down: %s', async (kind) => {
    let runs = 0;
    const running = runInHalves([1, 2], async () => {
      runs++;
      throw failure(kind);
    });
    await expect(running).rejects.toMatchObject({ code: 'STORE_FAILURE' });
    expect(runs).toBe(1);
  });

  it('isolates what the database refuses for its content', async () => {
    const outcomes = await runInHalves([1, 2], async ([item]) => {
      if (item === 1) throw failure('other');
      return [item];
    });
    expect(outcomes).toEqual([
      { status: 'failed', error: expect.any(SchedulerError) },
      { status: 'done', result: 2 },
    ]);
  });

  it('has nothing to do for an empty batch', async () => {
    await expect(runInHalves([], () => Promise.reject(new Error('called')))).resolves.toEqual([]);
  });
});
