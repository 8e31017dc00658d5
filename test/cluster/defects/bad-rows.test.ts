import { everyMinute, everyNoon, HOUR, job, MINUTE, NOW, without } from '../../conformance/samples';
import { namesOf, storingCalendar } from '../../conformance/store-driver';
import { describeOnSqlStores } from './support/defect-cluster';

/** What a hand, an accident or another program may leave: who meets it goes on with everything else. */
const ACCIDENTS = {
  'a malformed cron expression': "UPDATE QRTZ_CRON_TRIGGERS SET CRON_EXPRESSION = 'nonsense'",
  'a time zone that nobody knows': "UPDATE QRTZ_CRON_TRIGGERS SET TIME_ZONE_ID = 'Atlantis/Centre'",
  'no row of its kind': 'DELETE FROM QRTZ_CRON_TRIGGERS',
  'a kind that nobody knows': "UPDATE QRTZ_TRIGGERS SET TRIGGER_TYPE = 'LUNAR'",
  'unreadable job data': "UPDATE QRTZ_TRIGGERS SET JOB_DATA = X'7B7B'",
  'job data of a broken Java stream': "UPDATE QRTZ_TRIGGERS SET JOB_DATA = X'ACED000500'",
  'a misfire instruction nobody knows': 'UPDATE QRTZ_TRIGGERS SET MISFIRE_INSTR = 77',
} as const;

const OF_THE_JOB = {
  'unreadable data of its job': "UPDATE QRTZ_JOB_DETAILS SET JOB_DATA = X'7B7B'",
  'a calendar that Java serialised': "UPDATE QRTZ_CALENDARS SET CALENDAR = X'ACED0005'",
} as const;

describeOnSqlStores('a bad row touches only itself:', (cluster) => {
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
    const { fired } = await node.store.acquireTriggers(node.request({ fireDue: true }));
    return fired.flatMap((result) => (result.status === 'fired' ? [result.firing] : []));
  };

  it.each(badTrigger)('%s, when triggers are acquired and fired', async (_, text, where) => {
    const { a, b } = cluster;
    await spoil(text, where);
    const firings = await firedOf(a);
    expect([...namesOf(firings)].sort()).toEqual(GOOD);
    for (const firing of firings) expect(await a.complete(firing)).toMatchObject({ status: 'completed' });
    b.now = NOW + MINUTE;
    expect([...namesOf(await firedOf(b))].sort()).toEqual(GOOD);
  });

  it.each(badTrigger)('%s, when triggers that were reserved before are fired', async (_, text, where) => {
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

  it.each(badTrigger)('%s, when misfires are recovered', async (_, text, where) => {
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

  it.each(badTrigger)('%s, when its node dies', async (_, text, where) => {
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
});
