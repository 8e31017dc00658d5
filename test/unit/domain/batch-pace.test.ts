import { type AcquiredBatch, BatchPace } from '../../../src/domain/acquisition';
import type { FireResult } from '../../../src/domain/firing';
import { aFiring, aTrigger } from '../engine/samples';

const pace = (batchTimeWindow: number) => new BatchPace({ maxBatchSize: 100, batchTimeWindow });
const fired = (scheduledFireTime: number): FireResult => ({
  status: 'fired',
  firing: { ...aFiring(), scheduledFireTime, trigger: aTrigger({ nextFireTime: null }) },
});

const aBatch = (fields: Partial<AcquiredBatch>): AcquiredBatch => ({
  ...{ count: 1, maxCount: 25, tookMs: 1, timeWindow: 50, ...fields },
});

it('fires a little ahead of the first of a batch that has a window, and never without one', () => {
  expect([pace(50), pace(3), pace(0)].map(({ lead }) => lead)).toEqual([10, 3, 0]);
});

it('keeps to the window that the store used', () => {
  const beside = pace(50);
  beside.acquired(aBatch({ timeWindow: 0 }));
  expect(beside.lead).toBe(0);
  expect(beside.restUntil([fired(1_000)], 25)).toBe(1_000);
  beside.acquired(aBatch({}));
  expect(beside.restUntil([fired(1_000)], 25)).toBe(1_040);
});

it('does not rest after a batch that was cut short, or empty', () => {
  expect(pace(50).restUntil([fired(1), fired(2)], 2)).toBeNull();
  expect(pace(50).restUntil([], 2)).toBeNull();
});

it('waits for more workers only after a long acquisition that was cut short', () => {
  const long = pace(50);
  long.acquired(aBatch({ count: 25, tookMs: 300 }));
  expect([long.gatheringTime(3, 25), long.gatheringTime(25, 25)]).toEqual([30, 0]);
  long.acquired(aBatch({ count: 25, tookMs: 40 }));
  expect(long.gatheringTime(3, 25)).toBe(0);
  long.acquired(aBatch({ count: 24, tookMs: 300 }));
  expect(long.gatheringTime(3, 25)).toBe(0);
});
