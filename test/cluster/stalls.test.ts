import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { memoryFolder } from '../support/memory-folder.cjs';
import { type Cluster, QUICK } from './support/cluster';
import type { Start } from './support/history';
import { expectRest, expectSound, inCluster } from './support/proof';
import { sqliteTables } from './support/tables';
import { now, pause } from './support/time';
import { expectedTriggers, type Load, schedule } from './support/workload';

/*
 * The event loop of one node is blocked for most of the time, so its non-concurrent jobs run on a healthy node.
 */

const ALONE: Load = {
  name: 'alone',
  jobs: 1,
  triggers: 1,
  interval: 600,
  duration: 50,
  schedule: 'simple',
  exclusive: true,
  recovers: false,
};

/** Blocked for 2.5 s of every 3.2 s. The store thread still checks in. */
const BLOCKED = { blockedFor: 2_500, breakFor: 700 };
const PACE = { ...QUICK, maxMainStall: 0, yieldAfterStall: 1_000 };
const DURATION = 13_200;
const ON_TIME_MS = 500;

let folder: string;

beforeAll(() => {
  folder = memoryFolder('quartz-stalls-');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Share of the firings after the second stall that began on time. The node detects that it stalls by the first stall. */
async function shareOnTime(cluster: Cluster): Promise<number> {
  const blocked = await cluster.launch({
    name: 'n1',
    moreJobs: join(__dirname, 'support', 'blocking-jobs.cjs'),
  });
  const begun = blocked.seen('start alone-0');
  const from = now() + 200;
  const expected = expectedTriggers([{ ...ALONE, data: { tell: true } }], from, from + DURATION);
  await cluster.withScheduler((scheduler) => schedule(scheduler, expected));
  await begun;
  const nodes = [blocked, await cluster.start('n2')];
  await blocked.command('call', { method: 'enqueue', args: ['block', BLOCKED] });
  const secondEnd = now() + 2 * BLOCKED.blockedFor + BLOCKED.breakFor;
  await pause(from + DURATION - now());
  await expectRest(cluster, nodes);
  const run = await cluster.run(expected);
  expectSound(run);
  const starts = run.history.filter((line): line is Start => line.line === 'start' && line.job === 'alone-0');
  const due = starts.filter(({ time }) => time > secondEnd && time < from + DURATION - ON_TIME_MS);
  const onTime = due.filter(({ wall, time }) => wall - time <= ON_TIME_MS);
  expect(due.length).toBeGreaterThan(4);
  return onTime.length / due.length;
}

it(
  'non-concurrent jobs of a node that is mostly blocked run on time on another node',
  () =>
    inCluster(sqliteTables(join(folder, 'stalls.db')), PACE, async (cluster) => {
      expect(await shareOnTime(cluster)).toBeGreaterThan(0.7);
    }),
  60_000,
);
