import { jobKey, type TriggerKey, triggerKey } from '../../../src/domain/keys';
import type { TypeRowSweep } from '../../../src/store/cluster-store';
import { everyMinute, everyNoon, HOUR, job, MINUTE, NOW, without } from '../../conformance/samples';
import { namesOf, storingCalendar } from '../../conformance/store-driver';
import { calendarIntervalTrigger, dailyTimeIntervalTrigger } from '../../support/sample-triggers';
import { describeOnSqlStores } from './support/defect-cluster';

/** Faults that a person, an accident or another program may cause. They must not affect other rows. */
const ACCIDENTS = {
  'a malformed cron expression': "UPDATE QRTZ_CRON_TRIGGERS SET CRON_EXPRESSION = 'nonsense'",
  'an unknown time zone': "UPDATE QRTZ_CRON_TRIGGERS SET TIME_ZONE_ID = 'Atlantis/Centre'",
  'a missing row of its type': 'DELETE FROM QRTZ_CRON_TRIGGERS',
  'an unknown trigger type': "UPDATE QRTZ_TRIGGERS SET TRIGGER_TYPE = 'LUNAR'",
  'unreadable job data': "UPDATE QRTZ_TRIGGERS SET JOB_DATA = X'7B7B'",
  'job data of a broken Java stream': "UPDATE QRTZ_TRIGGERS SET JOB_DATA = X'ACED000500'",
  'an unknown misfire instruction': 'UPDATE QRTZ_TRIGGERS SET MISFIRE_INSTR = 77',
} as const;

const OF_THE_JOB = {
  'unreadable data of its job': "UPDATE QRTZ_JOB_DETAILS SET JOB_DATA = X'7B7B'",
  'a calendar that Java serialised': "UPDATE QRTZ_CALENDARS SET CALENDAR = X'ACED0005'",
} as const;

const namesOfKeys = (keys: readonly TriggerKey[]) => keys.map(({ name }) => name).sort();

