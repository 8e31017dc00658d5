import { jobKey } from '../../../src/domain/keys';
import type { SimpleTrigger } from '../../../src/domain/trigger';
import type { StoreContext } from '../describe-job-store';
import { everyMinute, job, MINUTE, NOW, once, SECOND } from '../samples';
import { namesOf } from '../store-driver';

/** Nodes that may fire a trigger. The node of the suite has the labels `eu`, `ssd` and `node:node`. */
export function describePlacement(context: StoreContext): void {
  describe('placement on nodes', () => {
    describeWhereItRuns(context);
    describePreferences(context);
    describeWhatFollows(context);
  });
}

const on = (...runsOn: string[]) => ({ policy: { runsOn } });

const preferring = (fallbackAfter: number, ...labels: string[]) => ({ policy: { prefers: { labels, fallbackAfter } } });

function due(name: string, secondsAgo: number, fields: Partial<SimpleTrigger> = {}): SimpleTrigger {
  return once(name, { startTime: NOW - secondsAgo * SECOND, ...fields });
}

function describeWhereItRuns({ driver }: StoreContext): void {
  it('fires triggers that may run on this node, and leaves others WAITING', async () => {
    await driver().schedule(job('gpu', on('gpu')), due('a', 5));
    await driver().schedule(job('both', on('eu', 'gpu')), due('b', 4));
    await driver().schedule(job('eu', on('ssd', 'eu')), due('c', 3));
    await driver().schedule(job('own', on('node:node')), due('d', 2));
    await driver().schedule(job('plain'), due('e', 1));
    expect(namesOf(await driver().fireDue())).toEqual(['c', 'd', 'e']);
    expect([await driver().state('a'), await driver().state('b')]).toEqual(['WAITING', 'WAITING']);
  });

  it('fills a batch although triggers for other nodes are due first', async () => {
    await driver().schedule(job('gpu', on('gpu')), ...[9, 8, 7, 6].map((ago) => due(`gpu ${ago}`, ago)));
    await driver().schedule(job('plain'), due('plain', 1));
    expect(namesOf(await driver().fireDue({ maxCount: 1 }))).toEqual(['plain']);
  });

  it('uses the labels of a trigger before the labels of its job', async () => {
    await driver().schedule(job('job', on('gpu')), due('a', 3, on('eu')), due('b', 2, on()), due('c', 1));
    expect(namesOf(await driver().fireDue())).toEqual(['a', 'b']);
  });

  it('distinguishes labels that differ in case or in a blank', async () => {
    await driver().schedule(job('job'), due('a', 3, on('EU')), due('b', 2, on('eu ')), due('c', 1, on('e')));
    expect(await driver().fireDue()).toEqual([]);
  });

  it('reserves only triggers that may run on this node', async () => {
    await driver().schedule(job('job'), due('a', -2, on('gpu')), due('b', -1, on('eu')));
    expect(namesOf(await driver().acquire({ noLaterThan: NOW + MINUTE, timeWindow: MINUTE }))).toEqual(['b']);
  });

  it('changes with the definition of a trigger', async () => {
    await driver().schedule(job('job', { durable: true }), everyMinute('trigger', on('gpu')));
    expect(await driver().fireDue()).toEqual([]);
    await driver().register(everyMinute('trigger', { priority: 7 }));
    expect(namesOf(await driver().fireDue())).toEqual(['trigger']);
    await driver().register(everyMinute('trigger', on('gpu')));
    driver().now = NOW + MINUTE;
    expect(await driver().fireDue()).toEqual([]);
  });

  it('changes for all triggers with the definition of their job, and announces them', async () => {
    await driver().schedule(job('job', on('gpu')), due('a', 2), due('b', 1), due('c', 0, on('tape')));
    driver().announced = [];
    const plain = { type: 'storeJob', ifExists: 'replace', requireTrigger: false } as const;
    await driver().apply({ ...plain, job: job('job') });
    expect(driver().announced).toHaveLength(1);
    expect(namesOf(await driver().fireDue({ maxCount: 1 }))).toEqual(['a']);
    await driver().apply({ ...plain, job: job('job', on('gpu')) });
    expect(await driver().fireDue()).toEqual([]);
    await driver().apply({ ...plain, job: job('job', on('eu')) });
    expect(namesOf(await driver().fireDue())).toEqual(['b']);
  });

  it('is checked again when a reservation fires', async () => {
    await driver().schedule(job('job', { durable: true }), everyMinute('trigger'));
    const [acquired] = await driver().acquire();
    await driver().apply({
      type: 'storeJob',
      ifExists: 'replace',
      requireTrigger: false,
      job: job('job', { durable: true, ...on('gpu') }),
    });
    const [result] = acquired === undefined ? [] : await driver().fire(acquired);
    expect(result).toMatchObject({ status: 'notFired', reason: 'elsewhere' });
    expect(await driver().state('trigger')).toBe('WAITING');
  });

  it('is deleted with a trigger', async () => {
    const stored = { type: 'storeTrigger', ifExists: 'replace', startTimeDefaulted: false } as const;
    await driver().schedule(job('job', { durable: true }), everyMinute('a', on('gpu')), due('b', 2, on('eu')));
    expect(namesOf(await driver().fireDue())).toEqual(['b']);
    await driver().apply({ type: 'deleteTrigger', key: everyMinute('a').key });
    await driver().apply({ ...stored, trigger: everyMinute('a', { jobKey: jobKey('job') }) });
    expect(namesOf(await driver().fireDue())).toEqual(['a']);
    await driver().apply({ type: 'deleteJob', key: jobKey('job') });
    await driver().schedule(job('job'), due('a', 0));
    expect(namesOf(await driver().fireDue())).toEqual(['a']);
  });

  it('skips triggers outside the priority range of the node', async () => {
    const priorities = [-1_001, -1_000, 1_000, 1_001];
    await driver().schedule(job('job'), ...priorities.map((priority) => due(`${priority}`, 1, { priority })));
    expect([...namesOf(await driver().fireDue())].sort()).toEqual(['-1000', '1000']);
  });

  it('does not fire a trigger for another node when it is stored', async () => {
    const store = { type: 'storeTrigger', ifExists: 'fail', startTimeDefaulted: false } as const;
    const jobs = ['gpu', 'eu'].map((label) => job(label, on(label)));
    const { fired } = await driver().store.applySchedule(
      jobs.flatMap((each) => [
        { type: 'storeJob', job: each, ifExists: 'fail', requireTrigger: false } as const,
        { ...store, trigger: once(each.key.name, { jobKey: each.key }) },
      ]),
      { ...driver().options, fireNow: { maxCount: 10, jobTypes: ['sample'] } },
    );
    const names = fired.map((each) => (each.status === 'fired' ? each.firing.trigger.key.name : each.reason));
    expect([...names, ...namesOf(await driver().fireDue())]).toEqual(['eu']);
  });
}

