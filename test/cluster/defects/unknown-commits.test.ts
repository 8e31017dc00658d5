import type { FireResult } from '../../../src/domain/firing';
import { everyMinute, job, MINUTE, NOW, once, ran } from '../../conformance/samples';
import { expectFired } from '../../conformance/store-driver';
import { describeOnSqlStores, Executions } from './support/defect-cluster';
import { empty, operationNames, outcomeOf, prepared } from './support/operations';

/** A node that does not know whether its commit arrived must check, but not while the old transaction is still open. */
describeOnSqlStores('a commit without a response', (cluster) => {
  describe.each(['arrived', 'lost'] as const)('(%s)', (fault) => {
    it.each(operationNames)('does not change the result of %s', async (name) => {
      const expected = await outcomeOf(await prepared(name, cluster), cluster);
      await empty(cluster);
      const operation = await prepared(name, cluster);
      cluster.a.steps.loseCommit(fault);
      expect(await outcomeOf(operation, cluster)).toEqual(expected);
      await expect(cluster.c.cluster.sweep(100)).resolves.toEqual({ released: 0, unblocked: 0 });
    });
  });

  it('lets only one node execute a firing if its node is recovered in between', async () => {
    const { a, b } = cluster;
    await a.schedule(job('job', { requestsRecovery: true }), everyMinute());
    const reserved = await a.acquireOne();
    const failed = await a.record();
    a.steps.loseCommit('arrived');
    const hold = a.steps.holdAt('commit');
    const fired = a.fire(reserved);
    await hold.reached;
    a.steps.at('begin', async () => {
      await b.cluster.recoverInstance(failed, { maxRecoveryAttempts: 3, maxHandOvers: 10 });
    });
    hold.go();
    expect((await fired).filter(({ status }) => status === 'fired')).toEqual([]);
    expect(await b.fireDue()).toMatchObject([{ recovering: true, scheduledFireTime: NOW }]);
  });

  it('does not complete a run that another node has recovered in between', async () => {
    const { a, b } = cluster;
    await a.schedule(job('job', { requestsRecovery: true }), everyMinute());
    const firing = await a.fireOne();
    const failed = await a.record();
    a.steps.loseCommit('lost');
    const hold = a.steps.holdAt('commit');
    const completed = a.complete(firing, 'NOOP');
    await hold.reached;
    a.steps.at('begin', async () => {
      await b.cluster.recoverInstance(failed, { maxRecoveryAttempts: 3, maxHandOvers: 10 });
    });
    hold.go();
    expect(await completed).toMatchObject({ status: 'fenced' });
    expect(await b.fireDue()).toMatchObject([{ recovering: true, scheduledFireTime: NOW }]);
  });

  it.each([
    ['arrived', 'completed'],
    ['lost', 'fenced'],
  ] as const)('(%s) completes the run with the status %s if its node is recovered in between', async (fault, status) => {
    const { a, b } = cluster;
    await a.schedule(job('job'), everyMinute());
    const firing = await a.fireOne();
    const failed = await a.record();
    a.steps.loseCommit(fault);
    const hold = a.steps.holdAt('commit');
    const completed = a.complete(firing, 'NOOP', { run: ran(firing.runId, { outcome: 'failed' }) });
    await hold.reached;
    a.steps.at('begin', async () => {
      await b.cluster.recoverInstance(failed, { maxRecoveryAttempts: 3, maxHandOvers: 10 });
    });
    hold.go();
    expect(await completed).toMatchObject({ status });
  });

  describe('on the connection', () => {
    type Fault = 'cutBefore' | 'cutAfter' | 'late';
    const onWire = async (fault: Fault, work: () => Promise<unknown>, waitsFor?: string) => {
      const { a, proxy, untilWaiting } = cluster;
      if (proxy === null) a.steps.loseCommit(fault === 'cutBefore' ? 'lost' : 'arrived');
      else proxy.faultNextCommit(fault);
      const working = work();
      if (proxy !== null && fault === 'late') {
        await untilWaiting(waitsFor); // the check of the commit waits, because the old transaction has not ended
        proxy.deliver();
      }
      return working;
    };

    it.each(['cutBefore', 'cutAfter', 'late'] as const)('(%s) fires, reserves and completes once', async (fault) => {
      const { a, b } = cluster;
      await a.schedule(job('serial', { disallowConcurrentExecution: true }), everyMinute());
      const executions = new Executions();
      const reserved = (await onWire(fault, () => a.acquire())) as Awaited<ReturnType<typeof a.acquire>>;
      expect(reserved).toHaveLength(1);
      expect(await b.fireDue()).toEqual([]);
      const results = (await onWire(fault, () => a.fire(...reserved))) as readonly FireResult[];
      const firings = results.map(expectFired);
      executions.begin(...firings);
      expect([await b.fireDue(), await b.firedRows()]).toEqual([[], 1]);
      const completions = firings.map((firing) => ({ firing, instruction: 'NOOP' as const }));
      const outcomes = await onWire(fault, () => a.store.completeTriggers(completions));
      expect(outcomes).toMatchObject([{ status: 'completed' }]);
      b.now = NOW + MINUTE;
      executions.begin(...(await b.fireDue()));
      expect(executions).toMatchObject({ count: 2, duplicates: 0 });
    });

    it.each(['cutBefore', 'cutAfter', 'late'] as const)('(%s) completes an ended trigger once', async (fault) => {
      const { a, b } = cluster;
      await a.schedule(job('job', { durable: true }), once());
      const firing = await a.fireOne();
      const complete = () => a.complete(firing, 'DELETE_TRIGGER');
      const outcome = await onWire(fault, complete, 'QRTZ_FIRED_TRIGGERS');
      expect(outcome).toMatchObject({ status: 'completed', deletedTrigger: true });
      expect([await b.find('trigger'), await b.firedRows()]).toEqual([null, 0]);
    });
  });
});
