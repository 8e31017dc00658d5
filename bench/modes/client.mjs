import { setTimeout as pause } from 'node:timers/promises';
import { newJob, newTrigger } from '../../dist/index.mjs';
import { ourScheduler } from '../lib/our-scheduler.mjs';
import { standardInput } from '../lib/standard-input.mjs';

/** A member of the cluster that is never started schedules `n` jobs for now, about `gap` ms apart. */
export async function run(settings) {
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
