import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { now, pause, untilQuiet } from './support/chaos';
import type { Cluster } from './support/cluster';
import type { Line, Noted } from './support/history';
import type { NodeProcess } from './support/node-process';
import { expectSound, inCluster } from './support/proof';
import { sqliteTables } from './support/tables';
import { expectedTriggers, type Load, schedule } from './support/workload';

const PATIENCE = 60_000;

const EXCLUSIVE: readonly Load[] = [
  {
    name: 'alone',
    jobs: 1,
    triggers: 3,
    interval: 900,
    duration: 200,
    schedule: 'simple',
    exclusive: true,
    recovers: false,
  },
];

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quartz-hang-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const quickly = { clusterCheckinInterval: 1_000, clusterCheckinGrace: 1_000 };

const eventsOf = (history: readonly Line[], type: string) =>
  history.filter((line): line is Noted => line.line === 'event' && line.type === type);

/** The node on which such a job runs, as soon as there is one. */
async function nodeThatRuns(job: string, cluster: Cluster, nodes: readonly NodeProcess[]): Promise<NodeProcess> {
  for (;;) {
    const history = cluster.history();
    const ended = new Set(history.flatMap((line) => (line.line === 'end' ? [line.id] : [])));
    const start = history.findLast((line) => line.line === 'start' && line.job.startsWith(job) && !ended.has(line.id));
    if (start !== undefined) return nodes.find(({ name }) => name === start.node) as NodeProcess;
    await pause(10);
  }
}

it(
  'a process that hangs for too long with a job that must run alone is fenced, and another node goes on with it',
  () =>
    inCluster(sqliteTables(join(folder, 'hang.db')), { ...quickly, maxMainStall: 1_000 }, async (cluster) => {
      const nodes = await Promise.all(['n1', 'n2', 'n3'].map((name) => cluster.start(name)));
      const from = now() + 300;
      const to = from + 7_000;
      const expected = expectedTriggers(EXCLUSIVE, from, to);
      await cluster.withScheduler((scheduler) => schedule(scheduler, expected));
      const owner = await nodeThatRuns('alone', cluster, nodes);
      cluster.willBeFenced(owner);
      await owner.command('spin', { milliseconds: 5_000 });
      await pause(to - now());
      await untilQuiet(cluster);
      await cluster.shutdown();
      const run = await cluster.run(expected);
      expectSound(run);
      const [fenced] = eventsOf(run.history, 'nodeFenced').filter(({ node }) => node === owner.name);
      expect(fenced).toMatchObject({ reason: 'mainStalled' });
      expect(eventsOf(run.history, 'nodeFailed').map(({ instanceId }) => instanceId)).toContain(owner.name);
      expect(await cluster.restState()).toEqual({ firedRows: 0, states: {}, nodes: [], locks: 2 });
    }),
  PATIENCE,
);

it(
  'a node that would rather die than go on without its lease does',
  () =>
    inCluster(sqliteTables(join(folder, 'exit.db')), quickly, async (cluster) => {
      const node = await cluster.start('n1', { onLeaseLost: 'exit-process' });
      node.send('SIGSTOP');
      await pause(3_000);
      node.send('SIGCONT');
      await node.ended;
      expect(node.signal).toBe('SIGKILL');
    }),
  PATIENCE,
);
