import { SystemClock } from '../../src/base/clock';
import { checkHistory, describeVerdict, type Run } from '../chaos/checker/check-history';
import { proves } from '../support/proves';
import { CHAOS_SECONDS, IS_ALONE } from './support/chaos-settings';
import type { Cluster } from './support/cluster';
import { describeOnServerFirst } from './support/engines';
import { bestOf, describeTimes, percentile, report } from './support/figures';
import type { End, Start } from './support/history';
import { HOURLY, MIXED_LOADS } from './support/loads';
import { expectNoErrors, expectRest, expectSound, inCluster } from './support/proof';
import { pause } from './support/time';
import { expectedTriggers, type Load, schedule } from './support/workload';

/*
 * A job that computes for longer than its node may be silent, under load: the node checks in all the same, nobody takes it
 * for dead, and what the others fire is hardly late.
 */

/** The long form: 20 s with the default check-in, where silence of 15 s means death. */
const SHORT = { pace: { clusterCheckinInterval: 1_000, clusterCheckinGrace: 3_000 }, spin: 5_500, rounds: 1 };
const LONG = { pace: {}, spin: 20_000, rounds: Math.max(1, Math.floor(CHAOS_SECONDS / 60)) };
const { pace, spin, rounds } = IS_ALONE ? LONG : SHORT;

/** Milliseconds. What waits for the busy node would wait for seconds. Beside other tests, everything waits for the processors. */
const LIMIT = IS_ALONE ? 500 : 1_500;
/** On a machine that is busy with something else a few firings wait for the processor. */
const SHARE = IS_ALONE ? 0.99 : 0.9;
const clock = new SystemClock();

/** Due once in each round, when the others have warmed up. */
const BUSY: Load = {
  name: 'busy',
  jobs: 1,
  triggers: 1,
  interval: spin + 2_000,
  duration: 0,
  schedule: 'simple',
  exclusive: false,
  recovers: true,
  data: { spin },
};

/**
 * How late the other nodes began what was due while one was busy. Without exclusive jobs: those that the busy node runs
 * have to wait for it.
 */
function latenessBeside({ history, expected }: Run): readonly number[] {
  const exclusive = new Set(expected.filter(({ load }) => load.exclusive).map(({ job }) => job));
  const starts = history.filter((line): line is Start => line.line === 'start');
  const ends = new Map(history.filter((line): line is End => line.line === 'end').map((end) => [end.id, end]));
  return starts
    .filter(({ job }) => job === 'busy-0')
    .flatMap((busy) =>
      starts
        .filter(({ node, job }) => node !== busy.node && !exclusive.has(job))
        .filter(({ time }) => time >= busy.wall && time < (ends.get(busy.id)?.wall ?? 0))
        .map(({ wall, time }) => wall - time),
    );
}

const PATIENCE = rounds * BUSY.interval + 90_000;

/** Milliseconds within which that share of the firings of the others began. Whatever else must hold is expected here. */
async function prove(cluster: Cluster): Promise<number> {
  const nodes = await Promise.all(['n1', 'n2', 'n3'].map((name) => cluster.start(name)));
  const from = clock.now() + 500;
  const to = from + 1_500 + rounds * BUSY.interval;
  const busy = expectedTriggers([BUSY], from + 1_500, to);
  const expected = [...expectedTriggers([...MIXED_LOADS, HOURLY], from, to), ...busy];
  await cluster.withScheduler((scheduler) => schedule(scheduler, expected));
  await pause(to - clock.now());
  await expectRest(cluster, nodes, 1);
  const run = await cluster.run(expected);
  const lateness = latenessBeside(run);
  report(`lateness beside the busy node, ${describeTimes(lateness)}`, describeVerdict(checkHistory(run)));
  expectSound(run);
  expectNoErrors(run);
  expect(lateness.length).toBeGreaterThan((spin / 1_000) * 30);
  return percentile(lateness, SHARE);
}

describeOnServerFirst((newTables) => {
  it(
    `nobody fails over while a job computes for ${spin} ms, and the other nodes are hardly late`,
    async () => {
      proves('configuration', 'jobStore.storeThread');
      const measure = async () => inCluster(await newTables(), pace, prove, PATIENCE);
      expect(await bestOf(LIMIT, measure)).toBeLessThan(LIMIT);
    },
    3 * PATIENCE + 20_000,
  );
});
