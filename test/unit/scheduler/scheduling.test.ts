import { cronSchedule, GroupMatcher, jobKey, newJob, newTrigger, simpleSchedule, triggerKey } from '../../../src';
import { proves } from '../../support/proves';
import { at, codeOf, heard, noop, START, shutdownAll, testScheduler, times } from './support';

afterEach(shutdownAll);

const job = (name = 'report') => newJob('noop').withIdentity(name).build();
const hourly = () => simpleSchedule().withIntervalInHours(1).repeatForever();
const trigger = (name = 'hourly') => newTrigger().withIdentity(name).withSchedule(hourly()).build();

describe('scheduleJob', () => {
  it('stores a job with its trigger and returns the first fire time', async () => {
    const { scheduler, advanceTo } = await testScheduler();
    const first = await scheduler.scheduleJob(
      job(),
      newTrigger().withIdentity('at six').withSchedule(cronSchedule('0 0 6 * * ?')).build(),
    );
    expect(first).toEqual(at('06:00:00'));
    expect(times(await advanceTo(at('12:00:00')))).toEqual(['at six@06:00:00']);
  });

  it('starts a trigger without a start time now', async () => {
    const { scheduler, clock } = await testScheduler();
    clock.advanceBy(1_500);
    expect(await scheduler.scheduleJob(job(), trigger())).toEqual(at('00:00:01.500'));
  });

  it('uses the time zone of the scheduler by default', async () => {
    const { scheduler } = await testScheduler({ config: { scheduler: { timeZone: 'America/New_York' } } });
    const daily = newTrigger().withIdentity('daily').withSchedule(cronSchedule('0 0 6 * * ?')).build();
    expect(await scheduler.scheduleJob(job(), daily)).toEqual(at('11:00:00'));
    expect(await scheduler.getTrigger('daily')).toMatchObject({ timeZone: 'America/New_York', startTime: START });
  });

  it('stores a second trigger for a stored job', async () => {
    const { scheduler } = await testScheduler();
    await scheduler.scheduleJob(job(), trigger());
    const later = newTrigger().withIdentity('later').forJob('report').startAt(at('05:00:00')).build();
    expect(await scheduler.scheduleJob(later)).toEqual(at('05:00:00'));
    expect((await scheduler.getTriggersOfJob('report')).map(({ key }) => key.name)).toEqual(['hourly', 'later']);
  });

  it('refuses a job or trigger whose key exists, and stores neither', async () => {
    const { scheduler } = await testScheduler();
    await scheduler.scheduleJob(job(), trigger());
    expect(await codeOf(() => scheduler.scheduleJob(job(), trigger('other')))).toBe('OBJECT_ALREADY_EXISTS');
    expect(await codeOf(() => scheduler.scheduleJob(job('other'), trigger()))).toBe('OBJECT_ALREADY_EXISTS');
    expect(await scheduler.getJobDetail('other')).toBeNull();
    expect(await scheduler.getTrigger('other')).toBeNull();
  });

  it('refuses a trigger that never fires, and does not store its job', async () => {
    const { scheduler } = await testScheduler();
    const past = newTrigger().withSchedule(cronSchedule('0 0 0 1 1 ? 2020')).build();
    expect(await codeOf(() => scheduler.scheduleJob(job(), past))).toBe('INVALID_TRIGGER');
    expect(await scheduler.checkExists({ job: 'report' })).toBe(false);
  });

  it('refuses a trigger of another job, without a job, or of an unknown job', async () => {
    const { scheduler } = await testScheduler();
    const foreign = newTrigger().withIdentity('t').forJob('other').build();
    expect(await codeOf(() => scheduler.scheduleJob(job(), foreign))).toBe('INVALID_TRIGGER');
    expect(await codeOf(() => scheduler.scheduleJob(trigger()))).toBe('INVALID_TRIGGER');
    expect(await codeOf(() => scheduler.scheduleJob(foreign))).toBe('JOB_NOT_FOUND');
  });

  it('stores a job with several triggers', async () => {
    const { scheduler } = await testScheduler();
    await scheduler.scheduleJob(job(), [trigger('a'), trigger('b')], { replace: false });
    expect(await scheduler.getTriggerKeys(GroupMatcher.anyGroup())).toEqual([triggerKey('a'), triggerKey('b')]);
  });

  it('replaces a job and its triggers with the option replace, and keeps the progress of an unchanged trigger', async () => {
    const { scheduler, advanceTo } = await testScheduler();
    await scheduler.scheduleJob(job(), [trigger()], { replace: false });
    await advanceTo(at('00:30:00'));
    const changed = newJob('noop').withIdentity('report').withDescription('new').build();
    await scheduler.scheduleJob(changed, [trigger()], { replace: true });
    expect(await scheduler.getJobDetail('report')).toMatchObject({ description: 'new' });
    expect(await scheduler.getTrigger('hourly')).toMatchObject({ startTime: START, nextFireTime: at('01:00:00') });
  });
});

