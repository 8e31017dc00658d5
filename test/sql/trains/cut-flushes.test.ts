import { describeOnFlavour } from '../../support/database/test-database';
import { IS_LONG } from '../../support/long-forms';
import type { FlushFault } from '../../support/packet-gate';
import { NOTHING } from './events';
import { rowsOf } from './outcome';
import { type Interruption, Stage } from './stage';

/** The lock is in the second packet, after the one that begins the count of the steps. */
const PACKETS_TO_LOCK = 2;

describeOnFlavour('mysql', 'a train whose statements do not all arrive at once', () => {
  let stage: Stage;
  /** Number of packets of a whole train. */
  let length: number;

  beforeAll(async () => {
    stage = await Stage.open({ hasFaults: true });
    await stage.play(
      NOTHING,
      cutting('answerLost', 0, async () => undefined),
    );
    length = stage.packets?.packets ?? 0;
    expect(length).toBeGreaterThan(15);
  });

  afterAll(() => stage.close());

  /** Lets the first packets pass, and looks at what is stored before the outcome is looked up. */
  function cutting(
    fault: FlushFault,
    passing: number,
    inspect: (before: readonly string[], after: readonly string[]) => Promise<void>,
  ): Interruption {
    let isUnderWay: Promise<unknown> = Promise.resolve();
    return {
      arrange({ bystander, schedName }, _, gate) {
        let before: readonly string[] = [];
        gate.at('flush', async () => {
          before = await rowsOf(bystander, schedName);
          stage.packets?.faultNextFlush(fault, passing);
        });
        gate.at('lookUp', async () => {
          const after = await rowsOf(bystander, schedName);
          isUnderWay = inspect(before, after);
          if (fault !== 'late') await isUnderWay;
        });
      },
      ended: async () => {
        await isUnderWay;
        await stage.packets?.deliver();
      },
    };
  }

  /** Numbers of packets after which a flush is cut: all of them in the long form. */
  const cuts = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => from + index).filter(
      (cut) => IS_LONG || cut % 3 === 0 || cut === to - 1,
    );

  it('stores nothing if its connection ends between two of them, and fires once when it is repeated', async () => {
    const expected = await stage.expected(NOTHING, 'train first');
    for (const passing of cuts(0, length)) {
      const inspect = async (before: readonly string[], after: readonly string[]) => expect(after).toEqual(before);
      expect(await stage.play(NOTHING, cutting('lost', passing, inspect))).toEqual(expected);
    }
  });

  it('stores nothing if it arrives after its outcome was looked up, because the lock was in the part that was late', async () => {
    const expected = await stage.expected(NOTHING, 'train first');
    for (const passing of cuts(0, PACKETS_TO_LOCK)) {
      expect(
        await stage.play(
          NOTHING,
          cutting('late', passing, async () => undefined),
        ),
      ).toEqual(expected);
    }
  });

  it('fires once if the rest arrives while its outcome waits to be looked up', async () => {
    const expected = await stage.expected(NOTHING, 'train first');
    for (const passing of cuts(PACKETS_TO_LOCK, length)) {
      const deliver = async () => {
        await stage.queue.arrived(1, new Promise(() => undefined));
        await stage.packets?.deliver();
      };
      expect(await stage.play(NOTHING, cutting('late', passing, deliver))).toEqual(expected);
    }
  });
});
