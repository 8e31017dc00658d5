// One node of ours in a process of its own, speaking the harness's lines: node our-node.mjs MODE key=value …

import { setTimeout as pause } from 'node:timers/promises';
import { settings as readSettings } from '../lib/options.mjs';
import { newJob, newTrigger } from '../lib/our-build.mjs';
import { loadMemory, ourScheduler, Recorder, standardInput } from '../lib/our-scheduler.mjs';
import { percentile } from '../lib/statistics.mjs';
import { TEMPLATE } from '../lib/tables.mjs';
import { timedRetention } from '../lib/timed-retention.mjs';

/** How often it reports how many jobs have started. */
const REPORT_INTERVAL_MS = 20;

/**
 * Fires the triggers in the tables, or those that it loads into memory, from one line on its input to the next. `warm`: lateness counts after so
 * many ms. `together`: number of nodes in this process. `retention=1`: deletes recorded runs from the start on, and times the deletions. `list=1`:
 * the result names every firing.
 */
async function fire(settings) {
  const { pieces, createScheduler } = settings.number('retention', 0) === 1 ? timedRetention() : {};
  const recorder = new Recorder();
  const ids = Array.from({ length: settings.number('together', 1) }, (_, at) => `${settings.text('id', 'n1')}.${at}`);
  const isListed = settings.number('list', 0) === 1;
  const jobs = { noop: isListed ? recorder.listedJob : recorder.job };
  const schedulers = await Promise.all(ids.map((id) => ourScheduler(settings, jobs, id, createScheduler)));
  await loadMemory(schedulers[0], settings);
  const nextLine = standardInput();
  console.log('READY');
  await nextLine();
  recorder.since = Date.now() + settings.number('warm', 0);
  const cpuMs = cpuTime();
  await Promise.all(schedulers.map((scheduler) => scheduler.start()));
  console.log('STARTED');
  let reported = -1;
  const report = setInterval(
    () => {
      if (recorder.count !== reported) console.log(`P ${recorder.count}`);
      reported = recorder.count;
    },
    settings.number('report', REPORT_INTERVAL_MS),
  );
  await nextLine();
  clearInterval(report);
  const result = { ...recorder.result(), cpuMs: cpuMs(), pieces };
  await Promise.all(schedulers.map((scheduler) => scheduler.shutdown({ waitForJobs: true })));
  console.log(`R ${JSON.stringify({ ...result, ...(isListed && { fired: recorder.fired }) })}`);
}

/** Measures the CPU time of this process from now on, in milliseconds. */
function cpuTime() {
  const begun = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1_000;
  };
}

const MONTH_MS = 30 * 86_400_000;

/** One client that schedules as fast as it can: `bulk=1` one at a time, more in sets of so many. Never started. */
async function schedule(settings) {
  const scheduler = await ourScheduler(settings, { noop: async () => {} });
  const nextLine = standardInput();
  const inAMonth = new Date(Date.now() + MONTH_MS);
  const scheduleFor = bulkClient(scheduler, settings.number('bulk', 1), inAMonth);
  console.log('READY');
  await nextLine();
  await scheduleFor(settings.number('warm', 1_000));
  console.log('WARM');
  await nextLine();
  const cpuMs = cpuTime();
  const begun = performance.now();
  const { count, calls } = await scheduleFor(settings.number('millis', 5_000));
  const perSecond = (count * 1_000) / (performance.now() - begun);
  const times = { callP50: percentile(calls, 0.5), callP99: percentile(calls, 0.99) };
  console.log(`R ${JSON.stringify({ count, perSecond, ...times, cpuMs: cpuMs() })}`);
  await scheduler.shutdown();
}

