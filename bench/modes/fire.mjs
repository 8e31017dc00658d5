import { loadMemory } from '../lib/load-memory.mjs';
import { ourScheduler } from '../lib/our-scheduler.mjs';
import { Recorder } from '../lib/recorder.mjs';
import { standardInput } from '../lib/standard-input.mjs';

/** How often it says how many jobs have started, in milliseconds. */
const REPORT = 20;

/**
 * Fires what is in the tables, or what it is told to load into memory, from one line on the input to the next. `warm`: lateness
 * counts only after so many ms. `together`: so many nodes in this process.
 */
export async function run(settings) {
  const recorder = new Recorder();
  const ids = Array.from({ length: settings.number('together', 1) }, (_, at) => `${settings.text('id', 'n1')}.${at}`);
  const schedulers = await Promise.all(ids.map((id) => ourScheduler(settings, { noop: recorder.job }, id)));
  await loadMemory(schedulers[0], settings);
  const nextLine = standardInput();
  console.log('READY');
  await nextLine();
  const begun = { cpu: process.cpuUsage(), wall: performance.now(), since: Date.now() + settings.number('warm', 0) };
  await Promise.all(schedulers.map((scheduler) => scheduler.start()));
  console.log(`STARTED ${Date.now()}`);
  let told = -1;
  const report = setInterval(
    () => {
      if (recorder.count !== told) console.log(`P ${recorder.count}`);
      told = recorder.count;
    },
    settings.number('report', REPORT),
  );
  await nextLine();
  clearInterval(report);
  const { user, system } = process.cpuUsage(begun.cpu);
  const spent = { cpuMs: (user + system) / 1_000, wallMs: performance.now() - begun.wall };
  console.log(`R ${JSON.stringify({ ...recorder.result(begun.since), ...spent })}`);
  await Promise.all(schedulers.map((scheduler) => scheduler.shutdown()));
}
