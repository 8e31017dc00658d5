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

it('the lead time of a batch is at most 10 ms and at most the batch window', () => {
  expect([pace(50), pace(3), pace(0)].map(({ lead }) => lead)).toEqual([10, 3, 0]);
});

it('the lead time and the rest after a batch depend on the window that the store used', () => {
  const beside = pace(50);
  beside.acquired(aBatch({ timeWindow: 0 }));
  expect(beside.lead).toBe(0);
  expect(beside.restUntil([fired(1_000)], 25)).toBe(1_000);
  beside.acquired(aBatch({}));
  expect(beside.restUntil([fired(1_000)], 25)).toBe(1_040);
});

it('the loop does not rest after an empty or a full batch', () => {
  expect(pace(50).restUntil([fired(1), fired(2)], 2)).toBeNull();
  expect(pace(50).restUntil([], 2)).toBeNull();
});

it('the loop waits for more free workers only after a slow acquisition of a full batch', () => {
  const long = pace(50);
  long.acquired(aBatch({ count: 25, tookMs: 300 }));
  expect([long.gatheringTime(3, 25), long.gatheringTime(25, 25)]).toEqual([30, 0]);
  long.acquired(aBatch({ count: 25, tookMs: 40 }));
  expect(long.gatheringTime(3, 25)).toBe(0);
  long.acquired(aBatch({ count: 24, tookMs: 300 }));
  expect(long.gatheringTime(3, 25)).toBe(0);
});
