import { triggerKey } from '../../../src/domain/keys';
import { everyNoon, HOUR, job, NOW, once, without } from '../../conformance/samples';
import { storingCalendar } from '../../conformance/store-driver';
import { describeOnSqlStores } from './support/defect-cluster';

/** COMPLETE triggers that no firing will delete, because another program stored them or their end passed later. */
describeOnSqlStores('the sweep of ended triggers', (cluster) => {
  const request = (maxCount = 100) => ({ after: null, maxCount, now: NOW + HOUR });
  const complete = (name: string, more = '') =>
    cluster.change(
      `UPDATE QRTZ_TRIGGERS SET TRIGGER_STATE = 'COMPLETE', NEXT_FIRE_TIME = -1${more} WHERE SCHED_NAME = '${cluster.a.node.schedName}' AND TRIGGER_NAME = '${name}'`,
    );
  const fired = `, PREV_FIRE_TIME = ${NOW}`;

  beforeEach(async () => {
    const { a } = cluster;
    await a.applyOne(storingCalendar(without()));
    await a.schedule(job('alone'), once('once'));
    await a.schedule(job('durable', { durable: true }), once('of durable'));
    await a.schedule(job('bound'), everyNoon('bound', { calendarName: 'holidays' }));
    await a.schedule(job('waiting'), once('waiting', { startTime: NOW + 2 * HOUR }));
    for (const name of ['once', 'of durable']) await complete(name, fired);
    await complete('bound');
  });

  it('deletes triggers whose own schedule has ended and their non-durable jobs, but none that a calendar ended', async () => {
    const { a } = cluster;
    const swept = await a.cluster.sweepEnded(request());
    expect(swept.deletedTriggers.map(({ name }) => name).sort()).toEqual(['of durable', 'once']);
    expect(swept).toMatchObject({ deletedJobs: [job('alone').key], next: null });
    expect(await a.state('once')).toBeNull();
    expect(await a.job('durable')).not.toBeNull();
    expect(await a.state('bound')).toBe('COMPLETE');
    expect(await a.state('waiting')).toBe('WAITING');
    expect(await a.cluster.sweepEnded(request())).toEqual({ deletedTriggers: [], deletedJobs: [], next: null });
  });

  it('continues page by page', async () => {
    const { a } = cluster;
    const first = await a.cluster.sweepEnded(request(1));
    expect(first).toMatchObject({ deletedTriggers: [], next: triggerKey('bound') });
    const second = await a.cluster.sweepEnded({ ...request(), after: first.next });
    expect(second.deletedTriggers).toHaveLength(2);
  });

  it('deletes a trigger whose end passed while its calendar excluded every time', async () => {
    const { a } = cluster;
    await complete('bound', `, END_TIME = ${NOW + 2 * HOUR}`);
    await a.cluster.sweepEnded(request());
    expect(await a.state('bound')).toBeNull();
    expect(await a.job('bound')).toBeNull();
  });

  it('keeps a trigger that is executing', async () => {
    const { a, b } = cluster;
    await a.schedule(job('running'), once('running'));
    const firing = (await a.fireDue()).find(({ trigger }) => trigger.key.name === 'running');
    expect(await a.state('running')).toBe('COMPLETE');
    await b.cluster.sweepEnded(request());
    expect(await a.state('running')).toBe('COMPLETE');
    if (firing !== undefined) await a.complete(firing, 'DELETE_TRIGGER');
    expect(await a.state('running')).toBeNull();
  });

  it('keeps ended triggers, also those ended by a misfire, while a Java node is in the cluster', async () => {
    const { a } = cluster;
    const schedName = a.node.schedName;
    await cluster.change(
      `INSERT INTO QRTZ_SCHEDULER_STATE (SCHED_NAME, INSTANCE_NAME, LAST_CHECKIN_TIME, CHECKIN_INTERVAL) VALUES ('${schedName}', 'java', ${NOW}, 7500)`,
    );
    expect(await a.cluster.sweepEnded(request())).toMatchObject({ deletedTriggers: [], deletedJobs: [] });
    const ending = { misfireInstruction: 'DO_NOTHING', endTime: NOW + HOUR } as const;
    await a.schedule(job('missed'), everyNoon('missed', ending));
    a.now = NOW + 2 * HOUR;
    expect((await a.recoverMisfires()).finalized.map(({ key }) => key.name)).toContain('missed');
    expect(await a.state('missed')).toBe('COMPLETE');
    expect(await a.state('once')).toBe('COMPLETE');
    await cluster.change(
      `DELETE FROM QRTZ_SCHEDULER_STATE WHERE SCHED_NAME = '${schedName}' AND INSTANCE_NAME = 'java'`,
    );
    const swept = await a.cluster.sweepEnded({ ...request(), now: a.now });
    expect(swept.deletedTriggers.map(({ name }) => name)).toContain('missed');
    expect(await a.job('missed')).toBeNull();
  });
});
