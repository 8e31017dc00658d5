import { triggerKey } from '../../../src/domain/keys';
import { everyMinute, everyNoon, job, MINUTE, NOW, once, without } from '../../conformance/samples';
import { storingCalendar } from '../../conformance/store-driver';
import { dailyTimeIntervalTrigger } from '../../support/sample-triggers';
import { type DefectNodes, describeOnSqlStores, RECOVERY } from './support/defect-cluster';
import { empty, operationNames, prepared } from './support/operations';

/** Two schedules in the same tables, with the same names of nodes, jobs and triggers. */
describeOnSqlStores('two scheduler names in the same tables', (cluster) => {
  let other: DefectNodes;
  let before: unknown;

  /** All data of a schedule that its nodes can read. */
  const seen = async ({ a, b, c }: DefectNodes) => {
    const { nodes } = await c.cluster.readNodes();
    const held = await c.steps.transaction('completions', async (tx) => {
      const { schedName } = c.node;
      const rows = [];
      for (const instanceId of ['a', 'b', 'c', 'gone'])
        rows.push(await tx.all('selectFiringsOf', { schedName, instanceId, limit: 1_000 }));
      return rows;
    });
    const { now: _, ...changes } = await c.cluster.watchChanges({
      instanceId: 'c',
      epoch: 'c',
      lookBack: MINUTE,
      isCounted: true,
    });
    const signals = await Promise.all([a, b].map((node) => node.cluster.receiveSignals(node.identity, 0)));
    return { nodes, held, changes, signals, stored: await c.everything() };
  };

  beforeEach(async () => {
    other = await cluster.another();
    const { a, b } = other;
    await a.applyOne(storingCalendar(without()));
    await a.schedule(job('calendar'), everyNoon('c1', { calendarName: 'holidays', startTime: NOW + MINUTE }));
    await a.store.pauseTriggers({ operator: 'equals', value: 'paused' });
    await prepared('firing', { ...cluster, ...other }); // every trigger of `a` is reserved
    await a.apply({ type: 'deleteJob', key: { name: 'serial', group: 'DEFAULT' } });
    await b.schedule(job('serial', { disallowConcurrentExecution: true }), everyMinute('s1'), everyMinute('s2'));
    await b.fireDue();
    await b.schedule(job('waiting'), everyMinute('w1'), once('w2', { startTime: NOW + MINUTE }));
    before = await seen(other);
  });

  it.each(operationNames)('are independent: %s in one does not change the other', async (name) => {
    const operation = await prepared(name, cluster);
    await operation();
    await empty(cluster);
    expect(await seen(other)).toEqual(before);
  });

  it('are independent when one is cleared, left, signalled and recovered', async () => {
    const { a, b, c } = cluster;
    await prepared('firing', cluster);
    await a.applyOne(storingCalendar(without()));
    await b.cluster.sendSignal(['a', 'b', 'c'], { type: 'confirmStarted' });
    await b.cluster.checkIn(b.identity, 5_000);
    await b.recover(a);
    expect(await b.cluster.findOrphans()).toEqual([]);
    await b.cluster.recoverOrphan('a', RECOVERY);
    await c.store.resumeTriggers({ operator: 'any', value: '' }, c.options);
    await c.applyOne({ type: 'clear' });
    expect(await c.everything()).toMatchObject({ jobs: { total: 0 }, triggers: { total: 0 }, calendars: [] });
    await b.cluster.leave(b.identity);
    expect(await seen(other)).toEqual(before);
    expect((await c.cluster.readNodes()).nodes.map(({ instanceId }) => instanceId)).toEqual(['c']);
  });

  it('are independent when one is erased completely', async () => {
    const { a, b, c } = cluster;
    await prepared('firing', cluster); // reserved and executing firings, and all nodes
    await a.applyOne(storingCalendar(without()));
    const later = { startTime: NOW + MINUTE };
    const daily = dailyTimeIntervalTrigger({ ...later, key: triggerKey('daily') });
    await a.schedule(job('kinds'), everyNoon('noon', { ...later, calendarName: 'holidays' }), daily);
    await a.store.pauseTriggers({ operator: 'equals', value: 'paused' });
    await Promise.all([a.cluster.erase(), b.cluster.erase()]);
    const nothing = {
      jobs: { items: [], total: 0 },
      triggers: { items: [], total: 0 },
      pausedGroups: [],
      calendars: [],
    };
    expect(await c.everything()).toMatchObject(nothing);
    expect(await Promise.all([c.firedRows(), c.cluster.readNodes()])).toEqual([
      0,
      { now: expect.any(Number), nodes: [] },
    ]);
    expect(await seen(other)).toEqual(before);
  });

  it('do not recover the orphaned rows of each other', async () => {
    const { a, c } = cluster;
    const { schedName } = other.c.node;
    const [reserved] = (await other.c.steps.transaction('completions', (tx) =>
      tx.all('selectFiringsOf', { schedName, instanceId: 'a', limit: 1_000 }),
    )) as { ENTRY_ID: string }[];
    // One reservation loses its row, which a sweep repairs. The rows of b become orphans, which a recovery repairs.
    const rows = JSON.stringify([{ entryId: reserved?.ENTRY_ID }]);
    await other.c.steps.transaction('completions', (tx) =>
      tx.run('deleteFiringsOf', { schedName, instanceId: 'a', rows }),
    );
    await other.c.steps.transaction('completions', async (tx) => {
      const { lastCheckInTime } = await other.b.record();
      await tx.run('deleteCheckIn', { schedName, instanceId: 'b', lastCheckInTime });
    });
    const stranded = await seen(other);
    expect(await a.cluster.findOrphans()).toEqual([]);
    expect(await c.cluster.recoverOrphan('b', RECOVERY)).toBeNull();
    expect(await a.cluster.sweep(100)).toEqual({ released: 0, unblocked: 0 });
    expect(await seen(other)).toEqual(stranded);
    expect(await other.c.cluster.findOrphans()).toEqual(['b']);
    expect(await other.c.cluster.sweep(100)).toMatchObject({ released: 1 });
  });

  it('do not wait for the locks of each other', async () => {
    if (cluster.server === null) return expect((await other.a.trigger('w1')).key).toEqual(triggerKey('w1'));
    const hold = cluster.a.steps.holdAt('commit');
    const scheduled = cluster.a.scheduleAll(everyMinute());
    await hold.reached;
    expect(await other.c.fireDue()).toHaveLength(1);
    hold.go();
    await scheduled;
  });
});
