import { LimitCapacity } from '../../../src/domain/batch-limiter';
import type { ExecutionPolicy } from '../../../src/domain/execution-policy';
import type { GroupLimits } from '../../../src/domain/group-limits';
import { demandOf, type FiringCandidate } from '../../../src/domain/limit-claims';
import { type RunsPerSlot, RunTimes, SlotSharing, withLastHolding } from '../../../src/domain/slot-sharing';
import { job, NOW, once } from '../../conformance/samples';

const limited = (limit: number): ExecutionPolicy => ({ concurrency: { key: 'mail', limit } });

function candidates(count: number, policy: ExecutionPolicy, jobType = 'sample'): readonly FiringCandidate[] {
  return Array.from({ length: count }, (_, index) => ({
    trigger: once(`t${index}`),
    jobDetail: { ...job(`j${index}`, { policy }), jobType },
  }));
}

const NOTHING_STORED = { holdersOf: () => [], queuedOf: () => 0, rateOf: () => null, lineOf: () => [] };

/** Slots of the firings, in order: the number of a shared slot, `own` for a slot that is not shared, `waits` for no slot. */
function slotsOf(all: readonly FiringCandidate[], runsPerSlot: RunsPerSlot, held = 0, groupLimits: GroupLimits = {}) {
  const demands = all.map((each) => demandOf(each, groupLimits)).filter((each) => each !== null);
  const state = { ...NOTHING_STORED, heldOf: () => held };
  const capacity = new LimitCapacity(state, NOW, new SlotSharing(demands, runsPerSlot));
  return all.map((each, index) => {
    const verdict = capacity.admit(each, demands[index] as NonNullable<ReturnType<typeof demandOf>>);
    return verdict.status === 'taken' ? (verdict.terms?.slot ?? 'own') : verdict.status;
  });
}

describe('slots of a limit', () => {
  it('are shared by as many firings of a batch as the job type allows, up to the limit', () => {
    expect(slotsOf(candidates(7, limited(2)), { sample: 3 })).toEqual([0, 0, 0, 1, 1, 1, 'waits']);
    expect(slotsOf(candidates(5, limited(2)), { sample: 3 }, 1)).toEqual([0, 0, 0, 'waits', 'waits']);
    expect(slotsOf(candidates(2, limited(2)), { sample: 3 }, 2)).toEqual(['waits', 'waits']);
  });

  it('are not shared by firings of job types with long runs', () => {
    expect(slotsOf(candidates(3, limited(2)), {})).toEqual(['own', 'own', 'waits']);
    expect(slotsOf(candidates(3, limited(2), 'constructor'), { sample: 9 })).toEqual(['own', 'own', 'waits']);
    const [short, long, ...others] = [
      ...candidates(1, limited(2)),
      ...candidates(1, limited(2), 'long'),
      ...candidates(2, limited(2)),
    ] as [FiringCandidate, FiringCandidate, ...FiringCandidate[]];
    expect(slotsOf([short, long, ...others], { sample: 9 })).toEqual([0, 'own', 0, 0]);
    expect(slotsOf([short, ...others, long], { sample: 9, long: 2 })).toEqual([0, 0, 0, 1]);
    expect(slotsOf([long, short, ...others], { sample: 9, long: 2 })).toEqual([0, 0, 1, 1]);
  });

  it('are not shared while the batch needs at most half of the free capacity', () => {
    const each = <Slot>(count: number, slot: Slot) => new Array<Slot>(count).fill(slot);
    expect(slotsOf(candidates(10, limited(20)), { sample: 99 })).toEqual(each(10, 'own'));
    expect(slotsOf(candidates(11, limited(20)), { sample: 99 })).toEqual(each(11, 0));
    expect(slotsOf(candidates(10, limited(20)), { sample: 99 }, 1)).toEqual(each(10, 0));
  });

  it('are not shared by firings that have a second limit or rule', () => {
    for (const more of [{ overlap: 'skip' }, { rate: { key: 'r', limit: 9, per: 60_000, burst: 9 } }] as const) {
      const [first, second] = slotsOf(candidates(2, { ...limited(1), ...more } as ExecutionPolicy), { sample: 9 });
      expect([first, second]).not.toContain(0);
    }
    expect(slotsOf(candidates(2, {}), { sample: 9 }, 0, { DEFAULT: 1 })).toEqual([0, 0]);
    expect(slotsOf(candidates(2, limited(1)), { sample: 9 }, 0, { DEFAULT: 1 })).toEqual(['own', 'waits']);
  });

  it('mark firings as awaited when the limit has little capacity left', () => {
    const awaited = (limit: number, held: number, policy = limited(limit)) => {
      const [only] = candidates(1, policy) as [FiringCandidate];
      const demand = demandOf(only, undefined) as NonNullable<ReturnType<typeof demandOf>>;
      const verdict = new LimitCapacity({ ...NOTHING_STORED, heldOf: () => held }, NOW).admit(only, demand);
      return verdict.status === 'taken' && verdict.terms?.isAwaited === true;
    };
    expect([awaited(8, 3), awaited(8, 4)]).toEqual([false, true]);
    expect(awaited(1, 0)).toBe(true);
    expect(awaited(1, 0, { overlap: 'queueOne' })).toBe(true); // other firings wait for this one, although it waits for none
  });
});

describe('the firing that holds a shared slot', () => {
  it('is the last firing of the batch that shares it', () => {
    const firing = (slot?: number) => ({
      holds: ['mail'],
      isAwaited: true as const,
      ...(slot !== undefined && { slot }),
    });
    const [a, b, c, d] = withLastHolding([firing(0), firing(), firing(1), firing(0)]);
    expect(a).toEqual({ slot: 0 });
    expect([b, c, d]).toEqual([firing(), firing(1), firing(0)]);
  });
});

describe('measured run durations', () => {
  const sharedAfter = (...durations: readonly number[]) => {
    const times = new RunTimes();
    for (const duration of durations) times.add('sample', duration);
    return times.runsPerSlot();
  };
  const repeated = (count: number, duration: number) => new Array<number>(count).fill(duration);

  it('prevent sharing until a job type has run often enough', () => {
    expect(sharedAfter()).toEqual({});
    expect(sharedAfter(0.1)).toEqual({});
    expect(sharedAfter(...repeated(8, 0.1)).sample).toBeUndefined();
    expect(sharedAfter(...repeated(9, 0.1))).toEqual({ sample: 2 });
  });

  it('allow as many runs per slot as take ten milliseconds in total, at most a hundred', () => {
    expect(sharedAfter(...repeated(99, 2))).toEqual({ sample: 5 });
    expect(sharedAfter(...repeated(99, 5.1))).toEqual({});
    expect(sharedAfter(...repeated(99, 0))).toEqual({ sample: 100 });
  });

  it('prevent sharing for some runs after one long run', () => {
    expect(sharedAfter(...repeated(99, 1), 1_000)).toEqual({});
    expect(sharedAfter(...repeated(99, 1), 1_000, ...repeated(30, 1))).toEqual({});
    expect(sharedAfter(...repeated(99, 1), 1_000, ...repeated(50, 1))).toEqual({ sample: 10 });
  });
});
