import { GroupMatcher, triggerKey } from '../../../src';
import { at, codeOf, heard, noop, START, shutdownAll, testScheduler, times } from './support';

afterEach(shutdownAll);

const said = { reason: 'Database upgrade', by: 'anna' };

describe('a pause with details (reason, author, end time)', () => {
  it('is listed with the paused triggers, and ends at its end time', async () => {
    const { scheduler, advanceTo } = await testScheduler();
    await scheduler.schedule('report', { every: 'PT20M', misfire: 'skip' }, noop);
    await scheduler.pauseJob('report', { ...said, until: at('01:10:00') });
    const target = { kind: 'job', key: triggerKey('report') };
    const details = { target, ...said, since: START, until: at('01:10:00'), holdsRetries: true };
    expect(await scheduler.listPauses()).toEqual([details]);
    expect((await scheduler.listTriggers()).items).toEqual([
      { trigger: await scheduler.getTrigger('report'), state: 'PAUSED', pause: details },
    ]);
    expect(times(await advanceTo(at('01:30:00')))).toEqual(['report@01:20:00']);
    expect(await scheduler.listPauses()).toEqual([]);
    expect((await scheduler.listTriggers()).items[0]).not.toHaveProperty('pause');
  });

  it('for a single trigger takes precedence over the pause of its group, and outlasts it', async () => {
    const { scheduler, advanceTo } = await testScheduler();
    await scheduler.schedule('held', { every: 'PT1H' }, noop);
    await scheduler.schedule('free', { every: 'PT1H' }, noop);
    await scheduler.pauseTrigger('held', said);
    await scheduler.pauseAll({ reason: 'Night', until: at('02:30:00') });
    const reasons = async () => (await scheduler.listTriggers()).items.map(({ pause }) => pause?.reason);
    expect(await reasons()).toEqual(['Night', said.reason]);
    expect((await advanceTo(at('03:00:00'))).map(({ trigger }) => trigger.name)).not.toContain('held');
    expect(await reasons()).toEqual([undefined, said.reason]);
    await scheduler.resumeTrigger('held');
    expect(await reasons()).toEqual([undefined, undefined]);
  });

  it('publishes the same event when it ends as resuming does', async () => {
    const { scheduler, advanceTo } = await testScheduler();
    const events = heard(scheduler);
    await scheduler.schedule('report', { every: 'PT1H' }, noop);
    const matcher = GroupMatcher.groupEquals('DEFAULT');
    await scheduler.pauseTriggers(matcher, { until: at('00:30:00') });
    await advanceTo(at('00:40:00'));
    expect(events).toContain('triggersResumed equals DEFAULT');
  });

  it('does not end while the scheduler is in standby', async () => {
    const { scheduler, advanceTo } = await testScheduler();
    await scheduler.schedule('report', { every: 'PT1H' }, noop);
    await scheduler.pauseTrigger('report', { until: at('00:30:00') });
    await scheduler.standby();
    await advanceTo(at('01:00:00'));
    expect(await scheduler.getTriggerState('report')).toBe('PAUSED');
    await scheduler.start();
    await advanceTo(at('01:00:01'));
    expect(await scheduler.getTriggerState('report')).toBe('WAITING');
  });

  it('needs at least one detail to be listed', async () => {
    const { scheduler } = await testScheduler();
    await scheduler.schedule('report', { every: 'PT1H' }, noop);
    await scheduler.pauseTrigger('report', {});
    expect(await scheduler.listPauses()).toEqual([]);
    expect((await scheduler.listTriggers()).items[0]).toMatchObject({ state: 'PAUSED' });
  });

  it.each<[string, object]>([
    ['a misspelt option', { reasn: 'x' }],
    ['an empty reason', { reason: '' }],
    ['a reason that is not a string', { reason: 5 }],
    ['a long reason', { reason: 'x'.repeat(1_001) }],
    ['a long name', { by: 'x'.repeat(191) }],
    ['an end time that is not a Date', { until: '2027-01-01' }],
    ['an end time that has passed', { until: START }],
  ])('is refused with %s, and no trigger is paused', async (_, options) => {
    const { scheduler } = await testScheduler();
    await scheduler.schedule('report', { every: 'PT1H' }, noop);
    expect(await codeOf(() => scheduler.pauseTrigger('report', options))).toBe('INVALID_ARGUMENT');
    expect(await codeOf(() => scheduler.pauseAll(options))).toBe('INVALID_ARGUMENT');
    expect(await scheduler.getTriggerState('report')).toBe('WAITING');
  });
});
