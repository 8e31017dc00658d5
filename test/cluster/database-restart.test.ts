import { SystemClock } from '../../src/base/clock';
import { describeOnServer, type PrivateServer, startServer } from '../support/database/test-database';
import { FaultProxy } from '../support/fault-proxy';
import { pause } from './support/chaos';
import { CHAOS_SECONDS, CHAOS_SEED, IS_LONG, seededDraw } from './support/chaos-settings';
import { checkHistory, describeVerdict, errorsIn } from './support/check-history';
import { report } from './support/figures';
import { HOURLY, MIXED_LOADS } from './support/loads';
import { expectRest, expectSound, inCluster } from './support/proof';
import { mysqlTables, type Tables } from './support/tables';
import { expectedTriggers, schedule } from './support/workload';

/*
 * Everything that can happen to a connection, in mid-flight: none of it kills a node, so nothing may be lost at all.
 */

const clock = new SystemClock();
const CALM = 600;
const DURATION = IS_LONG ? CHAOS_SECONDS * 1_000 : 14_000;

interface Stage {
  readonly server: PrivateServer;
  readonly proxy: FaultProxy;
  readonly tables: Tables;
}

/** Kills every connection of the nodes, on the server. */
async function killConnections({ tables }: Stage): Promise<void> {
  const found = await tables.query<{ id: number }>(
    'SELECT ID AS id FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND ID <> CONNECTION_ID()',
  );
  for (const { id } of found) {
    await tables.query(`KILL ${id}`).catch((error: { errno?: number }) => {
      if (error.errno !== 1094) throw error; // it was gone already
    });
  }
}

async function faultCommit({ proxy }: Stage, fault: 'cutBefore' | 'cutAfter'): Promise<void> {
  const faulted = proxy.commitFaulted();
  proxy.faultNextCommit(fault);
  await faulted;
}

const DISTURBANCES = {
  'kill -9 and restart': ({ server }: Stage) => server.restart('SIGKILL'),
  'commit not sent': (stage: Stage) => faultCommit(stage, 'cutBefore'),
  'commit not answered': (stage: Stage) => faultCommit(stage, 'cutAfter'),
  'shutdown and restart': ({ server }: Stage) => server.restart('SIGTERM'),
  'all connections killed': killConnections,
  'all connections reset': async ({ proxy }: Stage) => proxy.cut(),
} as const;

type Disturbance = keyof typeof DISTURBANCES;
const NAMES = Object.keys(DISTURBANCES) as Disturbance[];

/** The short form has each of them, the faulty commits again and again; the long form goes on as the seed says. */
function* sequence(): Generator<Disturbance> {
  const commits: Disturbance[] = ['commit not sent', 'commit not answered'];
  yield* NAMES;
  yield* [...commits, ...commits, ...commits];
  const draw = seededDraw(CHAOS_SEED);
  while (IS_LONG) yield NAMES[draw(NAMES.length)] as Disturbance;
}

/** Each at least once; then until `end`, or as often as the sequence says. Resolves to how often each was done. */
async function disturb(stage: Stage, end: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of sequence()) {
    await pause(CALM);
    if (clock.now() > end && name in counts) break;
    await DISTURBANCES[name](stage);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

async function openStage(): Promise<Stage> {
  const server = await startServer();
  const proxy = await FaultProxy.before(server.url);
  const direct = await mysqlTables(server);
  const { dataSource, ...config } = direct.config as { dataSource: { d: { URL: string } } };
  const url = new URL(dataSource.d.URL);
  url.host = new URL(proxy.url).host;
  return { server, proxy, tables: { ...direct, config: { ...config, dataSource: { d: { URL: url.href } } } } };
}

const PATIENCE = DURATION + 90_000;

describeOnServer('on a server', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await openStage();
  });

  afterAll(async () => {
    await stage.proxy.close();
    await stage.server.stop();
  });

  it(
    'restarts and lost connections in mid-flight lose and duplicate nothing',
    () =>
      inCluster(
        stage.tables,
        {},
        async (cluster) => {
          const nodes = await Promise.all(['n1', 'n2', 'n3'].map((name) => cluster.start(name)));
          const from = clock.now() + 500;
          const to = from + DURATION;
          const expected = expectedTriggers([...MIXED_LOADS, HOURLY], from, to);
          await cluster.withScheduler((scheduler) => schedule(scheduler, expected));
          const counts = await disturb(stage, to - 1_000);
          await pause(to - clock.now());
          await expectRest(cluster, nodes, 1);
          const run = await cluster.run(expected);
          const verdict = checkHistory(run);
          report(
            Object.entries(counts)
              .map(([name, count]) => `${name}: ${count}`)
              .join(', '),
            describeVerdict(verdict),
            `${errorsIn(run.history).length} errors told${IS_LONG ? `, CHAOS_SEED=${CHAOS_SEED}` : ''}`,
          );
          expectSound(run);
          expect(verdict.counts.started).toBe(verdict.counts.expected);
          expect(verdict.counts).toMatchObject({ lostWithTheirNode: 0, interrupted: 0, runAgain: 0 });
          expect(Object.keys(counts).sort()).toEqual([...NAMES].sort());
        },
        PATIENCE,
      ),
    PATIENCE + 20_000,
  );
});
