import { newJob, newTrigger } from '../../dist/index.mjs';

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
