import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Job, Scheduler, Trigger } from '../../src';
import { newJob } from '../../src/api/builders/job-builder';
import { newTrigger } from '../../src/api/builders/trigger-builder';
import { yieldToEventLoop } from '../../src/base/yield-to-event-loop';
import { describeOnAnyServer, sharedServer } from '../support/database/test-database';
import { memoryFolder } from '../support/memory-folder.cjs';
import { until } from '../support/until';
import { LocalSchedulers } from './support/local-schedulers';
import { mysqlTables, sqliteTables, type Tables } from './support/tables';

/* A backlog of short jobs: batches that contain several firings for each worker. */

const WORKERS = 5;
const COUNT = 2_000;
/** The position in the backlog of as many long runs as there are workers. By then, the job counts as short. */
const LONG_FROM = 1_000;

async function scheduleBacklog(scheduler: Scheduler): Promise<void> {
  const start = Date.now();
  const triggers: Trigger[] = Array.from({ length: COUNT }, (_, at) =>
    newTrigger()
      .withIdentity(`t${at}`)
      .startAt(new Date(start - COUNT + at))
      .usingJobData({ at })
      .build(),
  );
  await scheduler.scheduleJob(newJob('short').withIdentity('short').storeDurably().build(), triggers, {
    replace: true,
  });
}

/** A short job. With `isLong`, some runs last until `end` is called. */
function short(isLong = false) {
  const ran = new Map<string, number>();
  const running = { now: 0, most: 0 };
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const job: Job = async ({ trigger, mergedJobDataMap }) => {
    running.most = Math.max(running.most, ++running.now);
    const at = Number(mergedJobDataMap.at);
    await yieldToEventLoop();
    if (isLong && at >= LONG_FROM && at < LONG_FROM + WORKERS) await ended;
    ran.set(trigger.key.name, (ran.get(trigger.key.name) ?? 0) + 1);
    running.now--;
  };
  return { job, ran, running, end };
}

function describeAhead(create: () => Promise<Tables>): void {
  let tables: Tables;
  let local: LocalSchedulers;

  beforeAll(async () => {
    tables = await create();
  });

  beforeEach(() => {
    local = new LocalSchedulers(tables);
  });

  afterEach(() => local.shutdown());

  afterAll(() => tables.drop());

  const node = (name: string, job: Job) =>
    local.create(name, { jobs: { short: job }, threadPool: { threadCount: WORKERS } });

  it('runs each firing once, and never more jobs at a time than there are workers', async () => {
    const { job, ran, running } = short();
    const { scheduler, events } = await node('a', job);
    await scheduleBacklog(scheduler);
    await scheduler.start();
    const largest = () => Math.max(...events.map((event) => (event.type === 'triggersAcquired' ? event.count : 0)));
    for (let rounds = 1; rounds === 1 || largest() <= WORKERS; rounds++) {
      // on a busy machine, runs count as short later
      if (rounds > 1) await scheduleBacklog(scheduler);
      await until(
        () => [...ran.values()].reduce((sum, count) => sum + count, 0),
        (count) => count === COUNT * rounds,
      );
    }
    await local.shutdown();
    expect([running.most, new Set(ran.values()).size, ran.size]).toEqual([WORKERS, 1, COUNT]);
  });

  it('hands over the firings that wait for long runs to a node whose workers are free', async () => {
    const { job, ran, running, end } = short(true);
    const { scheduler } = await node('a', job);
    await scheduleBacklog(scheduler);
    await scheduler.start();
    await until(
      () => running.now,
      (now) => now === WORKERS,
    );
    const other = await node('b', job);
    await other.scheduler.start();
    await until(
      () => ran.size,
      (size) => size === COUNT - WORKERS,
    );
    end();
    await until(
      () => ran.size,
      (size) => size === COUNT,
    );
    await local.shutdown();
    expect(Math.max(...ran.values())).toBe(1);
  });
}

describe('batches ahead on SQLite', () => {
  describeAhead(async () => {
    const folder = memoryFolder('quartz-ahead-');
    const tables = sqliteTables(join(folder, 'quartz.db'));
    const drop = async () => {
      await tables.drop();
      rmSync(folder, { recursive: true, force: true });
    };
    return { ...tables, drop };
  });
});

describeOnAnyServer('batches ahead on a server', () => {
  describeAhead(async () => mysqlTables(await sharedServer()));
});
