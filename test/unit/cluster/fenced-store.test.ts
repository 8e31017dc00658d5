import { FencedStore } from '../../../src/cluster/fenced-store';
import type { FireResult, TriggerFiring } from '../../../src/domain/firing';
import type { AcquireRequest, ApplyScheduleOptions, FiringStore, ScheduleStore } from '../../../src/store/job-store';
import { aFiring, aJobDetail, aTrigger } from '../engine/samples';

const REQUEST = {} as AcquireRequest;
const APPLY = { now: 0, misfireThreshold: 0, fireNow: { maxCount: 1, jobTypes: ['sample'] } };
const fired = (id: string, exclusive = false): FireResult => ({
  status: 'fired',
  firing: { ...aFiring(), fireInstanceId: id, jobDetail: aJobDetail({ disallowConcurrentExecution: exclusive }) },
});
const acquired = { trigger: aTrigger(), fireInstanceId: 'f1' };
const withdrawn = { status: 'notFired', reason: 'lost' };

interface Scene {
  readonly fenced: FencedStore;
  readonly calls: string[];
  readonly requests: AcquireRequest[];
  readonly node: { mayFire: boolean; hasJavaPeer: boolean; epoch: string };
}

function scene(
  results: readonly FireResult[],
  owns = true,
  onFire: (node: Scene['node']) => void = () => undefined,
): Scene {
  const calls: string[] = [];
  const requests: AcquireRequest[] = [];
  const node = {
    epoch: 'e1',
    mayFire: true,
    hasJavaPeer: false,
    owns: async (epoch: string): Promise<boolean> => owns && epoch === node.epoch,
  };
  const called = async <T>(name: string, answer: T): Promise<T> => {
    calls.push(name);
    if (name !== 'release') onFire(node);
    return answer;
  };
  const firings = results.flatMap((result) => (result.status === 'fired' ? [result.firing] : []));
  const store = {
    applySchedule: (_: unknown, { fireNow }: ApplyScheduleOptions) =>
      fireNow ? called('applyAndFire', { outcomes: [], fired: firings }) : called('apply', { outcomes: [], fired: [] }),
    acquireTriggers(request: AcquireRequest) {
      requests.push(request);
      return called('acquire', { acquired: [], fired: results });
    },
    fireTriggers: () => called('fire', results),
    releaseTriggers: () => called('release', undefined),
    completeTriggers: () => called('complete', []),
    recoverMisfires: () => called('misfires', {}),
  } as unknown as FiringStore & Pick<ScheduleStore, 'applySchedule'>;
  return { fenced: new FencedStore(store, () => node), calls, requests, node };
}

