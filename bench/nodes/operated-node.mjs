// A node of ours with a console, in a process of its own: node operated-node.mjs key=value …

import { serveConsole } from '../lib/console-server.mjs';
import { settings as readSettings } from '../lib/options.mjs';
import { ourScheduler, standardInput } from '../lib/our-scheduler.mjs';
import { DUE } from '../lib/tables.mjs';

/*
 * Prints `URL …`, where its console answers. With `fires=1` a line on its input starts it; each further line is answered with `R` and the
 * starts of jobs of the group DUE since the answer before: when they were scheduled, and when they started.
 */

const settings = readSettings(process.argv.slice(2));
let starts = [];
const noop = async ({ trigger, scheduledFireTime }) => {
  if (trigger.key.group === DUE) starts.push([scheduledFireTime.getTime(), Date.now()]);
};
const scheduler = await ourScheduler(settings, { noop, seldom: async () => {} });
const { url } = await serveConsole(scheduler);
const nextLine = standardInput();
console.log(`URL ${url}`);
if (settings.number('fires', 0) === 1) {
  await nextLine();
  await scheduler.start();
  console.log('READY');
}
while (!(await nextLine()).done) {
  console.log(`R ${JSON.stringify({ starts })}`);
  starts = [];
}
