import { MAX_RUNS, RunList } from '../../../src/store/memory/run-list';
import { NOW, ran } from '../../conformance/samples';

describe('run history in memory', () => {
  const oldest = (runs: RunList, take = 3) => {
    const { items } = runs.query({ take: MAX_RUNS });
    return items.slice(-take).map(({ runId }) => runId);
  };

  it('is limited in number, and drops the oldest runs first and dead letters last', () => {
    const runs = new RunList();
    runs.add(ran('dead', { endTime: NOW, isDeadLetter: true }));
    for (let index = 1; index < MAX_RUNS; index++) runs.add(ran(`run ${index}`, { endTime: NOW + index }));
    expect(oldest(runs)).toEqual(['run 2', 'run 1', 'dead']);
    runs.add(ran('last', { endTime: NOW + MAX_RUNS }));
    expect(oldest(runs)).toEqual(['run 1002', 'run 1001', 'dead']);
    expect(runs.query({ take: 1 }).items).toMatchObject([{ runId: 'last' }]);
    expect(runs.endOf(MAX_RUNS - 999)).toBeNull();
  });

  it('is limited in number even if all runs are dead letters', () => {
    const runs = new RunList();
    for (let index = 0; index <= MAX_RUNS; index++) {
      runs.add(ran(`run ${index}`, { endTime: NOW + index, isDeadLetter: true }));
    }
    expect(oldest(runs, 1)).toEqual(['run 1000']);
  });

  it('is limited in bytes, drops the oldest runs first, and reports this once', () => {
    const full: unknown[] = [];
    const maxBytes = 1_000_000;
    const runs = new RunList({ maxBytes, onFull: (kept) => full.push(kept) });
    const detail = JSON.stringify({ stack: 'x'.repeat(4_000) });
    runs.add(ran('dead', { endTime: NOW, isDeadLetter: true, detail }));
    for (let index = 1; index <= 5_000; index++) runs.add(ran(`run ${index}`, { endTime: NOW + index, detail }));
    const { items } = runs.query({ take: MAX_RUNS });
    const bytes = items.reduce((sum, run) => sum + 2 * (run.detail?.length ?? 0), 0);
    expect(bytes).toBeLessThan(maxBytes);
    expect(items.length).toBeGreaterThan(90);
    expect([items[0]?.runId, items.at(-1)?.runId]).toEqual(['run 5000', 'dead']);
    expect(full).toHaveLength(1);
  });

  it('is limited in bytes even if all runs are dead letters', () => {
    const runs = new RunList({ maxBytes: 1_000_000 });
    const detail = 'x'.repeat(4_000);
    for (let index = 1; index <= 1_000; index++) {
      runs.add(ran(`run ${index}`, { endTime: NOW + index, isDeadLetter: true, detail }));
    }
    const { items } = runs.query({ take: MAX_RUNS });
    expect(items.length).toBeLessThan(130);
    expect(items[0]?.runId).toBe('run 1000');
  });

  it('does not count the bytes of pruned runs', () => {
    const runs = new RunList({ maxBytes: 1_000_000 });
    const detail = 'x'.repeat(4_000);
    for (let index = 1; index <= 1_000; index++) {
      runs.add(ran(`run ${index}`, { endTime: NOW + index, detail }));
      runs.prune({ before: NOW + index, maxCount: 10, maxMs: 15 });
    }
    expect(runs.query({ take: 10 }).items).toHaveLength(1);
    for (let index = 1; index <= 100; index++) runs.add(ran(`new ${index}`, { endTime: NOW + 2_000 + index, detail }));
    expect(runs.query({ take: MAX_RUNS }).items).toHaveLength(101);
  });

  it('keeps its order even if runs arrive out of order', () => {
    const runs = new RunList();
    for (const [runId, endTime] of [
      ['b', 2],
      ['d', 4],
      ['a', 1],
      ['c', 3],
      ['c2', 3],
      ['b', 2],
    ] as const) {
      runs.add(ran(runId, { endTime }));
    }
    expect(runs.query({ take: 10 }).items.map(({ runId }) => runId)).toEqual(['d', 'c2', 'c', 'b', 'a']);
  });
});
