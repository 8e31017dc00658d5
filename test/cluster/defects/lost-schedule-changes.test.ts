import type { ScheduleChange } from '../../../src/domain/schedule-change';
import { everyMinute, job, MINUTE, NOW } from '../../conformance/samples';
import { storing } from '../../conformance/store-driver';
import { allTriggers } from '../../support/all-stored';
import { describeOnSqlStores } from './support/defect-cluster';

/** A schedule change has no fired row that shows whether its commit arrived, so it stores a mark. */
describeOnSqlStores('a schedule change whose commit gets no response', (cluster) => {
  type Fault = 'cutBefore' | 'cutAfter' | 'late';
  const FAULTS: readonly Fault[] = ['cutBefore', 'cutAfter', 'late'];

  const loseNextCommit = (fault: Fault) => {
    const { a, proxy } = cluster;
    if (proxy === null) a.steps.loseCommit(fault === 'cutBefore' ? 'lost' : 'arrived');
    else proxy.faultNextCommit(fault);
  };

  const onWire = async <T>(fault: Fault, work: () => Promise<T>): Promise<T> => {
    const { proxy, untilWaiting } = cluster;
    loseNextCommit(fault);
    const faulted = proxy?.commitFaulted();
    const working = work();
    if (proxy !== null && fault === 'late') {
      await faulted; // before the commit, the transaction itself may wait for the lock
      await untilWaiting(); // the check of the commit waits for the lock, because the old transaction has not ended
      proxy.deliver();
    }
    return working;
  };

  const storeJob: ScheduleChange = { type: 'storeJob', job: job(), ifExists: 'fail', requireTrigger: true };
  describe.each(FAULTS)('with the fault %s', (fault) => {
    it('is applied once, and returns its result', async () => {
      const { a, b } = cluster;
      const outcomes = await onWire(fault, () => a.apply(storeJob, storing(everyMinute('new'))));
      expect(outcomes.map(({ status }) => status)).toEqual(['created', 'created']);
      expect(a.announced).toEqual([NOW]);
      expect(await b.state('new')).toBe('WAITING');
      expect(await b.fireDue()).toHaveLength(1);
    });

    it('replaces or deletes a trigger only once', async () => {
      const { a, b } = cluster;
      await a.schedule(job('job', { durable: true }), everyMinute('t'));
      const replace: ScheduleChange = {
        type: 'storeTrigger',
        trigger: everyMinute('t', { priority: 7 }),
        ifExists: 'replace',
        startTimeDefaulted: false,
      };
      const [outcome] = await onWire(fault, () => a.apply(replace));
      expect(outcome?.status).toBe('replaced');
      expect(await b.trigger('t')).toMatchObject({ priority: 7 });
      const deleted = await onWire(fault, () => a.applyOne({ type: 'deleteTrigger', key: everyMinute('t').key }));
      expect(deleted.status).toBe('deleted');
      expect(await b.find('t')).toBeNull();
    });

    it('pauses and resumes only once', async () => {
      const { a, b } = cluster;
      await a.scheduleAll(everyMinute('t'));
      const all = { operator: 'equals', value: 'DEFAULT' } as const;
      expect(await onWire(fault, () => a.store.pauseTriggers(all))).toEqual(['DEFAULT']);
      expect(await b.state('t')).toBe('PAUSED');
      a.announced = [];
      a.now = NOW + MINUTE / 2;
      await onWire(fault, () => a.store.resumeTriggers(all, a.options));
      expect([await b.state('t'), a.announced.length]).toEqual(['WAITING', 1]);
    });

    it('is distinguished from later changes of the same process and from changes of other nodes', async () => {
      const { a, b } = cluster;
      await a.apply({ ...storeJob, requireTrigger: false });
      const names = Array.from({ length: 6 }, (_, at) => `t${at}`);
      const all = onWire(fault, () => Promise.all(names.map((name) => a.applyOne(storing(everyMinute(name))))));
      const theirs = Promise.all(['u0', 'u1', 'u2'].map((name) => b.applyOne(storing(everyMinute(name)))));
      expect((await all).map(({ status }) => status)).toEqual(names.map(() => 'created'));
      expect((await theirs).map(({ status }) => status)).toEqual(['created', 'created', 'created']);
      expect((await allTriggers(b.store)).total).toBe(9);
    });
  });

  it('is applied once and not reported as failed, also if it happens repeatedly', async () => {
    const { a, b } = cluster;
    await a.apply({ ...storeJob, requireTrigger: false });
    for (let round = 0; round < 24; round++) {
      if (round % 3 !== 2) loseNextCommit(round % 3 === 0 ? 'cutBefore' : 'cutAfter');
      expect((await a.applyOne(storing(everyMinute(`t${round}`)))).status).toBe('created');
    }
    expect((await allTriggers(b.store)).total).toBe(24);
  });
});
