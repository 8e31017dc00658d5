import { newJob, newTrigger } from '../../src';
import { Cluster, QUICK } from './support/cluster';
import { describeOnServerFirst } from './support/engines';
import type { Start } from './support/history';
import type { NodeProcess } from './support/node-process';
import { expectNoErrors, expectRest, firstToSee } from './support/proof';
import { pause } from './support/time';

/*
 * What a node has fired ahead of its time, together with something due before, waits there for its own time: what becomes of it when the
 * process is killed, or stands still until another node has taken over.
 */

const COUNT = 16;
/** The longest there is: all triggers fall within it. Milliseconds. */
const WINDOW = 1_000;
const GAP = 40;
/** Between the first and the second: time enough to stop or kill the process while none is about to begin. Milliseconds. */
const PAUSE = 400;
/** Until the first is due: time enough to store them, and all within what a node that has nothing to do looks ahead. Milliseconds. */
const LEAD = 1_200;

const isToRecover = (index: number) => index % 2 === 0;
const names = (isSelected: (index: number) => boolean) =>
  Array.from({ length: COUNT }, (_, index) => index)
    .filter(isSelected)
    .map((index) => `job-${String(index).padStart(2, '0')}`);

/** Stores one-shot triggers, all but the first 40 ms from each other, every other one of a job that asks for recovery. */
async function schedule(cluster: Cluster): Promise<void> {
  const first = Date.now() + LEAD;
  await cluster.withScheduler(async (scheduler) => {
    const jobs = names(() => true).map((name, index) => {
      const job = newJob('record')
        .withIdentity(name)
        // While the first one runs nothing is written: on SQLite, who is stopped in the middle of that keeps the file locked.
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

  it('runs elsewhere after kill -9 if its job asks for that, and is lost otherwise', async () => {
    const cluster = await onNewTables();
    const starts = await withHolder(cluster, async (holder) => {
      await cluster.kill(holder);
      return [await cluster.start('heir')];
    });
    const begun = starts.filter(({ node }) => node === 'holder').map(({ job }) => job);
    const byHeir = starts.filter(({ node }) => node === 'heir').map(({ job }) => job);
    // All were fired with the first of them: nothing was left to be fired by the heir, and nothing began before its time.
    expect(begun.length).toBeLessThan(COUNT);
    expect(starts.every(({ wall, time }) => wall >= time)).toBe(true);
    const all = names(() => true);
    const expected = all.filter((job, index) => isToRecover(index) || begun.includes(job));
    expect([...new Set([...begun, ...byHeir])].sort()).toEqual(expected);
  });

  it('is nothing without a window: after kill -9 all that had not begun is fired elsewhere', async () => {
    const cluster = await onNewTables(0);
    const starts = await withHolder(cluster, async (holder) => {
      await cluster.kill(holder); // between two instants: the next one is 400 ms away
      return [await cluster.start('heir')];
    });
    expect(starts.filter(({ node }) => node === 'holder').length).toBeLessThan(COUNT);
    expect([...new Set(starts.map(({ job }) => job))].sort()).toEqual(names(() => true));
  });

  it('does not begin any more when its node was taken over while it stood still', async () => {
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
    // After it has joined again it may run recoveries of its own firings, like any node.
    expect(by('holder').filter(({ mono, recovers }) => mono > takenOverAt && !recovers)).toEqual([]);
    const begun = by('holder').map(({ job }) => job);
    expect(by('peer').map(({ job }) => job)).toEqual(
      expect.arrayContaining(names(isToRecover).filter((job) => !begun.includes(job))),
    );
  });
});
