import { GroupMatcher, jobKey, newJob, newTrigger, triggerKey } from '../../../src';
import { at, codeOf, shutdownAll, testScheduler } from './support';

afterEach(shutdownAll);

/** Five jobs j1 … j5 in alternating groups, each with a trigger; a higher number fires earlier. */
async function fiveJobs() {
  const test = await testScheduler({ jobs: { other: async () => {} } });
  for (const n of [1, 2, 3, 4, 5]) {
    await test.scheduler.scheduleJob(
      newJob(n === 5 ? 'other' : 'noop')
        .withIdentity(`j${n}`, n % 2 === 0 ? 'even' : 'odd')
        .build(),
      newTrigger()
        .withIdentity(`t${n}`, n % 2 === 0 ? 'even' : 'odd')
        .withPriority(n)
        .startAt(at(`0${9 - n}:00:00`))
        .build(),
    );
  }
  return test;
}

const names = (items: readonly { readonly trigger: { readonly key: { readonly name: string } } }[]) =>
  items.map(({ trigger }) => trigger.key.name);

describe('reading jobs and triggers', () => {
  it('returns groups and keys', async () => {
    const { scheduler } = await fiveJobs();
    expect(await scheduler.getJobGroupNames()).toEqual(['even', 'odd']);
    expect(await scheduler.getTriggerGroupNames()).toEqual(['even', 'odd']);
    expect(await scheduler.getJobKeys(GroupMatcher.groupEquals('even'))).toEqual([
      jobKey('j2', 'even'),
      jobKey('j4', 'even'),
    ]);
    expect(await scheduler.getTriggerKeys(GroupMatcher.groupEndsWith('dd'))).toHaveLength(3);
    expect((await scheduler.getJobDetails(GroupMatcher.groupContains('v'))).map(({ key }) => key.name)).toEqual([
      'j2',
      'j4',
    ]);
  });

  it('returns a job, a trigger and its state by key; a name without a group is in the group DEFAULT', async () => {
    const { scheduler } = await fiveJobs();
    await scheduler.schedule('plain', { every: 1_000 }, async () => {});
    expect(await scheduler.getJobDetail('plain')).toMatchObject({ key: jobKey('plain') });
    expect(await scheduler.getTrigger(triggerKey('t1', 'odd'))).toMatchObject({
      startTime: at('08:00:00'),
      priority: 1,
    });
    expect(await scheduler.getTriggerState('plain')).toBe('WAITING');
  });

  it('returns null or an empty list for an unknown key', async () => {
    const { scheduler } = await fiveJobs();
    expect(await scheduler.getJobDetail('j1')).toBeNull();
    expect(await scheduler.getTrigger('t1')).toBeNull();
    expect(await scheduler.getTriggerState('t1')).toBeNull();
    expect(await scheduler.getTriggersOfJob('j1')).toEqual([]);
    expect(await scheduler.checkExists({ job: 'j1' })).toBe(false);
    expect(await scheduler.checkExists({ trigger: triggerKey('t1', 'odd') })).toBe(true);
  });

  it('filters, sorts and pages the triggers', async () => {
    const { scheduler } = await fiveJobs();
    const first = await scheduler.listTriggers({ sort: 'nextFireTime', limit: 1, total: true });
    expect([names(first.items), first.total]).toEqual([['t5'], { count: 5, isExact: true }]);
    const page = await scheduler.listTriggers({ sort: 'nextFireTime', after: first.next as string, limit: 2 });
    expect([names(page.items), page.total]).toEqual([['t4', 't3'], null]);
    const last = await scheduler.listTriggers({ sort: 'nextFireTime', after: page.next as string });
    expect([names(last.items), last.next]).toEqual([['t2', 't1'], null]);
    const odd = await scheduler.listTriggers({ group: GroupMatcher.groupStartsWith('od') });
    expect([names(odd.items), odd.total]).toEqual([['t1', 't3', 't5'], null]);
    expect(names((await scheduler.listTriggers({ search: 'T3' })).items)).toEqual(['t3']);
    expect(names((await scheduler.listTriggers({ job: jobKey('j2', 'even') })).items)).toEqual(['t2']);
    expect((await scheduler.listTriggers({ states: ['PAUSED'] })).items).toEqual([]);
  });

  it('filters and pages the jobs', async () => {
    const { scheduler } = await fiveJobs();
    const first = await scheduler.listJobs({ jobType: 'noop', limit: 3, total: true });
    expect([first.items.map(({ key }) => key.name), first.total]).toEqual([
      ['j1', 'j2', 'j3'],
      { count: 4, isExact: true },
    ]);
    const rest = await scheduler.listJobs({ jobType: 'noop', after: first.next as string });
    expect([rest.items.map(({ key }) => key.name), rest.next]).toEqual([['j4'], null]);
  });

  it('refuses the cursor of a list in another order', async () => {
    const { scheduler } = await fiveJobs();
    const { next } = await scheduler.listTriggers({ limit: 1 });
    const other = () => scheduler.listTriggers({ sort: 'nextFireTime', after: next as string });
    expect(await codeOf(other)).toBe('INVALID_ARGUMENT');
  });

  it.each([
    { after: '-1' },
    { after: 3 as unknown as string },
    { take: 5 } as object,
    { limit: 0 },
    { limit: 1.5 },
    { limit: 1_001 },
    { limit: '5' as unknown as number },
    { group: 'odd' as unknown as GroupMatcher },
    { search: 5 as unknown as string },
    { total: 'yes' as unknown as boolean },
  ])('refuses the list options %j', async (options) => {
    const { scheduler } = await testScheduler();
    expect(await codeOf(() => scheduler.listTriggers(options))).toBe('INVALID_ARGUMENT');
    expect(await codeOf(() => scheduler.listJobs(options))).toBe('INVALID_ARGUMENT');
  });

  it('refuses unknown trigger states and orders', async () => {
    const { scheduler } = await testScheduler();
    expect(await codeOf(() => scheduler.listTriggers({ sort: 'priority' as 'key' }))).toBe('INVALID_ARGUMENT');
    expect(await codeOf(() => scheduler.listTriggers({ states: ['SLEEPING' as 'PAUSED'] }))).toBe('INVALID_ARGUMENT');
  });

  it('returns copies that do not affect the stored objects', async () => {
    const { scheduler } = await fiveJobs();
    const job = await scheduler.getJobDetail(jobKey('j1', 'odd'));
    expect(() => Object.assign(job as object, { durable: true })).toThrow(TypeError);
    const trigger = await scheduler.getTrigger(triggerKey('t1', 'odd'));
    trigger?.startTime?.setTime(0);
    expect(await scheduler.getTrigger(triggerKey('t1', 'odd'))).toMatchObject({ startTime: at('08:00:00') });
  });
});
