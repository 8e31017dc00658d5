import { NodeFence } from '../../../src/cluster/node-fence';
import type { FireResult } from '../../../src/domain/firing';
import { aFiring, aJobDetail, aTrigger } from '../engine/samples';

const fired = (id: string, disallowConcurrentExecution = false): FireResult => ({
  status: 'fired',
  firing: { ...aFiring(), runId: id, jobDetail: aJobDetail({ disallowConcurrentExecution }) },
});
const acquired = { trigger: aTrigger(), runId: 'f1' };
const withdrawn = { status: 'notFired', reason: 'lost' };

interface OwnNode {
  mayFire: boolean;
  hasJavaPeer: boolean;
  epoch: string;
}

/** A fence that dispatches `results` from a transaction during which `meanwhile` runs. */
function scene(results: readonly FireResult[], owns = true, meanwhile: (node: OwnNode) => void = () => undefined) {
  const node = {
    epoch: 'e1',
    mayFire: true,
    hasJavaPeer: false,
    owns: async (epoch: string): Promise<boolean> => owns && epoch === node.epoch,
  };
  const fence = new NodeFence(() => node);
  const fire = () =>
    fence.dispatch(async () => {
      meanwhile(node);
      return { fired: results };
    });
  return { fence, node, fire };
}

const runOut = (node: OwnNode) => {
  node.mayFire = false;
};

describe('the fence of a node', () => {
  it('shows whether the node may fire and whether there is a Java node', () => {
    const { fence, node } = scene([]);
    expect([fence.mayFire, fence.hasJavaPeer]).toEqual([true, false]);
    Object.assign(node, { mayFire: false, hasJavaPeer: true });
    expect([fence.mayFire, fence.hasJavaPeer]).toEqual([false, true]);
  });

  it('returns firings unchanged while the lease holds', async () => {
    const { fence } = scene([]);
    const handedOut = { outcomes: [], fired: [fired('f1')] };
    await expect(fence.dispatch(async () => handedOut)).resolves.toBe(handedOut);
  });

  it('withdraws firings that another node has taken over while they were fired', async () => {
    const { fence, fire } = scene(
      [fired('f1', true), { status: 'notFired', acquired, reason: 'paused' }],
      false,
      runOut,
    );
    expect((await fire()).fired).toMatchObject([withdrawn, { reason: 'paused' }]);
    expect([fence.hasNonConcurrentWork, fence.inFlight.holds('f1')]).toEqual([false, false]);
  });

  it('withdraws firings of an ended incarnation, even if the next one may already fire', async () => {
    const { fire } = scene([fired('f1')], true, (node) => {
      node.epoch = 'e2';
    });
    expect((await fire()).fired).toMatchObject([withdrawn]);
  });

  it('returns firings that were slow if no other node has taken them over', async () => {
    const { fire } = scene([fired('f1')], true, runOut);
    expect((await fire()).fired).toMatchObject([{ status: 'fired' }]);
  });

  it('counts firings as in flight from their dispatch until the store has ended them', async () => {
    const { fence, fire } = scene([fired('f1'), fired('f2')]);
    const holds = () => ['f1', 'f2', 'f3'].filter((id) => fence.inFlight.holds(id));
    await fire();
    expect(holds()).toEqual(['f1', 'f2']);
    await fence.dispatch(async () => ({ acquired: [{ ...acquired, runId: 'f3' }], fired: [] }));
    fence.release('f1', true);
    fence.release('f2', false); // the store could not write this end
    expect(holds()).toEqual(['f2', 'f3']);
  });

  it('reports pending requests until their results are dispatched', async () => {
    const { fence } = scene([]);
    let end = () => {};
    const handedOut = fence.dispatch(
      () =>
        new Promise<{ fired: readonly FireResult[] }>((resolve) => {
          end = () => resolve({ fired: [] });
        }),
    );
    const isSettled = fence.inFlight.watchRequests();
    expect(isSettled()).toBe(false);
    end();
    await handedOut;
    expect(isSettled()).toBe(true);
  });

  it('shows whether non-concurrent jobs are running', async () => {
    const { fence, fire } = scene([fired('f1', true), fired('f2')]);
    expect(fence.hasNonConcurrentWork).toBe(false);
    await fire();
    expect(fence.hasNonConcurrentWork).toBe(true);
    fence.release('f1', false);
    expect(fence.hasNonConcurrentWork).toBe(false);
  });
});
