import { ManualClock } from '../../../src/base/manual-clock';
import { triggerKey } from '../../../src/domain/keys';
import type { SchedulerEvent } from '../../../src/domain/scheduler-event';
import { JobTypeWatch } from '../../../src/scheduler/job-types';
import { FakeClusterStore } from '../cluster/fake-cluster-store';

const NOW = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;

function scene() {
  const clock = new ManualClock(NOW);
  const store = new FakeClusterStore(clock);
  const events: SchedulerEvent[] = [];
  let types: readonly string[] = ['mail'];
  const publish = (event: SchedulerEvent) => events.push(event);
  const watch = new JobTypeWatch({ store, clock, publish, labels: ['node:a', 'eu'], jobTypes: () => types });
  const waiting = (jobType: string, name: string, nextFireTime = NOW - 6_000) => ({
    jobType,
    triggerKey: triggerKey(name),
    nextFireTime,
  });
  return { clock, store, events, watch, waiting, register: (...more: string[]) => (types = [...types, ...more]) };
}

describe('the job types of a node', () => {
  it('are published before the node joins, and then only when they have changed', async () => {
    const { store, watch, register } = scene();
    store.isMember = false;
    await watch.prepare();
    store.isMember = true;
    await watch.runOnce();
    await watch.runOnce();
    register('report');
    await watch.runOnce();
    expect(store.published).toEqual([['mail'], ['mail'], ['mail', 'report']]);
  });

  it('are published again until this succeeds', async () => {
    const { store, watch, events } = scene();
    store.isMember = false;
    await watch.runOnce();
    store.before = async () => Promise.reject(new Error('down'));
    await watch.runOnce();
    await watch.runOnce();
    store.before = async () => undefined;
    store.isMember = true;
    await watch.runOnce();
    await watch.runOnce();
    expect(store.published).toEqual([['mail'], ['mail']]);
    expect(events).toMatchObject([{ type: 'schedulerError', during: 'comparing the job types of the nodes' }]);
  });
});

describe('triggers that wait for a job type that no node has', () => {
  it('are reported with an example, once an hour', async () => {
    const { store, watch, events, waiting, clock } = scene();
    store.backlog = [
      waiting('old', 'a', NOW - 60_000),
      waiting('mail', 'b'),
      waiting('old', 'c'),
      waiting('else', 'd'),
    ];
    store.jobTypes = [{ instanceId: 'b', isJava: false, jobTypes: ['else'] }];
    await watch.runOnce();
    expect(events).toEqual([]); // nodes that start together do not know each other yet
    await watch.runOnce();
    await watch.runOnce();
    const missing = [{ jobType: 'old', triggers: 2, example: triggerKey('a'), waitingSince: NOW - 60_000 }];
    expect(events).toEqual([{ type: 'jobTypesMissing', at: NOW, missing }]);
    await clock.advanceBy(HOUR);
    await watch.runOnce();
    expect(events).toHaveLength(2);
  });

  it('are not reported if their job type is registered', async () => {
    const { store, watch, events, waiting, register } = scene();
    store.backlog = [waiting('report', 'a')];
    register('report');
    await watch.runOnce();
    await watch.runOnce();
    expect(events).toEqual([]);
  });

  it('are not reported if they have become due only recently', async () => {
    const { store, watch, events, waiting } = scene();
    store.backlog = [waiting('old', 'a', NOW - 4_000)];
    await watch.runOnce();
    await watch.runOnce();
    expect(events).toEqual([]);
  });

  it('are reported with the labels if the nodes with the job type lack these labels', async () => {
    const { store, watch, events, waiting } = scene();
    store.backlog = [
      { ...waiting('mail', 'a'), runsOn: ['gpu'] },
      { ...waiting('mail', 'b'), runsOn: ['eu'] },
      { ...waiting('else', 'c'), runsOn: ['gpu'] },
      { ...waiting('mail', 'd'), runsOn: ['node:b'] },
      { ...waiting('mail', 'e'), runsOn: ['gpu'] },
    ];
    store.jobTypes = [
      { instanceId: 'b', isJava: false, jobTypes: ['mail'] },
      { instanceId: 'c', isJava: false, jobTypes: ['else'], labels: ['node:c', 'gpu'] },
    ];
    await watch.runOnce();
    await watch.runOnce();
    const missing = [
      { jobType: 'mail', labels: ['gpu'], triggers: 2, example: triggerKey('a'), waitingSince: NOW - 6_000 },
    ];
    expect(events).toEqual([{ type: 'jobTypesMissing', at: NOW, missing }]);
  });

  it('are reported in batches of 20 job types', async () => {
    const { store, watch, events, waiting } = scene();
    store.backlog = Array.from({ length: 30 }, (_, index) => waiting(`old ${index}`, `t${index}`));
    for (let run = 0; run < 4; run++) await watch.runOnce();
    expect(events.map((event) => (event.type === 'jobTypesMissing' ? event.missing.length : 0))).toEqual([20, 10]);
  });
});
