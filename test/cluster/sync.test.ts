import type { Scheduler } from '../../src/api/scheduler';
import { describeOnEngines } from './support/engines';
import { LocalSchedulers } from './support/local-schedulers';
import type { Tables } from './support/tables';

/** Nodes that are deployed together declare the same set at the same time. */
describeOnEngines((newTables) => {
  let tables: Tables;
  let local: LocalSchedulers;
  let nodes: readonly Scheduler[];

  beforeAll(async () => {
    tables = await newTables();
  });
  beforeEach(async () => {
    local = new LocalSchedulers(tables);
    const work = () => {};
    const jobs = Object.fromEntries(['a', 'b', 'c', 'd', 'by hand'].map((name) => [name, work]));
    const options = { jobs, jobStore: { storeThread: false } };
    nodes = [(await local.create('n1', options)).scheduler, (await local.create('n2', options)).scheduler];
  });
  afterEach(async () => {
    await nodes[0]?.clear();
    await local.shutdown();
  });
  afterAll(() => tables.drop());

  const names = async () => (await (nodes[0] as Scheduler).listTriggers()).items.map(({ trigger }) => trigger.key.name);
  const set = (...all: readonly string[]) => Object.fromEntries(all.map((name) => [name, { every: '1h' }]));

  it('nodes store each schedule once, however often and on whichever node it is declared', async () => {
    for (let round = 0; round < 3; round++) {
      await Promise.all(nodes.flatMap((node) => [node.sync(set('a', 'b', 'c')), node.sync(set('a', 'b', 'c'))]));
      expect(await names()).toEqual(['a', 'b', 'c']);
    }
    expect((await nodes[1]?.listJobs())?.items).toHaveLength(3);
  });

  it('nodes keep the last declared set and the schedules of other sets', async () => {
    const [first, second] = nodes as readonly [Scheduler, Scheduler];
    await first.schedule('by hand', { every: '1h' });
    await second.declare({ d: { every: '1h' } }, { set: 'another' });
    await Promise.all([first.sync(set('a', 'b')), second.sync(set('a', 'b'))]);
    await Promise.all([first.sync(set('b', 'c')), second.sync(set('b', 'c'))]);
    expect(await names()).toEqual(['b', 'by hand', 'c', 'd']);
    expect((await second.sync({}, { prune: 'all' })).nextFireTimes).toEqual({});
    expect(await names()).toEqual(['by hand', 'd']);
  });
});
