import { describeOnFlavour } from '../../support/database/test-database';
import type { FlushFault } from '../../support/packet-gate';
import { NOTHING } from './events';
import { rowsOf } from './outcome';
import { type Interruption, Stage } from './stage';

/** Packets of a train: one assigns its values to variables, the other one runs its statements. */
const PACKETS = 2;

describeOnFlavour('mysql', 'a train of statements whose packets do not arrive together', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.open({ hasFaults: true });
    await stage.play(
      NOTHING,
      cutting('answerLost', 0, async () => undefined),
    );
    expect(stage.packets?.packets).toBe(PACKETS);
  });

  afterAll(() => stage.close());

  /** Lets the first packets pass, and checks the stored rows before the outcome is looked up. */
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

  it('stores nothing if its connection ends between two packets, and fires once when repeated', async () => {
    const expected = await stage.expected(NOTHING, 'train first');
    for (let passing = 0; passing < PACKETS; passing++) {
      const inspect = async (before: readonly string[], after: readonly string[]) => expect(after).toEqual(before);
      expect(await stage.play(NOTHING, cutting('lost', passing, inspect))).toEqual(expected);
    }
  });

  it('stores nothing if its last packets arrive after its outcome was looked up', async () => {
    const expected = await stage.expected(NOTHING, 'train first');
    for (let passing = 0; passing < PACKETS; passing++) {
      expect(
        await stage.play(
          NOTHING,
          cutting('late', passing, async () => undefined),
        ),
      ).toEqual(expected);
    }
  });
});
