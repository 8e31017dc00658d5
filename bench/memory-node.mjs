// One scheduler on the memory store, speaking the harness's lines. Arguments: key=value, as the Java harness takes them.
import { createInterface } from 'node:readline';
import { createScheduler, newJob, newTrigger, simpleSchedule } from '../dist/index.mjs';

const settings = Object.fromEntries(process.argv.slice(2).map((arg) => arg.split('=')));
const number = (key, fallback) => Number(settings[key] ?? fallback);
const count = number('n', 1000);
const kind = settings.kind ?? 'many';

const startedAt = new Float64Array(Math.max(count * 4, 1024));
const lateness = new Float64Array(startedAt.length);
let fired = 0;
const noop = async (context) => {
  const now = Date.now();
  const i = fired++;
  if (i < startedAt.length) {
    startedAt[i] = now;
    lateness[i] = now - context.scheduledFireTime.getTime();
  }
};

const scheduler = await createScheduler(
  {
    'org.quartz.threadPool.threadCount': number('threads', 25),
    'org.quartz.scheduler.batchTriggerAcquisitionMaxCount': number('batch', 100),
  },
  { jobs: { noop } },
);
await load();
console.log('READY');

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
await lines.next();
const cpu = process.cpuUsage();
const wall = performance.now();
await scheduler.start();
console.log(`STARTED ${Date.now()}`);
let last = -1;
const report = setInterval(
  () => {
    if (fired !== last) console.log(`P ${fired}`);
    last = fired;
  },
  number('report', 50),
);
await lines.next();
clearInterval(report);
console.log(`R ${JSON.stringify(result())}`);
process.exit(0);

async function load() {
  const base = Date.now() + number('delay', 0);
  const spread = number('spread', 0);
  const startAt = (i) => new Date(base + Math.floor((i * spread) / count));
  if (kind === 'none') return;
  if (kind === 'many') {
    for (let from = 0; from < count; from += 10_000) {
      const jobs = new Map();
      for (let i = from; i < Math.min(count, from + 10_000); i++) {
        jobs.set(newJob('noop').withIdentity(`j${i}`, 'due').build(), [
          newTrigger().withIdentity(`t${i}`, 'due').startAt(startAt(i)).withSchedule(simpleSchedule()).build(),
        ]);
      }
      await scheduler.scheduleJobs(jobs, { replace: false });
    }
    return;
  }
  const job = newJob('noop').withIdentity('one', 'due').storeDurably().build();
  for (let from = 0; from < count; from += 10_000) {
    const triggers = [];
    for (let i = from; i < Math.min(count, from + 10_000); i++) {
      triggers.push(
        newTrigger().withIdentity(`t${i}`, 'due').startAt(startAt(i)).withSchedule(simpleSchedule()).build(),
      );
    }
    await scheduler.scheduleJob(job, triggers, { replace: true });
  }
}

function result() {
  const used = process.cpuUsage(cpu);
  const seen = Math.min(fired, startedAt.length);
  const late = lateness.slice(0, seen).sort();
  const at = (fraction) => late[Math.min(seen - 1, Math.floor(seen * fraction))];
  return {
    count: fired,
    first: startedAt[0],
    last: seen === 0 ? 0 : startedAt.slice(0, seen).reduce((a, b) => Math.max(a, b), 0),
    cpuMs: (used.user + used.system) / 1000,
    wallMs: performance.now() - wall,
    ...(seen > 0 ? { p50: at(0.5), p99: at(0.99), max: late[seen - 1] } : {}),
  };
}
