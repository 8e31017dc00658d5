// A node of ours with a console, in a process of its own: node operated-node.mjs key=value …

import { createServer } from 'node:http';
import { createConsole } from '../../dist/console.mjs';
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
const actor = { name: 'bench', role: 'admin', via: 'http', from: null };
const shown = createConsole(scheduler, { auth: { authenticate: async () => actor } });
const server = createServer(shown.listener);
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const nextLine = standardInput();
console.log(`URL http://127.0.0.1:${server.address().port}`);
if (settings.number('fires', 0) === 1) {
  await nextLine();
  await scheduler.start();
  console.log('READY');
}
while (!(await nextLine()).done) {
  console.log(`R ${JSON.stringify({ starts })}`);
  starts = [];
}
