import { join } from 'node:path';
import { type Cluster, QUICK } from './support/cluster';
import { describeOnServerFirst } from './support/engines';
import type { End, Start } from './support/history';
import type { NodeProcess } from './support/node-process';
import { expectRest, inCluster } from './support/proof';

/*
 * The store thread of a process crashes: this process cannot continue, and another node recovers its jobs.
 */

const ENTRY = join(__dirname, '../support/threads/crashing-store.cjs');
const PATIENCE = 120_000;

interface Scene {
  readonly dying: NodeProcess;
  readonly heir: NodeProcess;
  /** Resolves when the heir begins the job of the other node. */
  readonly again: Promise<number>;
}

/** Starts two nodes. The first one runs a job when its store thread crashes. */
async function crashTheThread(cluster: Cluster, onLeaseLost: 'abort' | 'exit-process'): Promise<Scene> {
  const dying = await cluster.start('n1', { onLeaseLost }, ENTRY);
  const begun = dying.seen('start long');
  await dying.command('runOnce', { name: 'long', data: { duration: 50_000, tell: true }, recovers: true });
  await begun;
  const heir = await cluster.start('n2');
  const again = heir.seen('start long');
  cluster.willBeFenced(dying);
  const crash = dying.command('call', { method: 'getCalendar', args: ['crash'] });
  await expect(crash).rejects.toThrow(/STORE_FAILURE: The thread of the job store has ended|n1 has ended/);
  return { dying, heir, again };
}

function linesOf(cluster: Cluster, node: NodeProcess) {
  const own = cluster.history().filter((line) => line.node === node.name);
  const starts = own.filter((line): line is Start => line.line === 'start');
  const ends = own.filter((line): line is End => line.line === 'end' || line.line === 'abort');
  return { starts, ends: ends.map(({ line }) => line) };
}

async function endTheJob({ heir, again }: Scene, cluster: Cluster): Promise<void> {
  await again;
  await heir.command('call', { method: 'interrupt', args: ['long'] });
  await expectRest(cluster, [heir]);
  expect(linesOf(cluster, heir).starts).toMatchObject([{ job: 'long', origin: 'long' }]);
}

describeOnServerFirst((newTables) => {
  it(
    'a process with onLeaseLost exit-process dies with its store thread, and another node recovers its job',
    async () =>
      inCluster(await newTables(), QUICK, async (cluster) => {
        const scene = await crashTheThread(cluster, 'exit-process');
        await scene.dying.ended;
        expect(scene.dying.signal).toBe('SIGKILL');
        await endTheJob(scene, cluster);
      }),
    PATIENCE + 20_000,
  );

  it(
    'a process with onLeaseLost abort survives the death of its store thread, and another node recovers its job',
    async () =>
      inCluster(await newTables(), QUICK, async (cluster) => {
        const scene = await crashTheThread(cluster, 'abort');
        const { dying, heir } = scene;
        await endTheJob(scene, cluster);
        expect(await dying.command('call', { method: 'health', args: [] })).toMatchObject({ isLive: false });
        const begun = heir.seen('start next');
        await heir.command('runOnce', { name: 'next', data: { tell: true } });
        await begun;
        await dying.command('call', { method: 'shutdown', args: [{ waitForJobs: true, deadline: 500 }] });
        expect(dying.isAlive).toBe(true);
        expect(linesOf(cluster, dying)).toMatchObject({
          starts: [{ job: 'long' }],
          ends: ['abort', 'end'],
        });
      }),
    PATIENCE + 20_000,
  );
});
