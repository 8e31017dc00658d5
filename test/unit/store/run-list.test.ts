import { MAX_RUNS, RunList } from '../../../src/store/memory/run-list';
import { NOW, ran } from '../../conformance/samples';

describe('the runs in memory', () => {
  const oldest = (runs: RunList, take = 3) => {
    const { items } = runs.query({ take: MAX_RUNS });
    return items.slice(-take).map(({ runId }) => runId);
  };

  it('are bounded: the oldest give way, dead letters last', () => {
    const runs = new RunList();
    runs.add(ran('dead', { endTime: NOW, isDeadLetter: true }));
    for (let index = 1; index < MAX_RUNS; index++) runs.add(ran(`run ${index}`, { endTime: NOW + index }));
    expect(oldest(runs)).toEqual(['run 2', 'run 1', 'dead']);
    runs.add(ran('last', { endTime: NOW + MAX_RUNS }));
    expect(oldest(runs)).toEqual(['run 1002', 'run 1001', 'dead']);
    expect(runs.query({ take: 1 }).items).toMatchObject([{ runId: 'last' }]);
    expect(runs.endOf(MAX_RUNS - 999)).toBeNull();
  });

  it('are bounded where all are dead letters', () => {
    const runs = new RunList();
    for (let index = 0; index <= MAX_RUNS; index++) {
      runs.add(ran(`run ${index}`, { endTime: NOW + index, isDeadLetter: true }));
    }
    expect(oldest(runs, 1)).toEqual(['run 1000']);
  });

  it('take those that come out of order to their place', () => {
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