describeOnSqlStores('a bad row', (cluster) => {
  const everySecondAround = { cronExpression: '* * * * * ?', misfireInstruction: 'FIRE_ONCE_NOW' } as const;

  const badTrigger = [
    ...Object.entries(ACCIDENTS).map(([name, text]) => [name, text, 'AND TRIGGER_NAME'] as const),
    ['unreadable data of its job', OF_THE_JOB['unreadable data of its job'], 'AND JOB_NAME'] as const,
    ['a calendar that Java serialised', OF_THE_JOB['a calendar that Java serialised'], 'AND CALENDAR_NAME'] as const,
  ];

  beforeEach(async () => {
    const { a } = cluster;
    await a.applyOne(storingCalendar(without()));
    const recovered = { requestsRecovery: true, durable: true } as const;
    await a.schedule(
      job('bad', recovered),
      everyNoon('bad', { ...everySecondAround, calendarName: 'holidays', priority: 9 }),
    );
    await a.schedule(job('serial', { ...recovered, disallowConcurrentExecution: true }), everyMinute('good 1'));
    await a.schedule(job('good', recovered), everyNoon('good 2', everySecondAround), everyMinute('good 3'));
  });

  const spoil = (text: string, where: string) => {
    const name = where.endsWith('CALENDAR_NAME') ? 'holidays' : 'bad';
    return cluster.change(`${text} WHERE SCHED_NAME = '${cluster.a.node.schedName}' ${where} = '${name}'`);
  };
  const GOOD = ['good 1', 'good 2', 'good 3'];
  const firedOf = async (node: typeof cluster.a) => {
    const { fired } = await node.store.acquireTriggers(node.request({ fireWithin: 0 }));
    return fired.flatMap((result) => (result.status === 'fired' ? [result.firing] : []));
  };

  it.each(badTrigger)('%s does not stop other triggers from being acquired and fired', async (_, text, where) => {
    const { a, b } = cluster;
    await spoil(text, where);
    const firings = await firedOf(a);
    expect([...namesOf(firings)].sort()).toEqual(GOOD);
    for (const firing of firings) expect(await a.complete(firing)).toMatchObject({ status: 'completed' });
    b.now = NOW + MINUTE;
    expect([...namesOf(await firedOf(b))].sort()).toEqual(GOOD);
  });

  it.each(badTrigger)('%s does not stop other reserved triggers from being fired', async (_, text, where) => {
    const { a, b } = cluster;
    const reserved = await a.acquire();
    expect(reserved).toHaveLength(4);
    await spoil(text, where);
    const results = await a.fire(...reserved);
    const firings = results.flatMap((result) => (result.status === 'fired' ? [result.firing] : []));
    expect([...namesOf(firings)].sort()).toEqual(GOOD);
    expect(results.find(({ status }) => status === 'notFired')).toMatchObject({ reason: 'invalid' });
    await a.store.completeTriggers(firings.map((firing) => ({ firing, instruction: 'NOOP' })));
    expect([await b.firedRows(), await b.cluster.sweep(100)]).toEqual([0, { released: 0, unblocked: 0 }]);
  });

  it.each(badTrigger)('%s does not stop the recovery of other misfires', async (_, text, where) => {
    const { a } = cluster;
    await spoil(text, where);
    a.now = NOW + HOUR;
    const sweeps = [await a.recoverMisfires(2), await a.recoverMisfires(2), await a.recoverMisfires(2)];
    const names = sweeps.flatMap(({ misfired }) => namesOf(misfired.map((trigger) => ({ trigger }))));
    expect(names.filter((name) => name.startsWith('good')).sort()).toEqual(GOOD);
    expect(names.filter((name) => name === 'bad').length).toBeLessThanOrEqual(1);
    expect(sweeps[2]?.more).toBe(false);
    expect([...namesOf(await firedOf(a))].filter((name) => name.startsWith('good')).length).toBeGreaterThan(0);
  });

  it.each(badTrigger)('%s does not stop the recovery of its dead node', async (_, text, where) => {
    const { a, b } = cluster;
    const firings = await a.fireDue({ maxCount: 3 });
    const reserved = await a.acquire();
    expect(firings.length + reserved.length).toBe(4);
    await spoil(text, where);
    const report = await b.recover(a);
    expect(report).toMatchObject({ released: reserved.length, lost: 0 });
    expect(report?.recovered).toHaveLength(firings.length);
    const again = await firedOf(b);
    expect(again.filter(({ recovering }) => recovering).length).toBeGreaterThanOrEqual(firings.length - 1);
    expect(await b.cluster.sweep(100)).toEqual({ released: 0, unblocked: 0 });
  });

  describe('triggers without the row of their type', () => {
    const ALL = { after: null, maxCount: 100 };
    const NO_KIND = {
      simple: "DELETE FROM QRTZ_SIMPLE_TRIGGERS WHERE TRIGGER_NAME = 'good 3'",
      cron: "DELETE FROM QRTZ_CRON_TRIGGERS WHERE TRIGGER_NAME IN ('bad', 'good 2')",
      interval: "DELETE FROM QRTZ_SIMPROP_TRIGGERS WHERE TRIGGER_NAME IN ('hourly', 'monthly')",
    };
    const later = { startTime: NOW + HOUR };
    const hourly = dailyTimeIntervalTrigger({ ...later, key: triggerKey('hourly') });
    const monthly = calendarIntervalTrigger({ ...later, key: triggerKey('monthly'), repeatIntervalUnit: 'MONTH' });
    const loseTypeRows = async () => {
      const { a } = cluster;
      await a.schedule(job('others'), hourly, monthly);
      for (const text of Object.values(NO_KIND)) await cluster.change(`${text} AND SCHED_NAME = '${a.node.schedName}'`);
    };
    /** States read from the table, because no API shows an unreadable trigger. */
    const statesOf = async (...names: readonly string[]) => {
      const params = { schedName: cluster.a.node.schedName, afterName: '', afterGroup: '', limit: 100 };
      type Row = { readonly TRIGGER_NAME: string; readonly TRIGGER_STATE: string };
      const rows = await cluster.a.steps.transaction('read', (tx) => tx.all<Row>('selectTriggerKinds', params));
      return names.map((name) => rows.find((row) => row.TRIGGER_NAME === name)?.TRIGGER_STATE);
    };

    it('go to ERROR for every type even if all nodes sweep at once, and other triggers do not change', async () => {
      const { a, b, c } = cluster;
      await loseTypeRows();
      const sweeps = await Promise.all([a, b, c].map(({ cluster: store }) => store.sweepTypeRows(ALL)));
      expect(namesOfKeys(sweeps.flatMap(({ failed }) => failed))).toEqual([
        'bad',
        'good 2',
        'good 3',
        'hourly',
        'monthly',
      ]);
      expect(await statesOf('bad', 'hourly', 'good 1', 'good 2')).toEqual(['ERROR', 'ERROR', 'WAITING', 'ERROR']);
      expect(await a.cluster.sweepTypeRows(ALL)).toEqual({ failed: [], next: null });
      expect([...namesOf(await firedOf(a))]).toEqual(['good 1']);

      await a.register(everyMinute('good 3', { jobKey: jobKey('good') })); // stored again, so no longer in ERROR
      expect(await statesOf('good 3')).toEqual(['WAITING']);
      expect([...namesOf(await firedOf(a))]).toEqual(['good 3']);
    });

    it('are found page by page, each key once', async () => {
      const { a } = cluster;
      await loseTypeRows();
      const failed: TriggerKey[] = [];
      let pages = 0;
      let after: TriggerKey | null = null;
      do {
        const sweep: TypeRowSweep = await a.cluster.sweepTypeRows({ after, maxCount: 2 });
        failed.push(...sweep.failed);
        after = sweep.next;
        pages++;
      } while (after !== null);
      expect(pages).toBe(4); // six triggers on three pages, and an empty page
      expect(namesOfKeys(failed)).toEqual(['bad', 'good 2', 'good 3', 'hourly', 'monthly']);
    });

    it('are skipped while a node holds them, but not while they are paused', async () => {
      const { a } = cluster;
      await a.store.pauseTriggers([{ name: 'bad', group: 'DEFAULT' }]);
      await a.acquire();
      await loseTypeRows();
      const { failed } = await a.cluster.sweepTypeRows(ALL);
      expect(namesOfKeys(failed)).toEqual(['bad', 'hourly', 'monthly']);
      expect(await statesOf('bad', ...GOOD)).toEqual(['ERROR', 'ACQUIRED', 'ACQUIRED', 'ACQUIRED']);
    });

    it('are ignored if only Java knows their type', async () => {
      const { a } = cluster;
      const where = `WHERE TRIGGER_NAME = 'bad' AND SCHED_NAME = '${a.node.schedName}'`;
      await cluster.change(`DELETE FROM QRTZ_CRON_TRIGGERS ${where}`);
      await cluster.change(`UPDATE QRTZ_TRIGGERS SET TRIGGER_TYPE = 'BLOB' ${where}`);
      expect(await a.cluster.sweepTypeRows(ALL)).toEqual({ failed: [], next: null });
    });
  });
});
