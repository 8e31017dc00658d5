import type { AcquiredTrigger, TriggerFiring } from '../../../src/domain/firing';
import { everyMinute, job, MINUTE, NOW } from '../../conformance/samples';
import { expectFired, namesOf } from '../../conformance/store-driver';
import { type DefectNode, describeOnSqlStores, Executions } from './support/defect-cluster';

const serial = (fields = {}) => job('serial', { disallowConcurrentExecution: true, ...fields });

/** Defects of Quartz: a job that disallows concurrent execution ran twice at once, in healthy clusters and after a paused process. */
describeOnSqlStores('a non-concurrent job', (cluster) => {
  describe('when one node releases a trigger of it while another node executes it', () => {
    let held: AcquiredTrigger;
    let lost: AcquiredTrigger;

    beforeEach(async () => {
      await cluster.a.schedule(serial(), everyMinute('one', { priority: 9 }), everyMinute('two'));
      held = await cluster.a.acquireOne();
      lost = await cluster.b.acquireOne();
      expect(namesOf([held, lost])).toEqual(['one', 'two']);
    });

    const expectBlocked = async (firing: TriggerFiring) => {
      const { a, c } = cluster;
      await expect(Promise.all([c.state('one'), c.state('two')])).resolves.toEqual(['BLOCKED', 'BLOCKED']);
      expect([await c.acquire(), await c.fireDue()]).toEqual([[], []]);
      await a.complete(firing);
      expect((await c.fireOne()).trigger.key.name).toBe('two');
    };

    it('keeps its other trigger blocked until the execution ends', async () => {
      const { a, b } = cluster;
      const [firing] = (await a.fire(held)).map(expectFired) as [TriggerFiring];
      expect(await b.fire(lost)).toMatchObject([{ status: 'notFired' }]);
      await b.store.releaseTriggers([lost]);
      await expectBlocked(firing);
    });

    it('keeps its other trigger blocked if the release comes during the firing', async () => {
      const { a, b, untilWaiting } = cluster;
      const firing = a.steps.holdAt('commit');
      const fired = a.fire(held);
      await firing.reached;
      const released = b.store.releaseTriggers([lost]);
      await untilWaiting();
      firing.go();
      await released;
      await expectBlocked(expectFired((await fired)[0] as never));
    });

    it('keeps its other trigger blocked if the firing comes during the release', async () => {
      const { a, b, untilWaiting } = cluster;
      const releasing = b.steps.holdAt('commit');
      const released = b.store.releaseTriggers([lost]);
      await releasing.reached;
      const fired = a.fire(held);
      await untilWaiting();
      releasing.go();
      await released;
      await expectBlocked(expectFired((await fired)[0] as never));
    });
  });

  it('does not overlap while three nodes reserve, fire, lose and release four triggers in turns', async () => {
    const nodes = [cluster.a, cluster.b, cluster.c];
    const triggers = ['t1', 't2', 't3', 't4'].map((name) =>
      everyMinute(name, { misfireInstruction: 'IGNORE_MISFIRE_POLICY' }),
    );
    await cluster.a.schedule(serial(), ...triggers);
    const executions = new Executions();
    const running: { readonly node: DefectNode; readonly firing: TriggerFiring }[] = [];
    for (let round = 0; round < 12; round++) {
      const reserved = [];
      for (const node of nodes) {
        node.now = NOW + round * MINUTE;
        reserved.push(await node.acquire({ maxCount: 2 }));
      }
      for (let turn = 0; turn < 3; turn++) {
        const at = (round + turn) % 3;
        const [node, own] = [nodes[at] as DefectNode, reserved[at] ?? []];
        for (const result of own.length === 0 ? [] : await node.fire(...own)) {
          if (result.status !== 'fired') continue;
          executions.begin(result.firing);
          running.push({ node, firing: result.firing });
        }
        await node.store.releaseTriggers(own);
      }
      if (round % 2 === 1) {
        for (const { node, firing } of running.splice(0)) {
          executions.end(firing);
          await node.complete(firing);
        }
      }
    }
    expect(executions.count).toBeGreaterThanOrEqual(6);
    expect(executions).toMatchObject({ overlaps: 0, duplicates: 0 });
    await expect(cluster.a.cluster.sweep(100)).resolves.toEqual({ released: 0, unblocked: 0 });
  });

  it('is never unblocked by the late completion of a recovered node', async () => {
    const { a, b, c } = cluster;
    await a.schedule(serial({ persistJobDataAfterExecution: true }), everyMinute());
    const executions = new Executions();
    const zombie = await a.fireOne();
    await b.recover(a);
    for (let round = 1; round <= 3; round++) {
      const [owner, other] = round % 2 === 0 ? [c, b] : [b, c];
      for (const node of [b, c]) node.now = NOW + round * MINUTE;
      const firing = await owner.fireOne();
      executions.begin(firing);
      expect(await a.complete(zombie, 'NOOP', { jobData: { by: 'zombie' } })).toMatchObject({ status: 'fenced' });
      await expect(c.state()).resolves.toBe('BLOCKED');
      other.now += MINUTE;
      executions.begin(...(await other.fireDue()));
      executions.end(firing);
      expect(await owner.complete(firing, 'NOOP', { jobData: { by: 'owner' } })).toMatchObject({ status: 'completed' });
    }
    expect(executions).toMatchObject({ count: 3, overlaps: 0, duplicates: 0 });
    expect((await a.job('serial'))?.data).toEqual({ by: 'owner' });
  });

  it('continues once if a completion and the recovery of its node race', async () => {
    const { a, b, c, untilWaiting } = cluster;
    await a.schedule(serial({ requestsRecovery: true }), everyMinute());
    const first = await a.fireOne();
    const completing = a.steps.holdAt('commit');
    const completed = a.complete(first);
    await completing.reached;
    const recovered = b.recover(a);
    await untilWaiting();
    completing.go();
    expect(await completed).toMatchObject({ status: 'completed' });
    expect(await recovered).toMatchObject({ recovered: [], lost: 0 });

    b.now = c.now = NOW + MINUTE;
    const second = await b.fireOne();
    const recovering = c.steps.holdAt('commit');
    const taken = c.recover(b);
    await recovering.reached;
    const late = b.complete(second);
    await untilWaiting();
    recovering.go();
    expect(await taken).toMatchObject({ recovered: [{}], lost: 0 });
    expect(await late).toMatchObject({ status: 'fenced' });
    expect(await c.fireDue()).toMatchObject([{ recovering: true }]);
  });

  it('stays blocked until both executions have ended if it became non-concurrent during them', async () => {
    const { a, b, c } = cluster;
    await a.schedule(job('serial'), everyMinute('one'), everyMinute('two'));
    const [first, second] = [await a.fireOne(), await b.fireOne()];
    await c.applyOne({ type: 'storeJob', job: serial(), ifExists: 'replace', requireTrigger: false });
    for (const node of [a, b, c]) node.now = NOW + MINUTE;
    await a.complete(first);
    expect([await c.state('one'), await c.state('two'), await c.fireDue()]).toEqual(['BLOCKED', 'BLOCKED', []]);
    await b.complete(second);
    expect(await c.fireDue()).toHaveLength(1);
  });

  it('does not run its recovery and its trigger at the same time', async () => {
    const { a, b, c } = cluster;
    await a.schedule(serial({ requestsRecovery: true }), everyMinute());
    await a.fireOne();
    await b.recover(a);
    b.now = c.now = NOW + MINUTE;
    const [one, two] = [await b.acquireOne(), await c.acquireOne()];
    const [first] = (await b.fire(one)).map(expectFired) as [TriggerFiring];
    expect(await c.fire(two)).toMatchObject([{ status: 'notFired' }]);
    expect(await c.fireDue()).toEqual([]);
    await b.complete(first, 'DELETE_TRIGGER');
    expect(namesOf(await c.fireDue())).toEqual(namesOf([two]));
  });
});
