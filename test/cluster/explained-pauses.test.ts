import { jobKey, triggerKey } from '../../src';
import type { Scheduler } from '../../src/api/scheduler';
import { describeOnServerFirst } from './support/engines';
import { type Local, LocalSchedulers } from './support/local-schedulers';
import type { Tables } from './support/tables';

/** Duration of a pause: longer than listing it on two nodes takes. Milliseconds. */
const PAUSE = 4_000;
/** Maximum delay of the first firing after a pause, on a machine that is busy with other tests. Milliseconds. */
const LATEST = 5_000;
const PATIENCE = 60_000;

/** A firing on any node. */
interface Firing {
  readonly node: string;
  readonly at: number;
}

/** A pause with a reason belongs to the cluster: every node lists it, and one of the live nodes ends it. */
describeOnServerFirst((newTables) => {
  let tables: Tables;
  let local: LocalSchedulers;
  let firings: Firing[];
  let heard: () => void;

  const create = (name: string) => {
    const ticking = async () => {
      firings.push({ node: name, at: Date.now() });
      heard();
    };
    const options = { jobs: { ticking, other: async () => {} }, jobStore: { storeThread: false } };
    return local.create(name, options);
  };

  const createBoth = async (): Promise<readonly [Local, Local]> => [await create('n1'), await create('n2')];
  const start = (nodes: readonly Local[]) => Promise.all(nodes.map(({ scheduler }) => scheduler.start()));

  /** Resolves with the time of the next run. */
  const nextFiring = () =>
    new Promise<number>((resolve) => {
      heard = () => resolve(Date.now());
    });

  const ended = (nodes: readonly Local[], type: 'triggerResumed' | 'jobResumed') =>
    nodes.flatMap(({ events }) => events.filter((event) => event.type === type));

  beforeEach(async () => {
    firings = [];
    heard = () => {};
    tables = await newTables();
    local = new LocalSchedulers(tables);
  });
  afterEach(async () => {
    await local.shutdown();
    await tables.drop();
  });

  const SAID = { reason: 'upgrade – 更新', by: 'ops' };
  const listed = (target: object, until: Date) => [
    { target, ...SAID, since: expect.any(Date), until, holdsRetries: true },
  ];
  const both = ([one, other]: readonly [Local, Local]) =>
    Promise.all([one.scheduler.listPauses(), other.scheduler.listPauses()]);

  it(
    'a pause with a reason is listed equally by all nodes, also after restarts, and ends once',
    async () => {
      const nodes = await createBoth();
      await start(nodes);
      await nodes[0].scheduler.schedule('ticking', { every: '200ms' });
      const until = new Date(Date.now() + PAUSE);
      await nodes[0].scheduler.pauseTrigger('ticking', { ...SAID, until });
      const before = await both(nodes);
      const pauses = listed({ kind: 'trigger', key: triggerKey('ticking') }, until);
      expect(before).toEqual([pauses, pauses]);
      await local.shutdown();
      firings = [];

      const again = await createBoth();
      expect(await both(again)).toEqual(before);
      const next = nextFiring();
      await start(again);
      await Promise.race(again.map(({ seen }) => seen('triggerResumed')));
      expect((await next) - until.getTime()).toBeLessThan(LATEST);
      await nextFiring();
      expect(await both(again)).toEqual([[], []]);
      expect(ended(again, 'triggerResumed')).toHaveLength(1);
      for (const { at } of firings) expect(at).toBeGreaterThanOrEqual(until.getTime());
    },
    PATIENCE,
  );

  it(
    'a pause with a reason is ended on time by another node if the pausing node has shut down',
    async () => {
      const nodes = await createBoth();
      await start(nodes);
      const [maker, other] = nodes.map(({ scheduler }) => scheduler) as [Scheduler, Scheduler];
      await maker.schedule('ticking', { every: '200ms' });
      await maker.schedule('other', { every: '1h' });
      const until = new Date(Date.now() + PAUSE);
      await maker.pauseJob('ticking', { ...SAID, until });
      expect(await other.listPauses()).toEqual(listed({ kind: 'job', key: jobKey('ticking') }, until));
      // A pause of its own makes the other node poll pauses now, and not only within 30 s.
      await other.pauseTrigger('other', { until: new Date(Date.now() + 100) });
      await nodes[1].seen('triggerResumed');
      await maker.shutdown();
      firings = [];
      const next = nextFiring();
      await nodes[1].seen('jobResumed');
      expect((await next) - until.getTime()).toBeLessThan(LATEST);
      await nextFiring();
      expect(await other.listPauses()).toEqual([]);
      expect(ended(nodes, 'jobResumed')).toHaveLength(1);
      expect(new Set(firings.map(({ node }) => node))).toEqual(new Set(['n2']));
      for (const { at } of firings) expect(at).toBeGreaterThanOrEqual(until.getTime());
    },
    PATIENCE,
  );
});
