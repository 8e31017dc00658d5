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
 * A job computes for longer than the detection time of its node, under load. The node still checks in, no other node considers it dead, and the
 * firings of other nodes are on time.
 */

/** The long form blocks for 20 s with the default check-in, where a node is considered dead after 15 s. */
const SHORT = { pace: { clusterCheckinInterval: 1_000, clusterCheckinGrace: 3_000 }, spin: 5_500, rounds: 1 };
const LONG = { pace: {}, spin: 20_000, rounds: Math.max(1, Math.floor(CHAOS_SECONDS / 60)) };
const { pace, spin, rounds } = IS_ALONE ? LONG : SHORT;

/** Milliseconds. A firing that waits for the busy node waits for seconds. Other tests also delay firings, by the processors. */
const LIMIT = IS_ALONE ? 500 : 1_500;
/** Share of firings within the limit. On a busy machine, a few firings wait for the processor. */
const SHARE = IS_ALONE ? 0.99 : 0.9;
const clock = new SystemClock();

/** Due once in each round, after the other loads have warmed up. */
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
 * Lateness of firings on other nodes while one node was busy. Exclusive jobs are not counted, because jobs that the busy node runs must wait for
 * it.
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

/** Returns the milliseconds within which SHARE of the firings of other nodes began. Throws if another guarantee is broken. */
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
    `a node whose job blocks it for ${spin} ms keeps its lease, and other nodes fire on time`,
    async () => {
      proves('configuration', 'jobStore.storeThread');
      const measure = async () => inCluster(await newTables(), pace, prove, PATIENCE);
      expect(await bestOf(LIMIT, measure)).toBeLessThan(LIMIT);
    },
    3 * PATIENCE + 20_000,
  );
});
