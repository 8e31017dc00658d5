import type { Job, Trigger } from '../../src';
import { newJob } from '../../src/api/builders/job-builder';
import { newTrigger } from '../../src/api/builders/trigger-builder';
import { yieldToEventLoop } from '../../src/base/yield-to-event-loop';
import { until } from '../support/until';
import { describeOnServerFirst } from './support/engines';
import { LocalSchedulers } from './support/local-schedulers';
import type { Tables } from './support/tables';

/* Firings in flight are stored as executing and not completed, so that a killed node loses them. */

const WORKERS = 5;
const COUNT = 500;

function describeInFlight(create: () => Promise<Tables>): void {
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

  it.each([
    ['a backlog of short runs', null],
    ['a backlog of short runs under a scarce limit', { key: 'mail', limit: 2 }],
  ])('do not exceed the number of workers with %s', async (_, concurrency) => {
    const ran = new Map<string, number>();
    const inFlight = { fired: 0, ended: 0, largest: 0 };
    const short: Job = async ({ trigger }) => {
      await yieldToEventLoop();
      ran.set(trigger.key.name, (ran.get(trigger.key.name) ?? 0) + 1);
      inFlight.ended++;
    };
    const { scheduler } = await local.create('a', { jobs: { short }, threadPool: { threadCount: WORKERS } });
    scheduler.subscribe((event) => {
      inFlight.fired += event.type === 'triggersAcquired' ? event.count : 0;
      inFlight.ended += event.type === 'firingDeferred' ? 1 : 0;
      inFlight.largest = Math.max(inFlight.largest, inFlight.fired - inFlight.ended);
    });
    const job = newJob('short').withIdentity('short').storeDurably();
    if (concurrency !== null) job.withConcurrency(concurrency);
    const start = Date.now();
    const triggers: Trigger[] = Array.from({ length: COUNT }, (_, at) =>
      newTrigger()
        .withIdentity(`t${at}`)
        .startAt(new Date(start - COUNT + at))
        .build(),
    );
    await scheduler.scheduleJob(job.build(), triggers, { replace: true });
    await scheduler.start();
    await until(
      () => ran.size,
      (size) => size === COUNT,
    );
    await local.shutdown();
    expect([inFlight.largest <= WORKERS, inFlight.largest > 1, Math.max(...ran.values())]).toEqual([true, true, 1]);
  });
}

/* The node counts its workers, independent of its store. */
describe('firings in flight', () => describeOnServerFirst(describeInFlight));
