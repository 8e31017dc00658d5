import { pause } from './support/chaos';
import { CHAOS_SECONDS, CHAOS_SEED, IS_LONG, seededDraw } from './support/chaos-settings';
import { type Cluster, QUICK } from './support/cluster';
import { describeOnEngines } from './support/engines';
import { describeTimes, percentile, report } from './support/figures';
import { expectNoErrors, expectRest, firstToSee, inCluster } from './support/proof';

/*
 * A node in standby stores a job that is due at once: it has to be noticed by a node that is not told of it.
 */

const LIMIT = 250;
const PAUSE = 100;
const SCHEDULES = IS_LONG ? CHAOS_SECONDS * 5 : 40;

const PATIENCE = SCHEDULES * 1_000 + 40_000;

async function prove(cluster: Cluster): Promise<void> {
  const nodes = await Promise.all(['n1', 'n2', 'n3'].map((name) => cluster.start(name)));
  const [planner, ...workers] = nodes;
  await planner?.command('call', { method: 'standby', args: [] });
  const draw = seededDraw(CHAOS_SEED);
  const times: number[] = [];
  for (let index = 1; index <= SCHEDULES; index++) {
    await pause(draw(PAUSE)); // so that no schedule falls into step with the nodes' looks
    const begun = firstToSee(workers, `start job-${index}`);
    const asked = await planner?.command('runOnce', { name: `job-${index}`, data: { tell: true } });
    times.push((await begun).mono - (asked as number));
  }
  await expectRest(cluster, nodes);
  const run = await cluster.run([]);
  report(`asked for in standby to begun elsewhere, ${describeTimes(times)}`);
  expect(run.history.filter(({ line }) => line === 'start')).toHaveLength(SCHEDULES);
  expect(run.history.filter(({ line, node }) => line === 'start' && node === 'n1')).toEqual([]);
  expect(percentile(times, 0.99)).toBeLessThan(LIMIT);
  expectNoErrors(run);
}

describeOnEngines((newTables) => {
  it(
    `runs on another node what a node in standby has scheduled, within ${LIMIT} ms`,
    async () => inCluster(await newTables(), QUICK, prove, PATIENCE),
    PATIENCE + 20_000,
  );
});
