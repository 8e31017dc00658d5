import { ManualClock } from '../../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../../src/base/yield-to-event-loop';
import { closeStore, type StoreNode } from '../../../../src/scheduler/node/store-node';

const clock = new ManualClock(0);
const silent = () => new Promise<never>(() => undefined);

/** A store that records its timeouts, and a node that leaves the cluster with `stop`. */
function nodeOf(stop: () => Promise<void>) {
  const patience: (number | undefined)[] = [];
  const store = { close: async (given?: number) => void patience.push(given) } as unknown as StoreNode['store'];
  return { node: { store, leave: stop }, patience };
}

describe('closing the store', () => {
  it('leaves the cluster first, and returns no unfinished step', async () => {
    const { node, patience } = nodeOf(async () => undefined);
    expect(await closeStore(node, clock, 3_000)).toEqual([]);
    expect(patience).toEqual([3_000]);
  });

  it('keeps its deadline if the database does not answer, and returns the unfinished step', async () => {
    const { node, patience } = nodeOf(silent);
    const closed = closeStore(node, clock, 3_000);
    await yieldToEventLoop();
    clock.advanceBy(3_000);
    expect(await closed).toEqual(['leaving the cluster']);
    expect(patience).toEqual([250]);
  });

  it('waits up to 2 s for a busy database when leaving the cluster, whatever the deadline', async () => {
    let leave: () => void = () => undefined;
    const { node } = nodeOf(
      () =>
        new Promise<void>((resolve) => {
          leave = resolve;
        }),
    );
    const closed = closeStore(node, clock, 0);
    await yieldToEventLoop();
    clock.advanceBy(1_900);
    leave();
    expect(await closed).toEqual([]);
  });

  it('rejects with the error of leaving the cluster', async () => {
    const { node } = nodeOf(() => Promise.reject(new Error('no')));
    await expect(closeStore(node, clock, 3_000)).rejects.toThrow('no');
  });
});
