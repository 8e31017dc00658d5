import type { TriggerFiring } from '../../../src/domain/firing';
import { StaleRead } from '../../../src/store/sql/runtime/retry-rules';
import { SqlError } from '../../../src/store/sql/runtime/sql-driver';
import { everyMinute, HOUR, job, MINUTE, NOW, SECOND } from '../../conformance/samples';
import { expectFired } from '../../conformance/store-driver';
import { type DefectNode, describeOnSqlStores, Executions } from './support/defect-cluster';

/** Detected by counting changed rows, or by the server (error 1020) if a snapshot must not be older than the written row. */
const cameTooLate = (error: unknown) =>
  error instanceof StaleRead || (error instanceof SqlError && error.databaseCode.includes('1020'));

/** Defects of Quartz: a trigger that was read before the lock was acquired, or before another node fired it, was fired again. */
describeOnSqlStores('a trigger that another node has changed since it was read', (cluster) => {
  describe('while this node waited for the lock', () => {
    it('is not recovered as a misfire again', async () => {
      const { a, b, untilWaiting } = cluster;
      await a.scheduleAll(everyMinute('trigger', { misfireInstruction: 'FIRE_NOW' }));
      b.now = NOW + 59 * SECOND;
      a.now = NOW + 61 * SECOND;
      const firing = b.steps.holdAt('commit');
      const fired = b.fireOne();
      await firing.reached;
      const recovered = a.recoverMisfires(); // has read without the lock that there is a misfire
      await untilWaiting();
      firing.go();
      expect(await recovered).toMatchObject({ misfired: [], more: false });
      expect((await fired).scheduledFireTime).toBe(NOW);
      expect(await b.trigger()).toMatchObject({ previousFireTime: NOW, nextFireTime: NOW + MINUTE, timesTriggered: 1 });
      expect([a.steps.failures, await b.firedRows()]).toEqual([[], 1]);
    });

    it('is not acquired again', async () => {
      const { a, b, untilWaiting } = cluster;
      await a.scheduleAll(everyMinute());
      const firing = b.steps.holdAt('commit');
      const fired = b.fireOne();
      await firing.reached;
      const acquired = a.acquire({ fireWithin: 0 });
      await untilWaiting();
      firing.go();
      await fired;
      expect([await acquired, a.steps.failures]).toEqual([[], []]);
    });

    it.each([
      ['concurrent', false],
      ['non-concurrent', true],
    ])('is not recovered if its %s job has ended', async (_, disallowConcurrentExecution) => {
      const { a, b, untilWaiting } = cluster;
      await a.schedule(job('job', { requestsRecovery: true, disallowConcurrentExecution }), everyMinute());
      const firing = await a.fireOne();
      const seen = await a.record();
      const completing = a.steps.holdAt('commit');
      const completed = a.complete(firing);
      await completing.reached;
      const recovered = b.cluster.recoverInstance(seen, { maxRecoveryAttempts: 3, maxHandOvers: 10 });
      await untilWaiting(disallowConcurrentExecution ? 'QRTZ_LOCKS' : 'QRTZ_FIRED_TRIGGERS');
      completing.go();
      expect(await completed).toMatchObject({ status: 'completed' });
      expect(await recovered).toMatchObject({ released: 0, recovered: [], exhausted: [], lost: 0 });
      expect([await b.fireDue(), await b.state(), await b.firedRows()]).toEqual([[], 'WAITING', 0]);
    });
  });

  describe('while this node was about to take it', () => {
    /** `b` fires and completes between the read and the write of `a`. */
    const fireWhile = async (
      step: 'insertReservations' | 'insertFirings',
      taking: (a: DefectNode) => Promise<unknown>,
    ) => {
      const { a, b, untilWaiting } = cluster;
      const executions = new Executions();
      await a.scheduleAll(everyMinute());
      const hold = a.steps.holdAt(step);
      const taken = taking(a);
      await hold.reached;
      const fireAndComplete = async () => {
        for (const firing of await b.fireDue()) {
          executions.begin(firing);
          await b.complete(firing);
        }
      };
      const whole = fireAndComplete();
      await (a.steps.takesLocks ? untilWaiting() : whole);
      hold.go();
      await taken;
      await whole;
      return executions;
    };

    it.each(['with the lock', 'without it'])('is fired once, %s', async (mode) => {
      const { a, b, server } = cluster;
      if (mode === 'without it' && server !== null) a.steps.ignoreLocks();
      const firings: TriggerFiring[] = [];
      const executions = await fireWhile('insertFirings', async () => firings.push(...(await a.fireDue())));
      executions.begin(...firings);
      expect(executions).toMatchObject({ count: 1, duplicates: 0 });
      expect(await b.trigger()).toMatchObject({ nextFireTime: NOW + MINUTE, timesTriggered: 1 });
      expect(a.steps.failures.map(cameTooLate)).toEqual(a.steps.takesLocks ? [] : [true]);
    });

    it.each(['with the lock', 'without it'])('is reserved once, %s', async (mode) => {
      const { a, b, server } = cluster;
      if (mode === 'without it' && server !== null) a.steps.ignoreLocks();
      let reserved: Awaited<ReturnType<DefectNode['acquire']>> = [];
      const executions = await fireWhile('insertReservations', async () => {
        reserved = await a.acquire();
      });
      const results = await a.fire(...reserved);
      executions.begin(...results.map(expectFired));
      expect(executions).toMatchObject({ count: 1, duplicates: 0 });
      expect((await b.trigger()).nextFireTime).toBe(NOW + MINUTE);
    });
  });

  describe('after this node reserved it', () => {
    it('is not fired by the first reservation if it was reserved again for the same time', async () => {
      const { a, b, c } = cluster;
      await a.scheduleAll(everyMinute());
      const first = await a.acquireOne();
      await b.register(everyMinute('trigger', { priority: 9 })); // ends the reservation, keeps the fire time
      const second = await c.acquireOne();
      expect(second.trigger.nextFireTime).toBe(first.trigger.nextFireTime);
      expect(await a.fire(first)).toMatchObject([{ status: 'notFired' }]);
      await a.store.releaseTriggers([first]);
      await expect(b.state()).resolves.toBe('ACQUIRED');
      expect(await c.fire(second)).toMatchObject([{ status: 'fired', firing: { scheduledFireTime: NOW } }]);
      expect((await b.trigger()).nextFireTime).toBe(NOW + MINUTE);
    });

    it('is not fired by the first reservation if it fired and was reserved again for a later time', async () => {
      const { a, b, c } = cluster;
      await a.scheduleAll(everyMinute());
      const first = await a.acquireOne();
      await b.recover(a);
      await b.complete(await b.fireOne());
      const later = await c.acquireOne();
      expect(later.trigger.nextFireTime).toBe(NOW + MINUTE);
      expect(await a.fire(first)).toMatchObject([{ status: 'notFired' }]);
      await a.store.releaseTriggers([first]);
      expect([await b.state(), (await b.trigger()).nextFireTime]).toEqual(['ACQUIRED', NOW + MINUTE]);
      expect(await c.fire(later)).toMatchObject([{ status: 'fired', firing: { scheduledFireTime: NOW + MINUTE } }]);
    });

    it('is not fired in its old form after a replacement, and its new form is not lost', async () => {
      const { a, b, c } = cluster;
      await a.scheduleAll(everyMinute());
      const old = await a.acquireOne();
      await b.register(everyMinute('trigger', { startTime: NOW + HOUR, repeatInterval: HOUR }));
      const renewed = await c.acquireOne();
      expect(await a.fire(old)).toMatchObject([{ status: 'notFired' }]);
      expect(await c.fire(renewed)).toMatchObject([{ status: 'fired', firing: { scheduledFireTime: NOW + HOUR } }]);
      expect((await b.trigger()).nextFireTime).toBe(NOW + 2 * HOUR);
    });
  });

  it('is handled by one node if it misfires for one and fires on another at the same time', async () => {
    const { a, b, server } = cluster;
    await a.scheduleAll(everyMinute('trigger', { misfireInstruction: 'RESCHEDULE_NEXT_WITH_REMAINING_COUNT' }));
    if (server !== null) a.steps.ignoreLocks();
    a.now = NOW + 3 * MINUTE; // its clock is ahead
    const hold = a.steps.holdAt('advanceTriggers');
    const recovered = a.recoverMisfires();
    await hold.reached;
    const fired = b.fireDue();
    if (server !== null) await fired;
    hold.go();
    const [{ misfired }, firings] = [await recovered, await fired];
    const handled = [
      ...misfired.map(({ nextFireTime }) => nextFireTime),
      ...firings.map(({ scheduledFireTime }) => scheduledFireTime),
    ];
    expect(handled[0]).toBe(server === null ? NOW : NOW + MINUTE);
    expect(new Set(handled).size).toBe(handled.length);
    expect(a.steps.failures.map(cameTooLate)).toEqual(server === null ? [] : [true]);
    expect((await b.trigger()).nextFireTime).toBeGreaterThan(NOW + MINUTE);
  });
});
