import { newJob, newTrigger } from '../../dist/index.mjs';
import { ourScheduler } from '../lib/our-scheduler.mjs';
import { standardInput } from '../lib/standard-input.mjs';
import { percentile } from '../lib/statistics.mjs';

const MONTH = 30 * 86_400_000;

/** One client that schedules as fast as it can: `bulk=1` one at a time, more in sets of so many. Never started. */
export async function run(settings) {
  const scheduler = await ourScheduler(settings, { noop: async () => {} });
  const nextLine = standardInput();
  const inAMonth = new Date(Date.now() + MONTH);
  const schedule = client(scheduler, settings.number('bulk', 1), inAMonth);
  console.log('READY');
  await nextLine();
  await schedule(settings.number('warm', 1_000));
  console.log('WARM');
  await nextLine();
  const cpu = process.cpuUsage();
  const begun = performance.now();
  const { count, calls } = await schedule(settings.number('millis', 5_000));
  const perSecond = (count * 1_000) / (performance.now() - begun);
  const { user, system } = process.cpuUsage(cpu);
  const times = { callP50: percentile(calls, 0.5), callP99: percentile(calls, 0.99) };
  console.log(`R ${JSON.stringify({ count, perSecond, ...times, cpuMs: (user + system) / 1_000 })}`);
  await scheduler.shutdown();
}

/** Schedules for so many milliseconds: how many, and how long each call took. */
function client(scheduler, bulk, at) {
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
