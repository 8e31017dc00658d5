import { newJob } from '../../src/api/builders/job-builder';
import { simpleSchedule } from '../../src/api/builders/simple-schedule-builder';
import { newTrigger } from '../../src/api/builders/trigger-builder';
import { yieldToEventLoop } from '../../src/base/yield-to-event-loop';
import { describeOnAnyServer, sharedServer } from '../support/database/test-database';
import { FaultProxy } from '../support/fault-proxy';
import { LocalSchedulers } from './support/local-schedulers';
import { mysqlTables, type Tables } from './support/tables';

const PACE = { clusterCheckinInterval: 1_000, clusterCheckinGrace: 2_000 };
const DETECTION = 3_000;

describeOnAnyServer('a database whose open connections transfer no data', () => {
  let tables: Tables;
  let proxy: FaultProxy;
  let local: LocalSchedulers;

  beforeEach(async () => {
    tables = await mysqlTables(await sharedServer());
    const { config } = tables as { config: { readonly dataSource: { readonly d: { readonly URL: string } } } };
    proxy = await FaultProxy.before(config.dataSource.d.URL);
    local = new LocalSchedulers({ ...tables, config: { ...config, dataSource: { d: { URL: proxy.url } } } } as Tables);
  });

  afterEach(async () => {
    await local.shutdown();
    await proxy.close();
    await tables.drop();
  });

  /** A scheduler that always has calls to its store, because it fires ten times a second. */
  async function busyScheduler(jobStore: object) {
    const own = await local.create('a', { jobs: { job: async () => {} }, jobStore });
    await own.scheduler.start();
    const often = newTrigger().withSchedule(simpleSchedule().withIntervalInMilliseconds(100).repeatForever());
    await own.scheduler.scheduleJob(newJob('job').build(), often.build());
    await own.seen('triggerCompleted');
    return own;
  }

  it.each([
    true,
    false,
  ])('is reported as unavailable within the detection time (storeThread: %p)', async (storeThread) => {
    const { scheduler, seen } = await busyScheduler({ ...PACE, storeThread });
    expect((await scheduler.getMetaData()).isStoreAvailable).toBe(true);
    const start = performance.now();
    proxy.silence();
    await seen('storeUnavailable');
    expect(performance.now() - start).toBeLessThan(1.5 * DETECTION); // half of the time is a reserve for a busy machine
    expect((await scheduler.getMetaData()).isStoreAvailable).toBe(false);
    proxy.heal();
    await seen('storeAvailable');
    expect((await scheduler.getMetaData()).isStoreAvailable).toBe(true);
  });

  it.each([
    true,
    false,
  ])('does not delay a shutdown beyond its deadline, and causes one error (storeThread: %p)', async (storeThread) => {
    const { scheduler, events } = await busyScheduler({ storeThread }); // its calls wait longer than the deadline
    proxy.silence();
    await scheduler.shutdown({ deadline: 500 });
    proxy.heal();
    for (let turn = 0; turn < 20; turn++) await yieldToEventLoop();
    const errors = events.filter((event) => event.type === 'schedulerError');
    expect(errors.filter(({ during }) => during !== 'shutting down')).toEqual([]);
    expect(errors.map(({ error }) => error.message)).toEqual([expect.stringContaining('Not done')]);
    expect(events.at(-1)?.type).toBe('schedulerShutdown');
  });
});