function describePreferences({ driver }: StoreContext): void {
  it('skips triggers that prefer other nodes until they are overdue by more than `fallbackAfter`', async () => {
    await driver().schedule(job('job', preferring(5 * SECOND, 'gpu')), due('a', 5), due('b', 4), due('c', 9));
    expect(namesOf(await driver().fireDue())).toEqual(['c', 'a']);
    driver().now = NOW + SECOND;
    expect(namesOf(await driver().fireDue())).toEqual(['b']);
  });

  it('fires a trigger at once if it prefers this node', async () => {
    await driver().schedule(job('job', preferring(5 * SECOND, 'eu')), due('a', 0));
    expect(namesOf(await driver().fireDue())).toEqual(['a']);
  });

  it('waits for preferred nodes at most half the misfire threshold', async () => {
    await driver().schedule(job('job', preferring(60 * MINUTE, 'gpu')), due('a', 29), due('b', 30));
    expect(namesOf(await driver().fireDue())).toEqual(['b']);
  });

  it('never fires a trigger that must run on another node, however overdue', async () => {
    const policy = { runsOn: ['gpu'], prefers: { labels: ['eu'], fallbackAfter: 0 } };
    await driver().schedule(job('job', { policy }), due('a', 50));
    expect(await driver().fireDue()).toEqual([]);
  });

  it('does not reserve triggers that prefer other nodes', async () => {
    await driver().schedule(job('job'), due('a', -2, preferring(0, 'gpu')), due('b', -3));
    expect(namesOf(await driver().acquire({ noLaterThan: NOW + MINUTE, timeWindow: MINUTE }))).not.toContain('a');
  });
}

function describeWhatFollows({ driver }: StoreContext): void {
  it('uses the policy that is stored with a retry', async () => {
    const retry = (name: string, fields: Partial<SimpleTrigger>) =>
      once(name, { key: { group: 'RETRYING_JOBS', name }, nextFireTime: NOW, ...fields });
    await driver().schedule(job('job', { durable: true }), due('a', 1, on('eu')), due('b', 1));
    const [a, b] = await driver().fireDue();
    if (a === undefined || b === undefined) throw new Error('expected two firings');
    await driver().complete(a, 'DELETE_TRIGGER', { further: [retry('retry a', on('gpu'))] });
    await driver().complete(b, 'DELETE_TRIGGER', { further: [retry('retry b', on('eu'))] });
    expect(namesOf(await driver().fireDue())).toEqual(['retry b']);
  });

  it('does not affect misfire instructions', async () => {
    await driver().schedule(job('job', { durable: true }), everyMinute('trigger', on('gpu')));
    driver().now = NOW + 10 * MINUTE;
    const { misfired } = await driver().recoverMisfires();
    expect(misfired.map(({ key }) => key.name)).toEqual(['trigger']);
    expect(await driver().fireDue()).toEqual([]);
  });
}