describe('scheduleJobs', () => {
  it('stores all jobs, or none if one is refused', async () => {
    const { scheduler } = await testScheduler();
    const jobs = new Map([
      [job('a'), [trigger('a')]],
      [job('b'), [trigger('b'), trigger('a')]],
    ]);
    expect(await codeOf(() => scheduler.scheduleJobs(jobs, { replace: false }))).toBe('OBJECT_ALREADY_EXISTS');
    expect(await scheduler.getJobKeys(GroupMatcher.anyGroup())).toEqual([]);
    await scheduler.scheduleJobs(
      new Map([
        [job('a'), [trigger('a')]],
        [job('b'), [trigger('b')]],
      ]),
      { replace: false },
    );
    expect(await scheduler.getJobKeys(GroupMatcher.anyGroup())).toEqual([jobKey('a'), jobKey('b')]);
  });

  it('refuses a non-durable job without triggers', async () => {
    const { scheduler } = await testScheduler();
    expect(await codeOf(() => scheduler.scheduleJobs(new Map([[job(), []]]), { replace: false }))).toBe(
      'INVALID_ARGUMENT',
    );
  });
});

describe('rescheduleJob', () => {
  it('replaces a trigger of the same job, and can change its key', async () => {
    const { scheduler } = await testScheduler();
    await scheduler.scheduleJob(job(), trigger());
    const later = newTrigger().withIdentity('later').startAt(at('03:00:00')).build();
    expect(await scheduler.rescheduleJob('hourly', later)).toEqual(at('03:00:00'));
    expect(await scheduler.getTrigger('hourly')).toBeNull();
    expect(await scheduler.getTrigger('later')).toMatchObject({ jobKey: jobKey('report') });
    expect(await scheduler.checkExists({ job: 'report' })).toBe(true);
  });

  it('returns null for an unknown trigger', async () => {
    const { scheduler } = await testScheduler();
    expect(await scheduler.rescheduleJob('nothing', trigger())).toBeNull();
  });

  it('changes nothing if the new trigger never fires or its key exists', async () => {
    const { scheduler } = await testScheduler();
    await scheduler.scheduleJob(job(), [trigger('a'), trigger('b')], { replace: false });
    const never = newTrigger().withIdentity('c').withSchedule(cronSchedule('0 0 0 1 1 ? 2020')).build();
    expect(await codeOf(() => scheduler.rescheduleJob('a', never))).toBe('INVALID_TRIGGER');
    expect(await codeOf(() => scheduler.rescheduleJob('a', trigger('b')))).toBe('OBJECT_ALREADY_EXISTS');
    expect(await scheduler.getTriggerState('a')).toBe('WAITING');
  });
});

describe('addJob', () => {
  it('stores a durable job without a trigger', async () => {
    const { scheduler } = await testScheduler();
    const durable = newJob('noop').withIdentity('stored').storeDurably().build();
    await scheduler.addJob(durable);
    expect(await scheduler.getJobDetail('stored')).toEqual(durable);
  });

  it('refuses a non-durable job unless it waits for its trigger', async () => {
    const { scheduler } = await testScheduler();
    expect(await codeOf(() => scheduler.addJob(job()))).toBe('INVALID_ARGUMENT');
    await scheduler.addJob(job(), { storeNonDurableWhileAwaitingScheduling: true });
    expect(await scheduler.checkExists({ job: 'report' })).toBe(true);
  });

  it('replaces a stored job only with the option replace', async () => {
    const { scheduler } = await testScheduler();
    const described = (text: string) => newJob('noop').withIdentity('j').storeDurably().withDescription(text).build();
    await scheduler.addJob(described('old'));
    expect(await codeOf(() => scheduler.addJob(described('new')))).toBe('OBJECT_ALREADY_EXISTS');
    await scheduler.addJob(described('new'), { replace: true });
    expect(await scheduler.getJobDetail('j')).toMatchObject({ description: 'new' });
  });
});

