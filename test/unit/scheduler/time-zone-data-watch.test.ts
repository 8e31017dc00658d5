import { ManualClock } from '../../../src/base/manual-clock';
import { triggerKey } from '../../../src/domain/keys';
import type { SchedulerEvent } from '../../../src/domain/scheduler-event';
import { scheduled } from '../../../src/domain/trigger-behaviour';
import { olderDataCheck } from '../../../src/scheduler/older-time-zone-data';
import { TimeZoneDataWatch } from '../../../src/scheduler/time-zone-data-watch';
import type { StoredTrigger } from '../../../src/store/job-store';
import { cronTrigger, START } from '../../support/sample-triggers';
import { FakeClusterStore } from '../cluster/fake-cluster-store';

const HOUR = 3_600_000;

/** A node with the data 2026a, and two triggers in a zone with another offset in older data, which computed the fire time of one of them. */
function scene() {
  const clock = new ManualClock(START);
  const cluster = new FakeClusterStore(clock);
  const events: SchedulerEvent[] = [];
  const inZone = (name: string) => cronTrigger({ key: triggerKey(name), timeZone: 'Africa/Casablanca' });
  const right = (name: string) => scheduled(inZone(name), null);
  const stale = { ...right('stale'), nextFireTime: (right('stale').nextFireTime ?? 0) + HOUR };
  let triggers = [right('right'), stale];
  let pages = 0;
  const publish = (event: SchedulerEvent) => events.push(event);
  const watch = new TimeZoneDataWatch({
    cluster,
    clock,
    publish,
    announce: (event) => publish({ at: clock.now(), ...event } as SchedulerEvent),
    instanceId: 'own',
    version: '2026a',
    rules: 'safe',
    misfireThreshold: 60_000,
    store: {
      getCalendar: async () => null,
      async pageTriggers() {
        pages++;
        const items = triggers.map((trigger): StoredTrigger => ({ trigger, state: 'WAITING' }));
        return { items, next: null, total: null };
      },
      async applySchedule(changes) {
        const times = new Map(
          changes.flatMap((each) => (each.type === 'setFireTime' ? [[each.read.key.name, each.nextFireTime]] : [])),
        );
        triggers = triggers.map((each) => ({ ...each, nextFireTime: times.get(each.key.name) ?? each.nextFireTime }));
        const outcome = { nextFireTime: null, deletedTriggers: [], deletedJobs: [] };
        return { outcomes: changes.map(() => ({ status: 'replaced', ...outcome })), fired: [] };
      },
    },
  });
  const node = (instanceId: string, timeZoneData: string | null, startedAt: number) =>
    cluster.put({ instanceId, timeZoneData, startedAt, epoch: timeZoneData && instanceId });
  const run = () => watch.runOnce(new AbortController().signal);
  return {
    clock,
    cluster,
    events,
    node,
    run,
    right,
    times: () => triggers.map(({ nextFireTime }) => nextFireTime),
    pages: () => pages,
  };
}

it('a node with newer data recomputes the stored fire times once, and reports how many changed', async () => {
  const { cluster, events, node, run, right, times } = scene();
  cluster.timeZoneData = '2025c';
  node('own', '2026a', 1);
  node('java', null, 0);
  await run();
  const { nextFireTime } = right('right');
  expect(times()).toEqual([nextFireTime, nextFireTime]);
  const examples = [{ key: triggerKey('stale'), before: (nextFireTime ?? 0) + HOUR, after: nextFireTime }];
  expect(events).toMatchObject([
    { type: 'fireTimesRecomputed', from: '2025c', to: '2026a', triggers: 2, changed: 1, examples },
  ]);
  expect(cluster.timeZoneData).toBe('2026a');
  await run();
  expect(events).toHaveLength(1);
});

it('fire times are recomputed again when the last node with older data has left', async () => {
  const { cluster, events, node, run, pages } = scene();
  cluster.timeZoneData = '2025c';
  node('own', '2026a', 2);
  node('old', '2025c', 1);
  await run();
  await run();
  expect([cluster.timeZoneData, pages(), events.length]).toEqual(['2025c', 1, 1]);
  cluster.remove('old');
  await run();
  expect([cluster.timeZoneData, pages(), events.length]).toEqual(['2026a', 2, 2]);
});

it('a node does not recompute fire times while a node with the same data that started earlier is alive', async () => {
  const { cluster, node, run, pages } = scene();
  cluster.timeZoneData = '2025c';
  node('own', '2026a', 2);
  node('first', '2026a', 1);
  await run();
  expect(pages()).toBe(0);
  cluster.remove('first');
  await run();
  expect(pages()).toBe(1);
});

it('a node with older data stores its version without changing fire times, so that newer nodes correct its results', async () => {
  const { cluster, events, node, run, pages } = scene();
  cluster.timeZoneData = '2026b';
  node('own', '2026a', 2);
  await run();
  expect([cluster.timeZoneData, pages(), events]).toEqual(['2026a', 0, []]);
});

it('olderDataCheck returns true if a node or the store has newer data, and reads at most once a minute', async () => {
  const { cluster, clock, node } = scene();
  const isOlder = olderDataCheck({ cluster, clock, version: '2026a' });
  node('own', '2026a', 1);
  expect(await isOlder()).toBe(false);
  node('new', '2026b', 2);
  expect(await isOlder()).toBe(false); // read at most once a minute
  clock.advanceBy(60_000);
  node('new', '2026b', 2);
  expect(await isOlder()).toBe(true);
  cluster.remove('new');
  cluster.timeZoneData = '2026b';
  clock.advanceBy(60_000);
  expect(await isOlder()).toBe(true);
});
