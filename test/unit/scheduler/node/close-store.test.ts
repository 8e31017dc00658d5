import { ManualClock } from '../../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../../src/base/yield-to-event-loop';
import { closeStore, type StoreNode } from '../../../../src/scheduler/node/store-node';

const clock = new ManualClock(0);
const silent = () => new Promise<never>(() => undefined);

/** A store that remembers how long it was given, and a node whose leaving is what `stop` says. */
function nodeOf(stop: () => Promise<void>) {
  const patience: (number | undefined)[] = [];
  const store = { close: async (given?: number) => void patience.push(given) } as unknown as StoreNode['store'];
  return { node: { store, leave: stop }, patience };
}

describe('closing the store', () => {
  it('leaves the cluster first, and leaves nothing undone', async () => {
    const { node, patience } = nodeOf(async () => undefined);
    expect(await closeStore(node, clock, 3_000)).toEqual([]);
    expect(patience).toEqual([3_000]);
  });

  it('keeps its deadline although nothing answers, and says what was left undone', async () => {
    const { node, patience } = nodeOf(silent);
    const closed = closeStore(node, clock, 3_000);
    await yieldToEventLoop();
    clock.advanceBy(3_000);
    expect(await closed).toEqual(['leaving the cluster']);
    expect(patience).toEqual([250]);
  });

  it('gives a busy database 2 s to leave, whatever the deadline', async () => {
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

  it('passes on what leaving failed with in time', async () => {
    const { node } = nodeOf(() => Promise.reject(new Error('no')));
    await expect(closeStore(node, clock, 3_000)).rejects.toThrow('no');
  });
});
