import { everyMinute, job, NOW, once } from '../../conformance/samples';
import { storing } from '../../conformance/store-driver';
import { type DefectNode, describeOnSqlStores, RECOVERY } from './support/defect-cluster';

/**
 * What was asked of a node in one life is not done in the next: its result would be withdrawn, and the fired rows would be those of
 * a node that lives and that nobody recovers.
 */
describeOnSqlStores('work that was asked for in a life that has ended', (cluster) => {
  /** The first attempt finds no connection; before the second, another node takes this one for dead, and it joins again. */
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

  it('fires no reservation of that life', async () => {
    const { a, b } = cluster;
    await a.schedule(job('job'), everyMinute());
    const reserved = await a.acquireOne();
    endLifeMeanwhile(a);
    expect(await a.fire(reserved)).toMatchObject([{ status: 'notFired' }]);
    expect(await a.firedRows()).toBe(0);
    expect(await b.fireDue()).toMatchObject([{ scheduledFireTime: NOW }]);
  });

  it('changes the schedule and fires nothing with that', async () => {
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

  it('is done in the life that it is asked for in', async () => {
    const { a } = cluster;
    await a.schedule(job('job'), everyMinute());
    a.steps.at('begin', () => a.steps.loseConnections(1));
    expect(await a.fireDue()).toMatchObject([{ scheduledFireTime: NOW }]);
  });
});

describeOnSqlStores('firings of a node that lives and does not hold them', (cluster) => {
  it('are recovered: given back, run again where the job asks for it, and lost otherwise', async () => {
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
    expect(await b.fireDue()).toHaveLength(2); // the recovery and what was given back
  });

  it('are left to their own life when it has ended', async () => {
    const { a, b } = cluster;
    await a.schedule(job('job'), everyMinute());
    const entries = (await a.fireDue()).map(({ runId }) => runId);
    await b.recover(a);
    await expect(a.cluster.recoverUnheld(a.identity, entries, RECOVERY)).resolves.toBeNull();
  });
});
