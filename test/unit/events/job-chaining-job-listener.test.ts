import { JobChainingJobListener, JobExecutionException, type Jobs, jobKey, newJob, type Scheduler } from '../../../src';
import { createTestScheduler, type TestScheduler } from '../../../src/testing';
import { codeOf } from '../scheduler/support';

describe('JobChainingJobListener', () => {
  let made: TestScheduler | null = null;
  afterEach(() => made?.scheduler.shutdown());

  /** A scheduler with these jobs stored and the listener registered for all of them. */
  async function chained(jobs: Jobs, chain: JobChainingJobListener): Promise<TestScheduler> {
    made = await createTestScheduler({ jobs });
    for (const name of Object.keys(jobs)) {
      await made.scheduler.addJob(newJob(name).withIdentity(name).storeDurably().build());
    }
    made.scheduler.getListenerManager().addJobListener(chain);
    return made;
  }

  const errorsOf = (scheduler: Scheduler) => {
    const errors: string[] = [];
    scheduler.subscribe((event) => {
      if (event.type === 'schedulerError') errors.push(event.error.message);
    });
    return errors;
  };

  it('triggers the second job after the first has run, and follows the whole chain', async () => {
    const chain = new JobChainingJobListener('chain');
    chain.addJobChainLink('a', jobKey('b'));
    chain.addJobChainLink(jobKey('b'), 'c');
    const { scheduler, runDue } = await chained({ a() {}, b() {}, c() {}, other() {} }, chain);
    await scheduler.triggerJob('other');
    expect((await runDue()).map(({ job }) => job.name)).toEqual(['other']);
    await scheduler.triggerJob('a');
    const firings = await runDue();
    expect(firings.map(({ job, outcome }) => `${job.name} ${outcome}`)).toEqual([
      'a succeeded',
      'b succeeded',
      'c succeeded',
    ]);
  });

  it('triggers the second job even if the first failed', async () => {
    const chain = new JobChainingJobListener('chain');
    chain.addJobChainLink('a', 'b');
    const { scheduler, runDue } = await chained(
      {
        a() {
          throw new Error('no paper');
        },
        b() {},
      },
      chain,
    );
    await scheduler.triggerJob('a');
    const firings = await runDue();
    expect(firings.map(({ job, outcome }) => `${job.name} ${outcome}`)).toEqual(['a failed', 'b succeeded']);
  });

  it.each([
    ['succeeds in the end', 2, ['a succeeded', 'b succeeded']],
    ['fails in all of its refires', Number.POSITIVE_INFINITY, ['a failed', 'b succeeded']],
  ])('triggers the second job once, after the last refire of a run that %s', async (_, failures, expected) => {
    const chain = new JobChainingJobListener('chain');
    chain.addJobChainLink('a', 'b');
    let count = 0;
    const jobs = {
      a() {
        if (count++ < failures) throw new JobExecutionException('again', { refireImmediately: true });
      },
      b() {},
    };
    const { scheduler, advanceBy } = await chained(jobs, chain);
    await scheduler.triggerJob('a');
    const firings = await advanceBy(24 * 3_600_000);
    expect(firings.map(({ job, outcome }) => `${job.name} ${outcome}`)).toEqual(expected);
    expect(count).toBeGreaterThan(2);
  });

  it('keeps only the last link of each first job', async () => {
    const chain = new JobChainingJobListener('chain');
    chain.addJobChainLink('a', 'b');
    chain.addJobChainLink('a', 'c');
    const { scheduler, runDue } = await chained({ a() {}, b() {}, c() {} }, chain);
    await scheduler.triggerJob('a');
    expect((await runDue()).map(({ job }) => job.name)).toEqual(['a', 'c']);
  });

  it('reports a second job that cannot be triggered, while the first one succeeds', async () => {
    const chain = new JobChainingJobListener('chain');
    chain.addJobChainLink('a', 'gone');
    const { scheduler, runDue } = await chained({ a() {} }, chain);
    const errors = errorsOf(scheduler);
    await scheduler.triggerJob('a');
    expect((await runDue()).map(({ outcome }) => outcome)).toEqual(['succeeded']);
    expect(errors).toEqual([expect.stringMatching(/jobWasExecuted of the job listener 'chain'.*DEFAULT\/gone/)]);
  });

  it('refuses empty and incomplete names', async () => {
    const chain = new JobChainingJobListener('chain');
    const refused = [
      () => new JobChainingJobListener(''),
      () => new JobChainingJobListener(undefined as unknown as string),
      () => chain.addJobChainLink(null as unknown as string, 'b'),
      () => chain.addJobChainLink('a', { group: 'g' } as never),
    ];
    for (const refuse of refused) expect(await codeOf(async () => refuse())).toBe('INVALID_ARGUMENT');
  });
});
