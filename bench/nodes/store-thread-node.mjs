// One drain of a store in a database: `storeThread`, `url` (empty: a SQLite file) and `n` on the command line, a line of JSON at
// the end. A process of its own each time, so that no side finds the code of the other already compiled.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createScheduler, newJob, newTrigger } from '../../dist/index.mjs';

const [storeThread, url, n] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'quartz-bench-'));
const store =
  url === ''
    ? { jobStore: { class: 'sqlite', path: join(folder, 'quartz.db'), storeThread } }
    : { jobStore: { class: 'sql', dataSource: 'd', schema: 'create', storeThread }, dataSource: { d: { URL: url } } };

const scheduler = await createScheduler(
  { ...store, scheduler: { instanceName: `bench-${process.pid}`, instanceId: 'AUTO' } },
  { jobs: { empty: async () => {} }, logger: pino({ level: 'silent' }) },
);
const due = new Date(Date.now() - 1_000);
const triggers = Array.from({ length: Number(n) }, (_, index) =>
  newTrigger().withIdentity(`t${index}`).startAt(due).build(),
);
const job = newJob('empty').withIdentity('empty').storeDurably().build();
await scheduler.scheduleJob(job, triggers, { replace: true });

let completed = 0;
const done = new Promise((resolve) => {
  scheduler.subscribe(({ type }) => {
    if (type === 'triggerCompleted' && ++completed === triggers.length) resolve();
  });
});
const from = performance.now();
const loop = performance.eventLoopUtilization();
const cpu = process.cpuUsage();
await scheduler.start();
await done;
const { user, system } = process.cpuUsage(cpu);
const figures = {
  perSecond: (triggers.length * 1_000) / (performance.now() - from),
  cpuPerFiring: (user + system) / triggers.length,
  mainLoopBusy: performance.eventLoopUtilization(loop).utilization,
};
await scheduler.clear();
await scheduler.shutdown({ waitForJobs: true });
rmSync(folder, { recursive: true, force: true });
console.log(JSON.stringify(figures));
