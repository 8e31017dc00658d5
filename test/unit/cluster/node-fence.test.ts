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

/** A fence, and what becomes of `results` that are handed out by a transaction in which `meanwhile` happens. */
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
  it('shows whether the node may fire, and whether a Java node is there', () => {
    const { fence, node } = scene([]);
    expect([fence.mayFire, fence.hasJavaPeer]).toEqual([true, false]);
    Object.assign(node, { mayFire: false, hasJavaPeer: true });
    expect([fence.mayFire, fence.hasJavaPeer]).toEqual([false, true]);
  });

  it('hands out what was fired while the lease holds, as it is', async () => {
    const { fence } = scene([]);
    const handedOut = { outcomes: [], fired: [fired('f1')] };
    await expect(fence.dispatch(async () => handedOut)).resolves.toBe(handedOut);
  });

  it('withdraws what a peer has taken over while it was fired', async () => {
    const { fence, fire } = scene(
      [fired('f1', true), { status: 'notFired', acquired, reason: 'paused' }],
      false,
      runOut,
    );
    expect((await fire()).fired).toMatchObject([withdrawn, { reason: 'paused' }]);
    expect([fence.hasNonConcurrentWork, fence.inFlight.holds('f1')]).toEqual([false, false]);
  });

  it('withdraws what was fired in a life that is over, even if the next one may fire already', async () => {
    const { fire } = scene([fired('f1')], true, (node) => {
      node.epoch = 'e2';
    });
    expect((await fire()).fired).toMatchObject([withdrawn]);
  });

  it('hands out what was fired too slowly, if nobody took it over', async () => {
    const { fire } = scene([fired('f1')], true, runOut);
    expect((await fire()).fired).toMatchObject([{ status: 'fired' }]);
  });

  it('knows what the node holds: from the moment it is handed out until the store has ended it', async () => {
    const { fence, fire } = scene([fired('f1'), fired('f2')]);
    const holds = () => ['f1', 'f2', 'f3'].filter((id) => fence.inFlight.holds(id));
    await fire();
    expect(holds()).toEqual(['f1', 'f2']);
    await fence.dispatch(async () => ({ acquired: [{ ...acquired, runId: 'f3' }], fired: [] }));
    fence.release('f1', true);
    fence.release('f2', false); // the store could not write that
    expect(holds()).toEqual(['f2', 'f3']);
  });

  it('is not settled while something is handed out', async () => {
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

  it('knows whether work goes on that must not run elsewhere', async () => {
    const { fence, fire } = scene([fired('f1', true), fired('f2')]);
    expect(fence.hasNonConcurrentWork).toBe(false);
    await fire();
    expect(fence.hasNonConcurrentWork).toBe(true);
    fence.release('f1', false);
    expect(fence.hasNonConcurrentWork).toBe(false);
  });
});
