import { setTimeout as pause } from 'node:timers/promises';
import { settings as settingsOf } from '../lib/options.mjs';
import { percentile } from '../lib/statistics.mjs';

/*
 * One peer in a process of its own: `peer-node.mjs drain|schedule|client|worker key=value…`. It speaks the lines of the harness.
 */

const [what, ...args] = process.argv.slice(2);
const settings = settingsOf([...args, `what=${what}`]);
const lateness = [];
let starts = 0;
let first = 0;
let last = 0;
let onStart = () => {};

function began(at) {
  last = performance.now();
  if (starts++ === 0) first = last;
  if (at !== undefined) lateness.push(Date.now() - at);
  onStart();
}

const { open } = await import(`../peers/queues/${settings.text('peer')}.mjs`);
const peer = await open(settings, began);

/** Calls a second over some seconds, each of which stores `size` jobs. */
async function rateOf(call, seconds, size) {
  let count = 0;
  const begin = performance.now();
  while (performance.now() - begin < seconds * 1_000) {
    await call();
    count += size;
  }
  return (count * 1_000) / (performance.now() - begin);
}

const MODES = {
  async drain() {
    const n = settings.number('n');
    for (let stored = 0; stored < n; stored += 1_000) await peer.bulk(Math.min(1_000, n - stored));
    const done = new Promise((resolve) => {
      onStart = () => starts === n && resolve();
    });
    await peer.work();
    await done;
    return { perSecond: (n * 1_000) / (last - first) };
  },
  async schedule() {
    await rateOf(() => peer.one(Date.now()), 0.5, 1);
    const oneByOne = await rateOf(() => peer.one(Date.now()), 2.5, 1);
    await rateOf(() => peer.bulk(1_000), 0.5, 1_000);
    return { oneByOne, bulk: await rateOf(() => peer.bulk(1_000), 2.5, 1_000) };
  },
  /** Schedules at uneven intervals what the worker starts. */
  async client() {
    for (let count = settings.number('n'); count > 0; count--) {
      await peer.one(Date.now());
      await pause(15 + 30 * Math.random());
    }
    return {};
  },
  /** Works until a line comes. */
  async worker() {
    await peer.work();
    console.log('READY');
    await new Promise((resolve) => process.stdin.once('data', resolve));
    const steady = lateness.slice(20).sort((a, b) => a - b);
    return { p50: percentile(steady, 0.5), p99: percentile(steady, 0.99) };
  },
};

const result = await MODES[what]();
if (what === 'schedule') await peer.clear?.();
console.log(`R ${JSON.stringify(result)}`);
await Promise.race([peer.close(), pause(2_000)]);
process.exit(0);
