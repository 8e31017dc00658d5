import { everyMinute, job, NOW, once } from '../../conformance/samples';
import { storing } from '../../conformance/store-driver';
import { type DefectNode, describeOnSqlStores, RECOVERY } from './support/defect-cluster';

/**
 * Work that a node requested before it was recovered is not done after it has joined again: the caller would discard the result, and the fired rows
 * would belong to a live node, so that no node recovers them.
 */
describeOnSqlStores('work requested before the node was recovered and joined again', (cluster) => {
  /** Loses the connection of the first attempt. Before the second attempt, another node recovers this node, which joins again. */
  function endLifeMeanwhile(a: DefectNode): void {
    a.steps.at('begin', async () => {
      await cluster.b.recover(a);
      await a.cluster.join({ ...a.identity, epoch: 'second' }, null, RECOVERY);
      a.steps.loseConnections(1);
    });
  }

  it.each([
    ['reserves nothing', null],
    ['fires nothing', 0],
  ] as const)('%s', async (_, fireWithin) => {
    const { a, b } = cluster;
    await a.schedule(job('serial', { disallowConcurrentExecution: true }), everyMinute());
    endLifeMeanwhile(a);
    await expect(a.store.acquireTriggers(a.request({ fireWithin }))).resolves.toEqual({ acquired: [], fired: [] });
    expect(await a.firedRows()).toBe(0);
    expect(await b.fireDue()).toMatchObject([{ scheduledFireTime: NOW }]);
  });

  it('fires no earlier reservation', async () => {
    const { a, b } = cluster;
    await a.schedule(job('job'), everyMinute());
    const reserved = await a.acquireOne();
    endLifeMeanwhile(a);
    expect(await a.fire(reserved)).toMatchObject([{ status: 'notFired' }]);
    expect(await a.firedRows()).toBe(0);
    expect(await b.fireDue()).toMatchObject([{ scheduledFireTime: NOW }]);
  });

  it('changes the schedule, but fires nothing with the change', async () => {
    const { a, b } = cluster;
    endLifeMeanwhile(a);
    const changes = [
      { type: 'storeJob', job: job('job'), ifExists: 'fail', requireTrigger: false },
      storing({ ...once('now'), jobKey: job('job').key }),
    ] as const;
    const applied = a.store.applySchedule(changes, { ...a.options, fireNow: { maxCount: 1, jobTypes: ['sample'] } });
    await expect(applied).resolves.toMatchObject({ outcomes: [{}, {}], fired: [] });
    expect(await a.firedRows()).toBe(0);
    expect(await b.fireDue()).toMatchObject([{ scheduledFireTime: NOW }]);
  });

  it('is done after a lost connection if the node was not recovered', async () => {
    const { a } = cluster;
    await a.schedule(job('job'), everyMinute());
    a.steps.at('begin', () => a.steps.loseConnections(1));
    expect(await a.fireDue()).toMatchObject([{ scheduledFireTime: NOW }]);
  });
});

describeOnSqlStores('firings that a live node does not hold', (cluster) => {
  it('are released, recovered if the job requests recovery, and lost otherwise', async () => {
    const { a, b } = cluster;
    await a.schedule(job('again', { requestsRecovery: true }), everyMinute('again', { priority: 9 }));
    await a.schedule(job('serial', { disallowConcurrentExecution: true }), everyMinute('serial', { priority: 8 }));
    const [kept] = await a.fireDue({ maxCount: 1 });
    const [again] = await a.fireDue({ maxCount: 1 });
    await a.schedule(job('later'), everyMinute('later', { nextFireTime: NOW }));
    const [reserved] = await a.acquire();
    const entries = await a.cluster.findFiringsOf(a.identity);
    expect(new Set(entries)).toEqual(new Set([kept, again, reserved].map((each) => each?.runId)));
    const report = await a.cluster.recoverUnheld(a.identity, entries, RECOVERY);
    expect(report).toMatchObject({ instanceId: 'a', released: 1, lost: 1 });
    expect(report?.recovered).toHaveLength(1);
    expect(await a.cluster.findFiringsOf(a.identity)).toEqual([]);
    expect(await b.fireDue()).toHaveLength(2); // the recovery and the released trigger
  });

  it('are ignored after another node has recovered them', async () => {
    const { a, b } = cluster;
    await a.schedule(job('job'), everyMinute());
    const entries = (await a.fireDue()).map(({ runId }) => runId);
    await b.recover(a);
    await expect(a.cluster.recoverUnheld(a.identity, entries, RECOVERY)).resolves.toBeNull();
  });
});
