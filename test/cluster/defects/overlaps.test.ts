import type { AcquiredTrigger, TriggerFiring } from '../../../src/domain/firing';
import { everyMinute, job, MINUTE, NOW } from '../../conformance/samples';
import { expectFired, namesOf } from '../../conformance/store-driver';
import { type DefectNode, describeOnSqlStores, Executions } from './support/defect-cluster';

const serial = (fields = {}) => job('serial', { disallowConcurrentExecution: true, ...fields });

/** Q1 and Q2: a job that disallows concurrent execution ran twice at once, in healthy clusters and after one pause. */
describeOnSqlStores('a non-concurrent job never overlaps', (cluster) => {
  describe('Q1: when a node gives back a trigger of it while another executes it', () => {
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

    it('the other trigger stays blocked until the execution ends', async () => {
      const { a, b } = cluster;
      const [firing] = (await a.fire(held)).map(expectFired) as [TriggerFiring];
      expect(await b.fire(lost)).toMatchObject([{ status: 'notFired' }]);
      await b.store.releaseTriggers([lost]);
      await expectBlocked(firing);
    });

    it('also when it gives it back in the middle of the firing', async () => {
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

    it('also when the firing comes in the middle of giving it back', async () => {
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

  it('Q1: three nodes take, fire, lose and give back four triggers of one job in turns', async () => {
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

  it('Q2: the completion of a node that was replaced frees nothing, time after time', async () => {
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

  it('Q2: a completion and the recovery of its node at once: one of them has the firing, and the job goes on once', async () => {
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

  it('Q2: the first of two executions to end frees nothing of a job that has become non-concurrent', async () => {
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

  it('a recovery and the trigger it stands for do not run beside each other', async () => {
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
