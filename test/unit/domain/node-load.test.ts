import { LoadCounts } from '../../../src/domain/load-counts';
import { decodeLoad, encodeLoad, figuresOf, type NodeLoad, stepsOfCluster } from '../../../src/domain/node-load';

const STEP = 30_000;
/** Start of a step. */
const NOW = 1_800_000_000_000;

const idle: NodeLoad = { running: 0, workers: 25, steps: [], holdBack: null, refusedTypes: [] };
const holdBack = { since: NOW, until: NOW + 300_000 };
const step = (begin: number, started: number, rest: object = {}) => ({
  ...{ begin, started, ended: started, failed: 0, p50: 1, p99: 1 },
  ...rest,
});

const timed = (scheduledFireTime: number, recovering = false) => ({ scheduledFireTime, recovering });

describe('LoadCounts', () => {
  it('counts per half minute, with lateness accurate to 10 %', () => {
    const counts = new LoadCounts();
    for (let late = 1; late <= 100; late++) counts.started(NOW, timed(NOW - late));
    counts.ended(NOW + 10, true);
    counts.ended(NOW + STEP, false);
    const { steps } = counts.read();
    expect(steps).toEqual([
      { begin: NOW, started: 100, ended: 1, failed: 1, p50: expect.any(Number), p99: expect.any(Number) },
      { begin: NOW + STEP, started: 0, ended: 1, failed: 0, p50: null, p99: null },
    ]);
    expect(Math.abs((steps[0]?.p50 ?? 0) - 50)).toBeLessThanOrEqual(5);
    expect(Math.abs((steps[0]?.p99 ?? 0) - 99)).toBeLessThanOrEqual(10);
  });

  it('keeps the last 15 minutes, also when the clock is set back', () => {
    const counts = new LoadCounts();
    for (let at = 0; at <= 30; at++) counts.started(NOW + at * STEP, timed(NOW));
    expect(counts.read().steps.map(({ begin }) => begin)).toEqual(
      Array.from({ length: 30 }, (_, at) => NOW + (at + 1) * STEP),
    );
    counts.started(NOW - 15 * STEP, timed(NOW)); // set back
    const { steps } = counts.read();
    expect(steps).toHaveLength(30);
    expect(steps[0]).toMatchObject({ begin: NOW - 15 * STEP, started: 1 });
  });

  it('can be read by another thread through shared memory', () => {
    const counts = new LoadCounts();
    const there = new LoadCounts(counts.memory);
    counts.workers = 25;
    counts.running = 3;
    counts.started(NOW, timed(NOW, true)); // a recovery has no scheduled time, so it has no lateness
    const steps = [step(NOW, 1, { ended: 0, p50: null, p99: null })];
    expect(there.read()).toEqual({ ...idle, running: 3, steps });
    counts.holdBack = holdBack;
    expect(there.read()).toEqual({ ...idle, running: 3, steps, holdBack });
    counts.holdBack = null;
    expect(there.read().holdBack).toBeNull();
    const refusedTypes = ['mail', 'Bericht/täglich'].map((jobType) => ({ jobType, since: NOW, until: NOW + 1_000 }));
    counts.refusedTypes = refusedTypes;
    expect(there.read().refusedTypes).toEqual(refusedTypes);
    const many = Array.from({ length: 100 }, (_, at) => ({ jobType: `type-${at}`, since: NOW, until: NOW + 1_000 }));
    counts.refusedTypes = many;
    expect(there.read().refusedTypes).toEqual(many.slice(0, there.read().refusedTypes.length));
    expect(there.read().refusedTypes.length).toBeGreaterThan(15);
    counts.refusedTypes = [];
    expect(there.read().refusedTypes).toEqual([]);
  });
});

describe('the encoded load of a node', () => {
  it('is decoded to the same load, and is at most 2,000 characters long', () => {
    const most = 2 ** 32 - 1;
    const steps = Array.from({ length: 30 }, (_, at) => ({
      ...{
        begin: at === 0 ? 0 : NOW + at * STEP,
        started: most,
        ended: most,
        failed: most,
        p50: 160_000_000,
        p99: 160_000_000,
      },
    }));
    for (const load of [
      idle,
      { running: 1, workers: 2, steps: [step(NOW, 3)], holdBack, refusedTypes: [] },
      { ...idle, refusedTypes: [{ jobType: 'mail', since: NOW, until: NOW + 1_000 }] },
      { running: most, workers: most, steps, holdBack, refusedTypes: [] },
    ]) {
      expect(decodeLoad(encodeLoad(load))).toEqual(load);
      expect(encodeLoad(load).length).toBeLessThanOrEqual(2_000);
    }
  });

  it.each([
    '',
    '{}',
    '[]',
    '[1,2,3]',
    '[1,2,3,[4]]',
    '[1,2,3,[[1,1,1,1,"x",1]]]',
    '[1,2,3,[[1,-1,1,1,1,1]]]',
    '[1.5,2,3,[]]',
    '[1,2,3,[],1,"x"]',
  ])('is decoded to null if it is invalid: %p', (text) => expect(decodeLoad(text)).toBeNull());
});

describe('figuresOf', () => {
  it('returns the rates and the lateness of about the last minute', () => {
    const steps = [
      step(NOW - 3 * STEP, 1_000),
      step(NOW - 2 * STEP, 10, { failed: 5 }),
      step(NOW, 30, { p50: 5, p99: 70 }),
    ];
    const future = step(NOW + STEP, 1_000);
    expect(figuresOf({ ...idle, running: 2, workers: 5, steps: [...steps, future] }, NOW + 15_000)).toEqual({
      running: 2,
      workers: 5,
      firingsPerMinute: 32, // 40 in 75 s
      failedPerMinute: 4,
      latenessMs: { p50: 4, p99: 70 },
    });
  });

  it('returns no lateness if no run has started', () => {
    const { firingsPerMinute, latenessMs } = figuresOf(idle, NOW);
    expect({ firingsPerMinute, latenessMs }).toEqual({ firingsPerMinute: 0, latenessMs: { p50: null, p99: null } });
  });
});

describe('stepsOfCluster', () => {
  it('adds up the counts of all nodes per step, and ignores older steps', () => {
    const a = { ...idle, steps: [step(NOW - 30 * STEP, 9), step(NOW, 3, { failed: 1, p50: 10, p99: 20 })] };
    const b = { ...idle, steps: [step(NOW, 1, { p50: 2, p99: 50 })] };
    const steps = stepsOfCluster([a, b, idle], NOW + 1);
    expect(steps).toHaveLength(30);
    expect(steps.at(-1)).toEqual({ begin: NOW, started: 4, ended: 4, failed: 1, p50: 8, p99: 50 });
    expect(steps.slice(0, -1).every(({ started, p99 }) => started === 0 && p99 === null)).toBe(true);
  });
});
