import { CHAOS_SECONDS, CHAOS_SEED, IS_ALONE, seededDraw } from './support/chaos-settings';
import { type Cluster, QUICK } from './support/cluster';
import { describeOnFileAndServer } from './support/engines';
import { bestOf, describeTimes, percentile, report } from './support/figures';
import type { NodeProcess } from './support/node-process';
import { expectNoErrors, expectRest, firstToSee, inCluster } from './support/proof';
import { pause } from './support/time';

/*
 * A node in standby stores a job that is due at once. Another node must find it without a notification.
 */

const LIMIT = 250;
/** Share of schedules within the limit. On a busy machine, a few schedules wait for the processor. */
const SHARE = IS_ALONE ? 0.99 : 0.5;
const PAUSE = 100;
const SCHEDULES = IS_ALONE ? CHAOS_SECONDS * 5 : 20;

const PATIENCE = 3 * SCHEDULES * 1_000 + 90_000;

const draw = seededDraw(CHAOS_SEED);
let count = 0;

/** Times until each schedule began on another node. Milliseconds. */
async function measure(planner: NodeProcess, workers: readonly NodeProcess[]): Promise<readonly number[]> {
  const times: number[] = [];
  for (let index = 0; index < SCHEDULES; index++) {
    await pause(draw(PAUSE)); // so that schedules do not coincide with the polls of nodes
    const name = `job-${++count}`;
    const begun = firstToSee(workers, `start ${name}`);
    const asked = await planner.command('runOnce', { name, data: { tell: true } });
    times.push((await begun).mono - (asked as number));
  }
  return times;
}

async function prove(cluster: Cluster): Promise<void> {
  count = 0;
  const nodes = await Promise.all(['n1', 'n2'].map((name) => cluster.start(name)));
  const [planner, ...workers] = nodes as [NodeProcess, ...NodeProcess[]];
  await planner.command('call', { method: 'standby', args: [] });
  const latest = await bestOf(LIMIT, async () => {
    const times = await measure(planner, workers);
    report(`asked for in standby to begun elsewhere, ${describeTimes(times)}`);
    return percentile(times, SHARE);
  });
  await expectRest(cluster, nodes);
  const run = await cluster.run([]);
  expect(run.history.filter(({ line }) => line === 'start')).toHaveLength(count);
  expect(run.history.filter(({ line, node }) => line === 'start' && node === 'n1')).toEqual([]);
  expect(latest).toBeLessThan(LIMIT);
  expectNoErrors(run);
}

describeOnFileAndServer((newTables) => {
  it(
    `a job that a standby node schedules begins on another node within ${LIMIT} ms`,
    async () => inCluster(await newTables(), QUICK, prove, PATIENCE),
    PATIENCE + 20_000,
  );
});
