import type { Completion } from '../../../src/domain/completion';
import type { TriggerFiring } from '../../../src/domain/firing';
import { ending } from '../../conformance/areas/chains';
import { job, ran } from '../../conformance/samples';
import { GatedDriver, withoutScripts } from '../../support/database/gated-driver';
import { describeOnServer } from '../../support/database/test-database';
import type { FlushFault } from '../../support/packet-gate';
import { NOTHING } from './events';
import { rowsOf } from './outcome';
import { RECOVERY, type Scene } from './scene';
import { Stage } from './stage';

/** Triggers whose completions store nothing else: one of a job that must not overlap, with a blocked sibling, and one of another job. */
const PLAIN = ['due', 'serial 1'];

const completing = (firings: readonly TriggerFiring[], { mine }: Scene): readonly Completion[] =>
  firings.map((firing) => ({ ...ending(firing, mine.now), run: ran(firing.runId) }));

describeOnServer('a script that completes runs', () => {
  let stage: Stage;
  let gate: GatedDriver;

  beforeAll(async () => {
    stage = await Stage.open({ hasFaults: true });
  });

  afterAll(() => stage.close());

  /** Fires due triggers, and returns the completions of the plain runs, one of which blocks another trigger. */
  async function fired(scene: Scene): Promise<readonly Completion[]> {
    const firings = (await scene.mine.fireDue()).filter(({ trigger }) => PLAIN.includes(trigger.key.name));
    expect(firings).toHaveLength(PLAIN.length);
    return completing(firings, scene);
  }

  async function begun(): Promise<Scene> {
    const gates: GatedDriver[] = [];
    const scene = await stage.scene(NOTHING, (driver) => {
      const gated = new GatedDriver(driver, 'unblockIdleTriggers');
      gates.push(gated);
      return gated;
    });
    gate = gates[0] as GatedDriver;
    await stage.sendRegular();
    return scene;
  }

  /** Rows after the same runs have ended in transactions. */
  async function expectedRows(change: (scene: Scene) => Promise<unknown> = async () => undefined) {
    const scene = await stage.scene(NOTHING, withoutScripts);
    const completions = await fired(scene);
    await change(scene);
    await scene.mine.store.completeTriggers(completions);
    return rowsOf(scene.bystander, scene.schedName);
  }

  it('stores the same rows as a transaction, and announces when the unblocked triggers are due', async () => {
    const scene = await begun();
    const completions = await fired(scene);
    const earliest: (number | null)[] = [];
    await scene.mine.store.open((time) => earliest.push(time));
    await scene.mine.store.completeTriggers(completions);
    expect(gate.answers).toHaveLength(1);
    expect(await rowsOf(scene.bystander, scene.schedName)).toEqual(await expectedRows());
    expect(earliest).toHaveLength(1);
    expect(earliest[0]).toBeLessThanOrEqual(scene.mine.now);
  });

  it.each<FlushFault>(['lost', 'answerLost', 'late'])('completes each run once if its flush is %s', async (fault) => {
    const scene = await begun();
    const { mine } = scene;
    const completions = await fired(scene);
    const earliest: (number | null)[] = [];
    await mine.store.open((time) => earliest.push(time));
    gate.at('flush', async () => stage.packets?.faultNextFlush(fault));
    gate.at('lookUp', async () => undefined);
    const outcomes = await mine.store.completeTriggers(completions);
    expect(gate.clear()).toEqual([]);
    expect(earliest).toHaveLength(1); // so that the node fires what it has unblocked
    await stage.packets?.deliver();
    expect(outcomes).toEqual(completions.map(() => expect.objectContaining({ status: 'completed' })));
    const expected = await expectedRows();
    expect(await rowsOf(scene.bystander, scene.schedName)).toEqual(expected);
    const again = await mine.store.completeTriggers(completions);
    expect(again).toEqual(completions.map(() => expect.objectContaining({ status: 'fenced' })));
    expect(await rowsOf(scene.bystander, scene.schedName)).toEqual(expected);
  });

  it.each([
    ['lost', 'fenced'],
    ['answerLost', 'completed'],
    ['late', 'fenced'],
  ] as const)('whose flush is %s leaves its runs %s after a recovery', async (fault, status) => {
    const scene = await begun();
    const { mine, peer } = scene;
    const completions = await fired(scene);
    const record = await mine.record();
    gate.at('flush', async () => stage.packets?.faultNextFlush(fault));
    gate.at('lookUp', async () => {
      await peer.stores.cluster.recoverInstance(record, RECOVERY);
    });
    const outcomes = await mine.store.completeTriggers(completions);
    const rows = await rowsOf(scene.bystander, scene.schedName);
    await stage.packets?.deliver();
    expect(outcomes).toEqual(completions.map(() => expect.objectContaining({ status })));
    expect(await rowsOf(scene.bystander, scene.schedName)).toEqual(rows);
  });

  const replacing = (name: string, fields: Parameters<typeof job>[1], { peer }: Scene) =>
    peer.applyOne({ type: 'storeJob', job: job(name, fields), ifExists: 'replace', requireTrigger: false });

  it('unblocks no trigger of a job that still executes', async () => {
    const change = async (scene: Scene) => {
      await replacing('serial', {}, scene);
      expect((await scene.peer.fireDue()).map(({ trigger }) => trigger.key.name)).toContain('serial 2');
      await replacing('serial', { disallowConcurrentExecution: true }, scene);
    };
    const scene = await begun();
    const completions = await fired(scene);
    await change(scene);
    await scene.mine.store.completeTriggers(completions);
    expect(gate.answers).toEqual([expect.any(Array)]);
    const rows = await rowsOf(scene.bystander, scene.schedName);
    expect(rows.filter((row) => row.includes('serial 1') && row.includes('BLOCKED'))).toHaveLength(1);
    expect(rows).toEqual(await expectedRows(change));
  });

  it('stores nothing if a job has become non-concurrent, and a transaction completes the runs', async () => {
    const change = (scene: Scene) => replacing('plain', { disallowConcurrentExecution: true }, scene);
    const scene = await begun();
    const completions = await fired(scene);
    await change(scene);
    const outcomes = await scene.mine.store.completeTriggers(completions);
    expect(outcomes).toEqual(completions.map(() => expect.objectContaining({ status: 'completed' })));
    expect(gate.answers).toEqual([null]);
    expect(await rowsOf(scene.bystander, scene.schedName)).toEqual(await expectedRows(change));
  });
});
