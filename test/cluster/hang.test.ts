import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryFolder } from '../support/memory-folder.cjs';
import { proves } from '../support/proves';
import { type Cluster, QUICK } from './support/cluster';
import type { Line, Noted } from './support/history';
import { expectRest, expectSound, firstToSee, inCluster } from './support/proof';
import { sqliteTables } from './support/tables';
import { now, pause } from './support/time';
import { expectedTriggers, type Load, schedule } from './support/workload';

const PATIENCE = 120_000;
const DURATION = 5_000;

const EXCLUSIVE = { triggers: 1, jobs: 1, schedule: 'simple', exclusive: true, recovers: false } as const;

const ALONE: Load = { ...EXCLUSIVE, name: 'alone', triggers: 3, interval: 900, duration: 200 };

/** Due twice. It blocks the event loop of its process until the file exists. */
const hanging = (file: string): Load => ({
  ...EXCLUSIVE,
  name: 'hanging',
  interval: DURATION - 1_000,
  duration: 0,
  data: { tell: true, spinUntil: file },
});

/** Any time longer than the lease. */
const BEYOND_LEASE = QUICK.clusterCheckinInterval + QUICK.clusterCheckinGrace + 1_000;

/** A stall is detected early, but not so early that a busy machine could look like a stall. */
const PACE = { clusterCheckinInterval: 1_000, clusterCheckinGrace: 3_000, maxMainStall: 2_000 };

let folder: string;

beforeAll(() => {
  folder = memoryFolder('quartz-hang-');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const eventsOf = (history: readonly Line[], type: string) =>
  history.filter((line): line is Noted => line.line === 'event' && line.type === type);

async function proveHang(cluster: Cluster): Promise<void> {
  const nodes = await Promise.all(['n1', 'n2', 'n3'].map((name) => cluster.start(name)));
  const file = join(folder, 'go on');
  const begun = firstToSee(nodes, 'start hanging-0');
  const from = now() + 300;
  const expected = expectedTriggers([ALONE, hanging(file)], from, from + DURATION);
  await cluster.withScheduler((scheduler) => schedule(scheduler, expected));
  const { node: owner } = await begun;
  cluster.willBeFenced(owner);
  const others = nodes.filter((node) => node !== owner);
  await firstToSee(others, 'start hanging-0'); // its second fire time, while the first run still hangs
  const signs = ['nodeFenced', 'completionFenced', 'nodeJoined'].map((event) => owner.seen(event));
  writeFileSync(file, '');
  await Promise.all(signs);
  await pause(from + DURATION - now());
  await expectRest(cluster, nodes);
  const run = await cluster.run(expected);
  expectSound(run);
  const [fenced] = eventsOf(run.history, 'nodeFenced').filter(({ node }) => node === owner.name);
  expect(fenced).toMatchObject({ reason: 'mainStalled' });
  expect(eventsOf(run.history, 'nodeFailed').map(({ instanceId }) => instanceId)).toContain(owner.name);
}

it(
  'a process that hangs for too long in a non-concurrent job is fenced, and another node continues the job',
  () => {
    proves('configuration', 'jobStore.maxMainStall');
    return inCluster(sqliteTables(join(folder, 'hang.db')), PACE, proveHang, PATIENCE);
  },
  PATIENCE + 20_000,
);

it(
  'a node with onLeaseLost exit-process kills its process after losing its lease',
  () =>
    inCluster(sqliteTables(join(folder, 'exit.db')), QUICK, async (cluster) => {
      proves('configuration', 'jobStore.onLeaseLost');
      const node = await cluster.start('n1', { onLeaseLost: 'exit-process' });
      node.send('SIGSTOP');
      await pause(BEYOND_LEASE);
      node.send('SIGCONT');
      await node.ended;
      expect(node.signal).toBe('SIGKILL');
    }),
  PATIENCE,
);
