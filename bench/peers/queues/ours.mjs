import { newJob, newTrigger } from '../../../dist/index.mjs';
import { ourScheduler } from '../../lib/our-scheduler.mjs';

/** Jobs of ours: one durable job per call, as a queue stores them. `began`: called with the time that `one` was given. */
export async function open(settings, began) {
  const noop = async ({ data }) => began(data.at);
  const id = `${settings.text('what')}-${process.pid}`;
  const scheduler = await ourScheduler(settings, { noop }, id);
  let count = 0;
  const next = (at) => {
    const name = `${process.pid}-${++count}`;
    const trigger = newTrigger().withIdentity(name, 'peers').startNow();
    if (at !== undefined) trigger.usingJobData({ at });
    return [newJob('noop').withIdentity(name, 'peers').build(), trigger.build()];
  };
  return {
    one: (at) => scheduler.scheduleJob(...next(at)),
    bulk: (length) =>
      scheduler.scheduleJobs(
        new Map(
          Array.from({ length }, () => {
            const [job, trigger] = next();
            return [job, [trigger]];
          }),
        ),
      ),
    work: () => scheduler.start(),
    close: () => scheduler.shutdown(),
  };
}