/** Schedules for so many milliseconds: how many, and how long each call took. */
function bulkClient(scheduler, bulk, at) {
  let stored = 0;
  const pair = () => {
    const name = `s${stored++}`;
    return [
      newJob('noop').withIdentity(name, 'due').build(),
      newTrigger().withIdentity(name, 'due').startAt(at).build(),
    ];
  };
  const one = () => scheduler.scheduleJob(...pair());
  const set = () => {
    const pairs = Array.from({ length: bulk }, pair).map(([job, trigger]) => [job, [trigger]]);
    return scheduler.scheduleJobs(new Map(pairs), { replace: false });
  };
  return async (millis) => {
    const before = stored;
    const calls = [];
    for (const end = performance.now() + millis; performance.now() < end; ) {
      const begun = performance.now();
      await (bulk === 1 ? one() : set());
      calls.push(performance.now() - begun);
    }
    return { count: stored - before, calls };
  };
}

/** From the call that schedules a job for now to its first line: one after the other, after `skip` that do not count. */
async function latency(settings) {
  let ran;
  const scheduler = await ourScheduler(settings, { ping: async () => ran(performance.now()) });
  const nextLine = standardInput();
  await scheduler.start();
  const schedule = async (name) => {
    const begins = new Promise((resolve) => {
      ran = resolve;
    });
    const begun = performance.now();
    const job = newJob('ping').withIdentity(name, 'due').build();
    await scheduler.scheduleJob(job, newTrigger().withIdentity(name, 'due').startNow().build());
    const call = performance.now() - begun;
    const toRun = (await begins) - begun;
    await pause(20 + Math.random() * 30);
    return { toRun, call };
  };
  console.log('READY');
  await nextLine();
  for (let i = 0; i < settings.number('skip', 100); i++) await schedule(`skip${i}`);
  console.log('WARM');
  await nextLine();
  const cpuMs = cpuTime();
  const count = settings.number('n', 300);
  const times = [];
  for (let i = 0; i < count; i++) times.push(await schedule(`l${i}`));
  const at = (of, fraction) => percentile(times.map(of), fraction);
  const toRun = (time) => time.toRun;
  const figures = {
    p50: at(toRun, 0.5),
    p99: at(toRun, 0.99),
    max: at(toRun, 1),
    callP50: at((time) => time.call, 0.5),
  };
  console.log(`R ${JSON.stringify({ count, ...figures, cpuMs: cpuMs() })}`);
  await scheduler.shutdown();
}

/** A member of the cluster that is never started schedules `n` jobs for now, about `gap` ms apart. */
async function client(settings) {
  const scheduler = await ourScheduler(settings, { noop: async () => {} });
  const nextLine = standardInput();
  const count = settings.number('n', 120);
  const gap = settings.number('gap', 250);
  console.log('READY');
  await nextLine();
  for (let i = 0; i < count; i++) {
    const name = `c${i}`;
    const job = newJob('noop').withIdentity(name, 'due').build();
    await scheduler.scheduleJob(job, newTrigger().withIdentity(name, 'due').startNow().build());
    await pause(gap / 2 + Math.random() * gap);
  }
  console.log(`R ${JSON.stringify({ count })}`);
  await scheduler.shutdown();
}

/** Stores the job and the trigger that are multiplied later, or replaces them. `kind`: as in `JOB_KINDS`, with `limit`. */
async function template(settings) {
  const scheduler = await ourScheduler(settings, { noop: async () => {} }, 'loader');
  const job = newJob('noop').withIdentity(TEMPLATE, TEMPLATE).storeDurably();
  const kind = settings.text('kind', 'plain');
  if (kind === 'alone') job.disallowConcurrentExecution();
  if (kind === 'limited') job.withConcurrency({ key: 'key-0', limit: settings.number('limit') });
  const trigger = newTrigger()
    .withIdentity(TEMPLATE, TEMPLATE)
    .startAt(new Date(Date.now() + 3_600_000));
  await scheduler.scheduleJob(job.build(), [trigger.build()], { replace: true });
  await scheduler.shutdown();
}

const MODES = { template, fire, schedule, latency, client };

const [mode, ...args] = process.argv.slice(2);
await MODES[mode](readSettings(args));
process.stdout.write('', () => process.exit(0));
