import type { Line } from '../cluster/support/history';
import type { ExpectedTrigger, Load } from '../cluster/support/workload';
import type { Run } from './checker/check-history';
import { type Disturbance, judgeLateness, latenessByClass } from './checker/lateness';

const DETECTION = 3_000;
const load = (name: string, exclusive = false): Load => ({
  name,
  jobs: 1,
  triggers: 1,
  interval: 1_000,
  duration: 0,
  schedule: 'simple',
  exclusive,
  recovers: false,
});

/** Triggers that were due at 10 s, each with its start time and, for exclusive jobs, the end time of its last run. */
function runOf(...began: readonly { readonly name: string; readonly at: number; readonly freeAt?: number }[]): Run {
  const expected: ExpectedTrigger[] = began.map(({ name, freeAt }) => ({
    load: load(name, freeAt !== undefined),
    job: name,
    trigger: name,
    times: [10_000],
  }));
  const history = began.flatMap(({ name, at, freeAt }): Line[] => {
    const base = { node: 'A', trigger: name, origin: name, job: name, recovers: null };
    const start: Line = { ...base, line: 'start', id: `${name}2`, time: 10_000, mono: at, wall: at };
    if (freeAt === undefined) return [start];
    const before: Line = { ...base, line: 'start', id: `${name}1`, time: 9_000, mono: 9_000, wall: 9_000 };
    return [before, { line: 'end', id: `${name}1`, node: 'A', mono: freeAt, wall: freeAt }, start];
  });
  return { history, expected, audit: [], killed: new Map(), fenced: 'all', stops: [], wallOffset: 0 };
}

const judge = (run: Run, ...disturbances: readonly Disturbance[]) => {
  const lateness = latenessByClass(run, { disturbances, detection: DETECTION, lateByDesign: new Set(['long']) });
  return { lateness, findings: judgeLateness(lateness, DETECTION) };
};

describe('lateness', () => {
  it('must be at most half a second outside of faults', () => {
    expect(judge(runOf({ name: 'a', at: 10_400 })).findings).toEqual([]);
    const { lateness, findings } = judge(runOf({ name: 'a', at: 10_600 }));
    expect(lateness.calm).toEqual({ count: 1, p50: 600, p99: 600, max: 600 });
    expect(findings).toEqual(['p99 600 ms outside of faults, at most 500 ms']);
  });

  it('counts from the death of a node, and may reach the detection time plus a second', () => {
    const death = { kind: 'death', from: 9_900, to: 9_900 } as const;
    expect(judge(runOf({ name: 'a', at: 13_800 }), death).lateness.death.max).toBe(3_800);
    expect(judge(runOf({ name: 'a', at: 13_800 }), death).findings).toEqual([]);
    expect(judge(runOf({ name: 'a', at: 14_100 }), death).findings).toEqual([
      'p99 4100 ms after a death, at most 4000 ms',
    ]);
  });

  it('is not excused by a death that happened long before or afterwards', () => {
    for (const from of [5_900, 10_700]) {
      expect(judge(runOf({ name: 'a', at: 10_600 }), { kind: 'death', from, to: from }).lateness.calm.count).toBe(1);
    }
  });

  it('counts from the end of an outage, and may reach two seconds', () => {
    const outage = { kind: 'outage', from: 8_000, to: 20_000 } as const;
    expect(judge(runOf({ name: 'a', at: 21_900 }), outage).lateness.outage.max).toBe(1_900);
    expect(judge(runOf({ name: 'a', at: 21_900 }), outage).findings).toEqual([]);
    expect(judge(runOf({ name: 'a', at: 22_100 }), outage).findings).toEqual([
      'p99 2100 ms after an outage, at most 2000 ms',
    ]);
  });

  it('counts from the end of the last run for an exclusive job', () => {
    expect(judge(runOf({ name: 'a', at: 15_100, freeAt: 15_000 })).findings).toEqual([]);
    expect(judge(runOf({ name: 'a', at: 15_600, freeAt: 15_000 })).findings).toEqual([
      'p99 600 ms outside of faults, at most 500 ms',
    ]);
  });

  it('is not checked for loads that are late by design', () => {
    expect(judge(runOf({ name: 'long', at: 30_000 })).lateness.calm.count).toBe(0);
    const rules = { disturbances: [], detection: DETECTION, lateByDesign: new Set<string>(), lateJob: 'held' };
    const run = runOf({ name: 'held', at: 30_000 }, { name: 'a', at: 10_000 });
    expect(latenessByClass(run, rules).calm.count).toBe(1);
  });
});
