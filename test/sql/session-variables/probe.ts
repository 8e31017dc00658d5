import { createScheduler, HolidayCalendar, newJob, type Scheduler } from '../../../src/index';
import { until } from '../../support/until';

const TEXT = 'ä 任务 👷 \'"\\ \u0001 ';

/** Steps that jobs report, with a way to wait for them. */
class Steps {
  readonly #done: string[] = [];
  #notify = () => {};

  readonly add = (step: string): void => {
    this.#done.push(step);
    this.#notify();
  };

  async whenAll(count: number): Promise<readonly string[]> {
    while (this.#done.length < count)
      await new Promise<void>((resolve) => {
        this.#notify = resolve;
      });
    return [...this.#done].sort();
  }
}

let probes = 0;

/**
 * Uses the database through a scheduler, and returns the results without values that differ each time. Each call has its own scheduler.
 * Rejects if it takes longer than `timeoutMs`.
 */
export async function probe(url: string, timeoutMs: number): Promise<unknown> {
  const scheduler = await createScheduler({
    scheduler: { instanceName: `Probe ${probes++}`, logLevel: 'silent' },
    dataSource: { main: { URL: url } },
    jobStore: { class: 'mysql', dataSource: 'main', schema: 'migrate', storeThread: false },
  } as never);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The probe did not end within ${timeoutMs} ms.`)), timeoutMs);
  });
  try {
    return await Promise.race([late, use(scheduler as Scheduler)]);
  } finally {
    clearTimeout(timer);
    await scheduler.shutdown();
  }
}

async function use(scheduler: Scheduler): Promise<unknown> {
  const steps = new Steps();
  await storeLater(scheduler);
  await storeNow(scheduler, steps);
  await scheduler.start();
  const done = await steps.whenAll(11);
  await until(
    () => scheduler.listExecutingJobs(),
    (running) => running.length === 0,
  );
  await scheduler.pauseJob('nightly', { reason: TEXT, by: 'ann' });
  const pauses = (await scheduler.getTriggersOfJob('nightly')).map(({ key }) => scheduler.getTriggerState(key));
  const states = await Promise.all(pauses);
  await scheduler.resumeJob('nightly');
  const [nightly] = await scheduler.getTriggersOfJob('nightly');
  await scheduler.deleteJob('monthly');
  return {
    done,
    states,
    nextFireTime: nightly?.nextFireTime?.toISOString(),
    data: (await scheduler.getJobDetail('nightly'))?.data,
    calendar: (await scheduler.getCalendar('holidays'))?.toJSON(),
    deadLetters: (await scheduler.listDeadLetters()).items.map(({ jobKey, error }) => [jobKey.name, error]),
    runs: (await scheduler.listRuns({ limit: 50 })).items
      .map(({ jobKey, outcome, lines }) => [jobKey.name, outcome, lines.length])
      .sort(),
    jobs: (await scheduler.listJobs()).items.map(({ key }) => key.name).sort(),
  };
}

/** Stores jobs that do not run: texts, a calendar, time zones, months. */
async function storeLater(scheduler: Scheduler): Promise<void> {
  await scheduler.addCalendar('holidays', new HolidayCalendar({ excludedDates: ['2031-12-24'] }));
  const nothing = () => {};
  const startAt = new Date('2031-01-01T00:00:00Z');
  const nightly = { cron: '0 30 2 ? * MON-FRI', timeZone: 'Europe/Berlin', calendar: 'holidays', startAt } as const;
  await scheduler.schedule('nightly', { ...nightly, data: { text: TEXT } }, nothing);
  await scheduler.schedule('monthly', { every: 'P1M', startAt: new Date('2031-01-31T10:00:00Z') }, nothing);
}

/** Stores jobs that run now, in eleven steps: retries, checkpoints, chains, parts, limits and rates. */
async function storeNow(scheduler: Scheduler, { add }: Steps): Promise<void> {
  const now = { at: new Date(), history: 'all' } as const;
  const fail = () => {
    throw new Error(TEXT);
  };
  await scheduler.schedule('text', { ...now, data: { text: TEXT } }, ({ data, log }) => {
    log.info(TEXT);
    add(`text ${data.text === TEXT}`);
    return { text: TEXT };
  });
  await scheduler.schedule('retried', { ...now, retry: ['1ms', '1ms'] }, async (context) => {
    if (context.attempt === 1) await context.checkpoint({ text: TEXT });
    if (context.attempt < 3) fail();
    add(`retried ${context.attempt} ${JSON.stringify(context.resumeFrom)}`);
  });
  await scheduler.schedule('follower', { after: 'retried' }, ({ origin }) => add(`follows ${origin?.outcome}`));
  await scheduler.schedule('failed', now, fail);
  await scheduler.schedule('alarm', { after: 'failed', on: 'failure' }, ({ origin }) =>
    add(`follows ${origin?.outcome}`),
  );
  await scheduler.schedule('spread', { ...now, spread: { shards: 3 } }, ({ shard }) => add(`part ${shard?.index}`));
  const concurrency = { key: 'key {data.customer}', limit: 1 };
  const limited = newJob('limited')
    .withIdentity('limited')
    .storeDurably()
    .withConcurrency(concurrency)
    .withRate({ limit: 100, per: '1s' });
  scheduler.registerJob('limited', ({ data }) => add(`limited ${data.n}`));
  await scheduler.addJob(limited.build());
  for (let n = 0; n < 4; n++) await scheduler.triggerJob('limited', { n, customer: `${TEXT}${n % 2}` });
}
