import { setTimeout as pause } from 'node:timers/promises';
import { newJob, newTrigger } from '../../dist/index.mjs';
import { ourScheduler } from '../lib/our-scheduler.mjs';
import { standardInput } from '../lib/standard-input.mjs';
import { percentile } from '../lib/statistics.mjs';

/** From the call that schedules a job for now to its first line: one after the other, after `skip` that do not count. */
export async function run(settings) {
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
  const cpu = process.cpuUsage();
  const count = settings.number('n', 300);
  const times = [];
  for (let i = 0; i < count; i++) times.push(await schedule(`l${i}`));
  const { user, system } = process.cpuUsage(cpu);
  const at = (of, fraction) => percentile(times.map(of), fraction);
  const toRun = (time) => time.toRun;
  const figures = {
    p50: at(toRun, 0.5),
    p99: at(toRun, 0.99),
    max: at(toRun, 1),
    callP50: at((time) => time.call, 0.5),
  };
  console.log(`R ${JSON.stringify({ count, ...figures, cpuMs: (user + system) / 1_000 })}`);
  await scheduler.shutdown();
}
