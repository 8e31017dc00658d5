import { newJob, newTrigger } from '../../src';
import { Cluster, QUICK } from './support/cluster';
import { describeOnServerFirst } from './support/engines';
import type { Start } from './support/history';
import type { NodeProcess } from './support/node-process';
import { expectNoErrors, expectRest, firstToSee } from './support/proof';
import { pause } from './support/time';

/*
 * A node fires triggers within the batch window early, and holds the firings until their times. These tests kill the process, or stop it until
 * another node has recovered it.
 */

const COUNT = 16;
/** The longest possible batch window. It contains all triggers. Milliseconds. */
const WINDOW = 1_000;
const GAP = 40;
/** Time between the first and the second trigger, in which the process is stopped or killed. Milliseconds. */
const PAUSE = 400;
/** Time until the first trigger is due: enough to store all triggers, and within the acquisition window of an idle node. Milliseconds. */
const LEAD = 1_200;

const isToRecover = (index: number) => index % 2 === 0;
const names = (isSelected: (index: number) => boolean) =>
  Array.from({ length: COUNT }, (_, index) => index)
    .filter(isSelected)
    .map((index) => `job-${String(index).padStart(2, '0')}`);

/** Stores one-shot triggers, 40 ms apart except for the first one. Every second job requests recovery. */
async function schedule(cluster: Cluster): Promise<void> {
  const first = Date.now() + LEAD;
  await cluster.withScheduler(async (scheduler) => {
    const jobs = names(() => true).map((name, index) => {
      const job = newJob('record')
        .withIdentity(name)
        // Nothing is written while the first job runs: on SQLite, a process stopped during a write would keep the file locked.
        .usingJobData({ tell: true, duration: index === 0 ? WINDOW : 0 })
        .requestRecovery(isToRecover(index))
        .disallowConcurrentExecution(index % 4 < 2)
        .build();
      const startAt = new Date(first + (index === 0 ? 0 : PAUSE + (index - 1) * GAP));
      return [job, [newTrigger().withIdentity(name).startAt(startAt).build()]] as const;
    });
    await scheduler.scheduleJobs(new Map(jobs));
  });
}

async function withHolder(
  cluster: Cluster,
  work: (holder: NodeProcess) => Promise<readonly NodeProcess[]>,
): Promise<readonly Start[]> {
  try {
    const holder = await cluster.start('holder');
    await schedule(cluster);
    await firstToSee([holder], 'start job-00');
    const living = await work(holder);
    await expectRest(cluster, living);
    const run = await cluster.run([]);
    expectNoErrors(run);
    return run.history.filter((line): line is Start => line.line === 'start');
  } finally {
    await cluster.dispose();
  }
}

describeOnServerFirst((newTables) => {
  const onNewTables = async (batchTriggerAcquisitionFireAheadTimeWindow = WINDOW) =>
    Cluster.with(await newTables(), {
      jobStore: QUICK,
      scheduler: { idleWaitTime: 2_000, batchTriggerAcquisitionFireAheadTimeWindow },
      threadPool: { threadCount: 2 * COUNT },
    });

  it('held firings are recovered after kill -9 if their job requests recovery, and lost otherwise', async () => {
    const cluster = await onNewTables();
    const starts = await withHolder(cluster, async (holder) => {
      await cluster.kill(holder);
      return [await cluster.start('heir')];
    });
    const begun = starts.filter(({ node }) => node === 'holder').map(({ job }) => job);
    const byHeir = starts.filter(({ node }) => node === 'heir').map(({ job }) => job);
    // All triggers were fired together with the first one: the heir had nothing to fire, and no firing began before its time.
    expect(begun.length).toBeLessThan(COUNT);
    expect(starts.every(({ wall, time }) => wall >= time)).toBe(true);
    const all = names(() => true);
    const expected = all.filter((job, index) => isToRecover(index) || begun.includes(job));
    expect([...new Set([...begun, ...byHeir])].sort()).toEqual(expected);
  });

  it('without a batch window, firings that did not begin before kill -9 fire on another node', async () => {
    const cluster = await onNewTables(0);
    const starts = await withHolder(cluster, async (holder) => {
      await cluster.kill(holder); // between two firings: the next one is 400 ms away
      return [await cluster.start('heir')];
    });
    expect(starts.filter(({ node }) => node === 'holder').length).toBeLessThan(COUNT);
    expect([...new Set(starts.map(({ job }) => job))].sort()).toEqual(names(() => true));
  });

  it('held firings do not begin after another node has recovered their stopped node', async () => {
    const cluster = await onNewTables();
    let takenOverAt = 0;
    const starts = await withHolder(cluster, async (holder) => {
      cluster.willBeFenced(holder);
      holder.send('SIGSTOP');
      const peer = await cluster.start('peer');
      takenOverAt = (await firstToSee([peer], 'nodeRecovered')).mono;
      holder.send('SIGCONT');
      await firstToSee([holder], 'nodeFenced');
      await pause(2 * WINDOW);
      return [holder, peer];
    });
    const by = (name: string) => starts.filter(({ node }) => node === name);
    // After it has joined again, it may run recoveries of its own firings, like any node.
    expect(by('holder').filter(({ mono, recovers }) => mono > takenOverAt && !recovers)).toEqual([]);
    const begun = by('holder').map(({ job }) => job);
    expect(by('peer').map(({ job }) => job)).toEqual(
      expect.arrayContaining(names(isToRecover).filter((job) => !begun.includes(job))),
    );
  });
});
