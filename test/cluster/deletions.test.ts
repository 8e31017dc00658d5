import { newJob, newTrigger } from '../../src';
import type { JobExecutionContext, Scheduler } from '../../src/api/scheduler';
import { describeOnServerFirst } from './support/engines';
import { LocalSchedulers } from './support/local-schedulers';

/*
 * A node fires a trigger that is due within the batch window early, and holds the firing until its time. A firing whose job is deleted while it is
 * held still begins, and the deletion resolves after that.
 */

/** The longest possible batch window. It contains both triggers. Milliseconds. */
const WINDOW = 1_000;
const LEAD = 1_500;

const DELETIONS: readonly (readonly [string, (scheduler: Scheduler) => Promise<unknown>])[] = [
  ['deleteJob', (scheduler) => scheduler.deleteJob('held')],
  ['deleteJobs', (scheduler) => scheduler.deleteJobs(['held'])],
  ['unscheduleJob', (scheduler) => scheduler.unscheduleJob('held')],
  ['clear', (scheduler) => scheduler.clear()],
];

describeOnServerFirst((newTables) => {
  let local: LocalSchedulers;

  afterEach(() => local.shutdown());

  async function nodes() {
    local = new LocalSchedulers(await newTables());
    const begun: string[] = [];
    let firstBegins = () => {};
    const hasFirstBegun = new Promise<void>((resolve) => {
      firstBegins = resolve;
    });
    const work = ({ jobDetail }: JobExecutionContext) => {
      begun.push(jobDetail.key.name);
      if (jobDetail.key.name === 'first') firstBegins();
    };
    const scheduler = { batchTriggerAcquisitionFireAheadTimeWindow: WINDOW };
    const a = await local.create('a', { jobs: { work }, scheduler });
    const b = await local.create('b', { jobs: { work } });
    await a.scheduler.start();
    const schedule = (name: string, at: number) =>
      [
        newJob('work').withIdentity(name).build(),
        [newTrigger().withIdentity(name).startAt(new Date(at)).build()],
      ] as const;
    const first = Date.now() + LEAD;
    await b.scheduler.scheduleJobs(new Map([schedule('first', first), schedule('held', first + 0.8 * WINDOW)]));
    await hasFirstBegun;
    expect(begun).toEqual(['first']);
    return { a: a.scheduler, b: b.scheduler, begun };
  }

  it.each(DELETIONS)('%s resolves after a firing that another node holds has begun', async (_, remove) => {
    const { b, begun } = await nodes();
    await remove(b);
    expect(begun).toEqual(['first', 'held']);
  });

  it('deleteJob resolves after a firing that the same node holds has begun', async () => {
    const { a, begun } = await nodes();
    await a.deleteJob('held');
    expect(begun).toEqual(['first', 'held']);
  });

  it('deleteJob does not wait if no firing of the job is held', async () => {
    const { b, begun } = await nodes();
    await b.scheduleJob(
      newJob('work').withIdentity('later').build(),
      newTrigger()
        .startAt(new Date(Date.now() + 3_600_000))
        .build(),
    );
    await b.deleteJob('later');
    expect(begun).toEqual(['first']);
    await b.deleteJob('held');
  });
});