describe('a store behind a lease', () => {
  it('changes the schedule, and fires nothing with that, while the node may not fire', async () => {
    const { fenced, calls, node } = scene([fired('f1')]);
    node.mayFire = false;
    await expect(fenced.applySchedule([], APPLY)).resolves.toEqual({ outcomes: [], fired: [] });
    expect(calls).toEqual(['apply']);
  });

  it('hands on what was fired with a change only while it is certain that it is still its own', async () => {
    const { fenced } = scene([fired('f1')]);
    await expect(fenced.applySchedule([], APPLY)).resolves.toMatchObject({ fired: [{ fireInstanceId: 'f1' }] });
    const late = scene([fired('f1')], false, (node) => {
      node.mayFire = false;
    });
    await expect(late.fenced.applySchedule([], APPLY)).resolves.toEqual({ outcomes: [], fired: [] });
  });

  it('is asked for nothing while the node may not fire', async () => {
    const { fenced, calls, node } = scene([fired('f1')]);
    node.mayFire = false;
    await expect(fenced.acquireTriggers(REQUEST)).resolves.toEqual({ acquired: [], fired: [] });
    expect(calls).toEqual([]);
  });

  it('is asked for nothing ahead of its time beside a Java node, and says so', async () => {
    const { fenced, requests, node } = scene([fired('f1')]);
    const request = { ...REQUEST, timeWindow: 50, fireWithin: 25 };
    const alone = await fenced.acquireTriggers(request);
    node.hasJavaPeer = true;
    const beside = await fenced.acquireTriggers(request);
    await fenced.acquireTriggers({ ...request, fireWithin: null });
    expect([alone.timeWindow, beside.timeWindow]).toEqual([undefined, 0]);
    expect(requests).toMatchObject([request, { timeWindow: 0, fireWithin: 0 }, { timeWindow: 0, fireWithin: null }]);
  });

  it('gets back what was acquired and may not be fired any more', async () => {
    const { fenced, calls, node } = scene([fired('f1')]);
    node.mayFire = false;
    await expect(fenced.fireTriggers([acquired], 0)).resolves.toMatchObject([{ ...withdrawn, acquired }]);
    expect(calls).toEqual(['release']);
  });

  it('hands on what was fired while the lease holds', async () => {
    const { fenced } = scene([fired('f1')]);
    await expect(fenced.fireTriggers([acquired], 0)).resolves.toMatchObject([{ status: 'fired' }]);
    await expect(fenced.acquireTriggers(REQUEST)).resolves.toMatchObject({ fired: [{ status: 'fired' }] });
  });

  const runOut = (node: Scene['node']) => {
    node.mayFire = false;
  };

  it('withdraws what a peer has taken over while it was fired', async () => {
    const { fenced } = scene([fired('f1'), { status: 'notFired', acquired, reason: 'paused' }], false, runOut);
    await expect(fenced.fireTriggers([acquired], 0)).resolves.toMatchObject([withdrawn, { reason: 'paused' }]);
    expect(fenced.hasExclusiveWork).toBe(false);
  });

  it('withdraws what was fired in a life that is over, even if the next one may fire already', async () => {
    const { fenced } = scene([fired('f1')], true, (node) => {
      node.epoch = 'e2';
    });
    await expect(fenced.acquireTriggers(REQUEST)).resolves.toMatchObject({ fired: [withdrawn] });
  });

  it('hands on what was fired too slowly, if nobody took it over', async () => {
    const { fenced } = scene([fired('f1')], true, runOut);
    await expect(fenced.acquireTriggers(REQUEST)).resolves.toMatchObject({ fired: [{ status: 'fired' }] });
  });

  it('passes completions on, whatever the lease says: the fired row decides', async () => {
    const { fenced, calls, node } = scene([]);
    node.mayFire = false;
    await fenced.completeTriggers([]);
    await fenced.recoverMisfires({ now: 0, misfireThreshold: 0, maxCount: 1 });
    await fenced.releaseTriggers([acquired]);
    expect(calls).toEqual(['complete', 'misfires', 'release']);
  });

  it('knows what the node holds: from the moment it is handed on until the store has ended it', async () => {
    const { fenced, node } = scene([fired('f1'), fired('f2')]);
    const holds = () => ['f1', 'f2'].filter((id) => fenced.holdings.holds(id));
    const { fired: results } = await fenced.acquireTriggers(REQUEST);
    expect(holds()).toEqual(['f1', 'f2']);
    const [first] = results.flatMap((result) => (result.status === 'fired' ? [result.firing] : []));
    await fenced.completeTriggers([{ firing: first as TriggerFiring, instruction: 'NOOP' }]);
    expect(holds()).toEqual(['f2']);
    node.epoch = 'e2';
    const late = scene([fired('f1')], false, runOut);
    await late.fenced.acquireTriggers(REQUEST);
    expect(late.fenced.holdings.holds('f1')).toBe(false);
  });

  it('knows whether work goes on that must not run elsewhere', async () => {
    const results = [fired('f1', true), fired('f2')];
    const { fenced } = scene(results);
    expect(fenced.hasExclusiveWork).toBe(false);
    await fenced.acquireTriggers(REQUEST);
    expect(fenced.hasExclusiveWork).toBe(true);
    const completions = results.flatMap((result) =>
      result.status === 'fired' ? [{ firing: result.firing, instruction: 'NOOP' as const }] : [],
    );
    await fenced.completeTriggers(completions);
    expect(fenced.hasExclusiveWork).toBe(false);
  });

  it('holds nothing any more of what was fired and is given back', async () => {
    const { fenced } = scene([fired('f1', true)]);
    const { fired: results } = await fenced.acquireTriggers(REQUEST);
    await fenced.releaseTriggers(results.flatMap((result) => (result.status === 'fired' ? [result.firing] : [])));
    expect([fenced.holdings.holds('f1'), fenced.hasExclusiveWork]).toEqual([false, false]);
  });
});
