import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { createScheduler, newJob, newTrigger } from './our-build.mjs';

/** Of every scheduler of the harness, ours and the others. */
export const SCHEDULER = 'bench';

/**
 * A scheduler of ours in the tables that `settings` name: `url` (mysql://…) or `path` (a SQLite file), else in memory. What is
 * not said has its default; `set.<key>` sets any key of the configuration.
 */
export function ourScheduler(settings, jobs, id = settings.text('id', 'n1'), create = createScheduler) {
  const keys = {
    'scheduler.instanceName': SCHEDULER,
    'scheduler.instanceId': id,
    'scheduler.batchTriggerAcquisitionMaxCount': settings.text('batch'),
    'threadPool.threadCount': settings.text('threads'),
    ...store(settings),
    ...Object.fromEntries(settings.beginning('set.')),
  };
  const config = Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== undefined));
  return create(config, { jobs, logger: pino({ level: settings.text('log', 'warn') }, pino.destination(2)) });
}

function store(settings) {
  const [path, url] = [settings.text('path'), settings.text('url')];
  if (path !== undefined) return { 'jobStore.class': 'sqlite', 'jobStore.path': path };
  if (url === undefined) return {};
  return { 'jobStore.class': 'sql', 'jobStore.dataSource': 'bench', 'dataSource.bench.URL': url };
}

/** Counts the starts of jobs and their lateness, at next to no cost for the job. */
export class Recorder {
  count = 0;
  /** Trigger and fire time of each start of `listedJob`. */
  fired = [];
  /** Lateness counts only of jobs that start at this time or later. */
  since = 0;
  #first = 0;
  #last = 0;
  #lateness = new Map();

  job = async (context) => {
    const now = Date.now();
    if (this.count++ === 0) this.#first = now;
    this.#last = now;
    if (now < this.since) return;
    const late = now - context.scheduledFireTime.getTime();
    this.#lateness.set(late, (this.#lateness.get(late) ?? 0) + 1);
  };

  /** The job, if every firing is checked. */
  listedJob = (context) => {
    this.fired.push([context.trigger.key.name, context.scheduledFireTime.getTime()]);
    return this.job(context);
  };

  /** Result of a node. `l`: number of firings by lateness in whole milliseconds, so that nodes can be added up. */
  result() {
    return { count: this.count, first: this.#first, last: this.#last, l: Object.fromEntries(this.#lateness) };
  }
}

const CHUNK = 10_000;

/** Stores `n` due one-shot triggers in memory: `jobs=many` with a job each, `jobs=one` with one durable job. */
export async function loadMemory(scheduler, settings) {
  const count = settings.number('n', 0);
  const now = new Date();
  const trigger = (i) => newTrigger().withIdentity(`t${i}`, 'due').startAt(now).build();
  const one = newJob('noop').withIdentity('one', 'due').storeDurably().build();
  for (let from = 0; from < count; from += CHUNK) {
    const numbers = Array.from({ length: Math.min(CHUNK, count - from) }, (_, i) => from + i);
    if (settings.text('jobs') === 'one') {
      await scheduler.scheduleJob(one, numbers.map(trigger), { replace: true });
    } else {
      const pairs = numbers.map((i) => [newJob('noop').withIdentity(`j${i}`, 'due').build(), [trigger(i)]]);
      await scheduler.scheduleJobs(new Map(pairs), { replace: false });
    }
  }
}

/** Lines that the parent process writes: each call waits for the next one. */
export function standardInput() {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  return () => lines.next();
}