describe('triggerJob', () => {
  it('runs a stored job once, immediately, with the given data', async () => {
    const seen: unknown[] = [];
    const { scheduler, runDue } = await testScheduler({ jobs: { show: ({ data }) => void seen.push(data) } });
    await scheduler.addJob(newJob('show').withIdentity('j').storeDurably().usingJobData({ a: 1, b: 1 }).build());
    const key = await scheduler.triggerJob('j', { b: 2 });
    expect(key).toMatchObject({ group: 'DEFAULT', name: expect.stringMatching(/^MT_[0-9a-z]{13}$/) });
    expect((await runDue()).map(({ trigger }) => trigger)).toEqual([key]);
    expect(seen).toEqual([{ a: 1, b: 2 }]);
    expect(await scheduler.getTriggerState(key)).toBeNull();
    expect(await runDue()).toEqual([]);
  });

  it('refuses an unknown job', async () => {
    proves('errors', 'JOB_NOT_FOUND');
    const { scheduler } = await testScheduler();
    expect(await codeOf(() => scheduler.triggerJob('nothing'))).toBe('JOB_NOT_FOUND');
  });
});

describe('deletion', () => {
  it('removes a non-durable job with its last trigger', async () => {
    const { scheduler } = await testScheduler();
    await scheduler.scheduleJob(job(), [trigger('a'), trigger('b')], { replace: false });
    const events = heard(scheduler);
    expect(await scheduler.unscheduleJob('a')).toBe(true);
    expect(await scheduler.checkExists({ job: 'report' })).toBe(true);
    expect(await scheduler.unscheduleJob('b')).toBe(true);
    expect(await scheduler.checkExists({ job: 'report' })).toBe(false);
    expect(await scheduler.unscheduleJob('b')).toBe(false);
    expect(events).toEqual(['jobUnscheduled a', 'jobUnscheduled b', 'jobDeleted report']);
  });

  it('keeps a durable job when its last trigger is removed', async () => {
    const { scheduler } = await testScheduler();
    await scheduler.scheduleJob(newJob('noop').withIdentity('stays').storeDurably().build(), trigger());
    await scheduler.unscheduleJob('hourly');
    expect(await scheduler.checkExists({ job: 'stays' })).toBe(true);
  });

  it('returns true for several keys only if all of them existed', async () => {
    const { scheduler } = await testScheduler();
    await scheduler.scheduleJob(job(), [trigger('a'), trigger('b')], { replace: false });
    expect(await scheduler.unscheduleJobs(['a', 'nothing'])).toBe(false);
    expect(await scheduler.unscheduleJobs([triggerKey('b')])).toBe(true);
    expect(await scheduler.deleteJobs(['report'])).toBe(false);
  });

  it('removes a job with its triggers, and publishes an event for each', async () => {
    const { scheduler } = await testScheduler();
    await scheduler.scheduleJob(job(), [trigger('a'), trigger('b')], { replace: false });
    const events = heard(scheduler);
    expect(await scheduler.deleteJob('report')).toBe(true);
    expect(await scheduler.getTriggerKeys(GroupMatcher.anyGroup())).toEqual([]);
    expect(events.sort()).toEqual(['jobDeleted report', 'jobUnscheduled a', 'jobUnscheduled b']);
    expect(await scheduler.deleteJob('report')).toBe(false);
  });

  it('removes all jobs, triggers and pauses with clear', async () => {
    const { scheduler } = await testScheduler();
    await scheduler.schedule('a', { every: 1_000 }, noop);
    await scheduler.pauseTriggers(GroupMatcher.groupEquals('g'));
    const events = heard(scheduler);
    await scheduler.clear();
    expect(await scheduler.getJobKeys(GroupMatcher.anyGroup())).toEqual([]);
    expect(await scheduler.getPausedTriggerGroups()).toEqual([]);
    expect(events).toEqual(['schedulingDataCleared']);
  });
});

it('events are published after the change is stored', async () => {
  const { scheduler } = await testScheduler();
  const stored: Promise<boolean>[] = [];
  scheduler.getListenerManager().addSchedulerListener({
    jobScheduled: ({ key }) => void stored.push(scheduler.checkExists({ trigger: key })),
  });
  const events = heard(scheduler);
  await scheduler.scheduleJob(job(), trigger());
  await codeOf(() => scheduler.scheduleJob(job(), trigger()));
  await scheduler.rescheduleJob('hourly', trigger('new'));
  expect(await Promise.all(stored)).toEqual([true, true]);
  expect(events).toEqual(['jobAdded report', 'jobScheduled hourly', 'jobUnscheduled hourly', 'jobScheduled new']);
});
