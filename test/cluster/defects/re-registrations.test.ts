import type { Trigger } from '../../../src/domain/trigger';
import { everyNoon, HOUR, job, NOW, once, SECOND } from '../../conformance/samples';
import { expectFired } from '../../conformance/store-driver';
import { type DefectNode, describeOnSqlStores, Executions } from './support/defect-cluster';

const START = NOW - HOUR;
const starting = (startTime: number) => everyNoon('trigger', { cronExpression: '0/5 * * * * ?', startTime });

/** A defect of Quartz. In most applications, every node stores its triggers again when it starts. */
describeOnSqlStores('a trigger that is stored again right after it fired', (cluster) => {
  const nodes = () => [cluster.a, cluster.b, cluster.c];
  const at = (now: number) => {
    for (const node of nodes()) node.now = now;
  };

  /** Fires on the first node, stores the trigger again 0.4 s later on the second node, and fires due triggers on the third. */
  const deploy = async (register: (node: DefectNode) => Promise<unknown>, rounds: number) => {
    const executions = new Executions();
    const fire = async (node: DefectNode) => {
      for (const firing of await node.fireDue()) {
        executions.begin(firing);
        await node.complete(firing);
      }
    };
    for (let round = 0; round < rounds; round++) {
      const [first, second, third] = [0, 1, 2].map((turn) => nodes()[(round + turn) % 3]) as DefectNode[];
      at(NOW + round * 5 * SECOND);
      await fire(first as DefectNode);
      at((first?.now ?? 0) + 400);
      await register(second as DefectNode);
      await fire(third as DefectNode);
    }
    return executions;
  };

  const schedule = async () => {
    at(NOW);
    await cluster.a.schedule(job('job', { durable: true }), starting(NOW));
  };

  it.each<[string, (now: number) => Trigger, boolean]>([
    ['unchanged, without a start time', (now) => starting(now), true],
    ['unchanged, with its start time', () => starting(NOW), false],
    ['with the current second as start time', (now) => starting(Math.floor(now / SECOND) * SECOND), false],
    ['with a start time in the past', () => starting(START), false],
    [
      'with another expression for the same times',
      (now) => ({ ...starting(now), cronExpression: '*/5 * * * * ?' }),
      true,
    ],
    [
      'with another priority and description',
      (now) => ({ ...starting(now), priority: 9, description: `${now}` }),
      true,
    ],
  ])('(%s) fires once per fire time', async (_, again, startTimeDefaulted) => {
    await schedule();
    const executions = await deploy((node) => node.register(again(node.now), startTimeDefaulted), 4);
    expect(executions).toMatchObject({ count: 4, duplicates: 0 });
  });

  it('fires once per fire time if its type changes', async () => {
    await schedule();
    let isCron = true;
    const executions = await deploy((node) => {
      isCron = !isCron;
      if (isCron) return node.register(starting(START));
      return node.register(once('trigger', { startTime: NOW, repeatCount: -1, repeatInterval: 5 * SECOND }));
    }, 4);
    expect(executions).toMatchObject({ count: 4, duplicates: 0 });
  });

  it('fires once per fire time if its job is stored too, which does not affect the executing run', async () => {
    await schedule();
    const detail = job('job', { durable: true, disallowConcurrentExecution: true });
    const { a, b, c } = cluster;
    const [firing] = await a.fireDue();
    at(NOW + 400);
    await b.apply(
      { type: 'storeJob', job: detail, ifExists: 'replace', requireTrigger: false },
      { type: 'storeTrigger', trigger: starting(b.now), ifExists: 'replace', startTimeDefaulted: true },
    );
    await expect(c.state()).resolves.toBe('BLOCKED');
    at(NOW + 5 * SECOND);
    expect(await c.fireDue()).toEqual([]);
    expect(await a.complete(firing as never)).toMatchObject({ status: 'completed' });
    expect((await c.fireOne()).scheduledFireTime).toBe(NOW + 5 * SECOND);
  });

  it('fires once if another node fires it at the same time', async () => {
    const { a, b, c, untilWaiting } = cluster;
    await schedule();
    const executions = new Executions();
    const reserved = await a.acquireOne();
    const hold = a.steps.holdAt('commit');
    const fired = a.fire(reserved);
    await hold.reached;
    const registered = b.register({ ...starting(NOW), priority: 9 });
    await untilWaiting();
    hold.go();
    await registered;
    executions.begin(...(await fired).map(expectFired), ...(await c.fireDue()));
    expect(executions).toMatchObject({ count: 1, duplicates: 0 });
    expect(await c.trigger()).toMatchObject({ priority: 9, previousFireTime: NOW, nextFireTime: NOW + 5 * SECOND });
  });
});
