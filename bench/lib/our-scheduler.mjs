import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { createScheduler, newJob, newTrigger } from './our-build.mjs';
import { profileThreads } from './profiled-threads.mjs';

/** Of every scheduler of the harness, ours and the others. */
export const SCHEDULER = 'bench';

/**
 * A scheduler of ours in the tables that `settings` name: `url` (mysql://…) or `path` (a SQLite file), else in memory. What is
 * not said has its default; `set.<key>` sets any key of the configuration.
 */
export function ourScheduler(settings, jobs, id = settings.text('id', 'n1'), create = createScheduler) {
  profileThreads();
  const keys = {
    'scheduler.instanceName': SCHEDULER,
    'scheduler.instanceId': id,
    'scheduler.batchTriggerAcquisitionMaxCount': settings.text('batch'),
    'threadPool.threadCount': settings.text('threads'),
    'jobStore.clusterCheckinInterval': settings.text('checkin'),
    'jobStore.clusterCheckinGrace': settings.text('grace'),
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

/** Milliseconds of one bucket of `result().b`, by which nodes that worked side by side are added up. */
export const BUCKET = 10;

/** Notes when each job started and how late that was, at next to no cost for the job. */
export class Recorder {
  #startedAt = new Float64Array(1 << 16);
  #lateness = new Float64Array(1 << 16);
  #count = 0;
  #fired = [];

  get count() {
    return this.#count;
  }

  /** The job: nothing but its own note. */
  job = async (context) => {
    const now = Date.now();
    if (this.#count === this.#startedAt.length) this.#grow();
    this.#startedAt[this.#count] = now;
    this.#lateness[this.#count++] = now - context.scheduledFireTime.getTime();
  };

  /** The job, if every firing is to be checked: also notes which trigger fired, and for what time. */
  listedJob = (context) => {
    this.#fired.push([context.trigger.key.name, context.scheduledFireTime.getTime()]);
    return this.job(context);
  };

  /** Trigger and fire time of each start of `listedJob`. */
  get fired() {
    return this.#fired;
  }

  /**
   * What a node answers after `R `; lateness only of jobs that started at `since` or later: `l` counts it by whole milliseconds, so that
   * nodes can be added up.
   */
  result(since = 0) {
    const startedAt = this.#startedAt.subarray(0, this.#count);
    const late = this.#lateness.subarray(0, this.#count).filter((_, i) => startedAt[i] >= since);
    const b = {};
    for (const at of startedAt) b[Math.floor(at / BUCKET)] = (b[Math.floor(at / BUCKET)] ?? 0) + 1;
    const first = startedAt.reduce((a, x) => Math.min(a, x), this.#count === 0 ? 0 : Infinity);
    const last = startedAt.reduce((a, x) => Math.max(a, x), 0);
    const l = {};
    for (const millis of late) l[millis] = (l[millis] ?? 0) + 1;
    return { count: this.#count, first, last, l, b };
  }

  #grow() {
    const doubled = (numbers) => {
      const more = new Float64Array(numbers.length * 2);
      more.set(numbers);
      return more;
    };
    this.#startedAt = doubled(this.#startedAt);
    this.#lateness = doubled(this.#lateness);
  }
}

const CHUNK = 10_000;

/** Stores `n` one-shot triggers, due in `delay` ms: `kind=many` with a job each, `kind=one` on one durable job. */
export async function loadMemory(scheduler, settings) {
  const count = settings.number('n', 0);
  const at = new Date(Date.now() + settings.number('delay', 0));
  const trigger = (i) => newTrigger().withIdentity(`t${i}`, 'due').startAt(at).build();
  const one = newJob('noop').withIdentity('one', 'due').storeDurably().build();
  for (let from = 0; from < count; from += CHUNK) {
    const numbers = Array.from({ length: Math.min(CHUNK, count - from) }, (_, i) => from + i);
    if (settings.text('kind', 'many') === 'one') {
      await scheduler.scheduleJob(one, numbers.map(trigger), { replace: true });
    } else {
      const pairs = numbers.map((i) => [newJob('noop').withIdentity(`j${i}`, 'due').build(), [trigger(i)]]);
      await scheduler.scheduleJobs(new Map(pairs), { replace: false });
    }
  }
}

/** Lines of whoever started this process: each call waits for the next one. */
export function standardInput() {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  return () => lines.next();
}
