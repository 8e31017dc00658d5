import type { ScheduleChange } from '../../../src/domain/schedule-change';
import { everyMinute, job, MINUTE, NOW } from '../../conformance/samples';
import { storing } from '../../conformance/store-driver';
import { describeOnSqlStores } from './support/defect-cluster';

/** A change of the schedule leaves no fired row by which it could be found again: a mark beside it must tell. */
describeOnSqlStores('a change of the schedule whose commit gets no answer', (cluster) => {
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
      await faulted; // before it, the transaction itself can be seen as it takes the lock
      await untilWaiting(); // who asks what became of it waits for the lock: the old transaction has not ended
      proxy.deliver();
    }
    return working;
  };

  const storeJob: ScheduleChange = { type: 'storeJob', job: job(), ifExists: 'fail', requireTrigger: true };
  describe.each(FAULTS)('%s', (fault) => {
    it('is applied once, and its result is told', async () => {
      const { a, b } = cluster;
      const outcomes = await onWire(fault, () => a.apply(storeJob, storing(everyMinute('new'))));
      expect(outcomes.map(({ status }) => status)).toEqual(['created', 'created']);
      expect(a.announced).toEqual([NOW]);
      expect(await b.state('new')).toBe('WAITING');
      expect(await b.fireDue()).toHaveLength(1);
    });

    it('is not replaced or deleted twice', async () => {
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

    it('pauses and resumes once', async () => {
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

    it('is told apart from what comes after it in the same process, and from what others change', async () => {
      const { a, b } = cluster;
      await a.apply({ ...storeJob, requireTrigger: false });
      const names = Array.from({ length: 6 }, (_, at) => `t${at}`);
      const all = onWire(fault, () => Promise.all(names.map((name) => a.applyOne(storing(everyMinute(name))))));
      const theirs = Promise.all(['u0', 'u1', 'u2'].map((name) => b.applyOne(storing(everyMinute(name)))));
      expect((await all).map(({ status }) => status)).toEqual(names.map(() => 'created'));
      expect((await theirs).map(({ status }) => status)).toEqual(['created', 'created', 'created']);
      expect((await b.store.queryTriggers({ skip: 0, take: 1 })).total).toBe(9);
    });
  });

  it('again and again: every change is applied once, and none is told of as failed', async () => {
    const { a, b } = cluster;
    await a.apply({ ...storeJob, requireTrigger: false });
    for (let round = 0; round < 24; round++) {
      if (round % 3 !== 2) loseNextCommit(round % 3 === 0 ? 'cutBefore' : 'cutAfter');
      expect((await a.applyOne(storing(everyMinute(`t${round}`)))).status).toBe('created');
    }
    expect((await b.store.queryTriggers({ skip: 0, take: 1 })).total).toBe(24);
  });
});
