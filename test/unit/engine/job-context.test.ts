import type { Scheduler } from '../../../src/api/scheduler';
import { NO_DATA } from '../../../src/domain/job-data';
import type { JobKey } from '../../../src/domain/keys';
import { JobContext } from '../../../src/engine/job-context';
import { returnedJobData } from '../../../src/engine/job-run-shell';
import { aFiring, aJobDetail, aTrigger } from './samples';

const scheduler = { name: 'the scheduler' } as unknown as Scheduler;
const jobInstance = { execute() {} };
const contextOf = (changes: Parameters<typeof aFiring>[0] = {}) =>
  new JobContext(aFiring(changes), jobInstance, () => scheduler);

describe('JobContext', () => {
  it('shows the firing in the words of Quartz, with times as dates', () => {
    const context = contextOf({
      fireInstanceId: 'f-7',
      trigger: aTrigger({ nextFireTime: 4_000, previousFireTime: 3_000 }),
      fireTime: 3_005,
      scheduledFireTime: 3_000,
      previousFireTime: 2_000,
    });
    expect(context.scheduler).toBe(scheduler);
    expect(context.fireInstanceId).toBe('f-7');
    expect(context.jobDetail.key.name).toBe('job');
    expect(context.trigger.nextFireTime).toEqual(new Date(4_000));
    expect(context.trigger).toBe(context.trigger);
    expect(context.fireTime).toEqual(new Date(3_005));
    expect(context.scheduledFireTime).toEqual(new Date(3_000));
    expect(context.previousFireTime).toEqual(new Date(2_000));
    expect(context.nextFireTime).toEqual(new Date(4_000));
    expect([context.refireCount, context.isRecovering, context.jobRunTime]).toEqual([0, false, -1]);
    expect(context.jobInstance).toBe(jobInstance);
  });

  it('shows its job and its trigger under keys that cannot be changed', () => {
    const firing = aFiring({ jobDetail: structuredClone(aJobDetail()), trigger: structuredClone(aTrigger()) });
    const { jobDetail, trigger } = new JobContext(firing, jobInstance, () => scheduler);
    for (const key of [jobDetail.key, trigger.key, trigger.jobKey as JobKey]) {
      expect(() => Object.assign(key, { name: 'another' })).toThrow(TypeError);
    }
    expect(() => Object.assign(jobDetail, { key: null })).toThrow(TypeError);
  });

  it('has no date where there is no time', () => {
    const context = contextOf();
    expect([context.previousFireTime, context.nextFireTime, context.calendar]).toEqual([null, null, null]);
  });

  it('can be taken apart, as job functions do', () => {
    const { data, signal, scheduledFireTime } = contextOf();
    expect([data, signal.aborted, scheduledFireTime]).toEqual([{}, false, new Date(0)]);
  });

  it('gives a job that persists its data copies of it, which may be changed in place', () => {
    const data = Object.freeze({ count: 1, nested: Object.freeze({ count: 1 }) });
    const jobDetail = aJobDetail({ data, persistJobDataAfterExecution: true });
    const context = contextOf({ jobDetail });
    const given = context.jobDetail.data as { count: number; nested: { count: number } };
    given.count += 1;
    given.nested.count += 1;
    (context.data as { count: number }).count += 5;
    expect(context.jobDetail.data).toEqual({ count: 2, nested: { count: 2 } });
    expect(data).toEqual({ count: 1, nested: { count: 1 } });
    expect(returnedJobData(jobDetail, context.jobDetail.data)).toEqual({ count: 2, nested: { count: 2 } });
    expect(returnedJobData(jobDetail, context.data)).toEqual({ count: 6, nested: { count: 1 } });
  });

  it('merges the data of the trigger over that of the job, frozen', () => {
    const context = contextOf({
      jobDetail: aJobDetail({ data: { a: 1, b: 1 } }),
      trigger: aTrigger({ data: { b: 2, c: 2 } }),
    });
    expect(context.mergedJobDataMap).toEqual({ a: 1, b: 2, c: 2 });
    expect(context.data).toBe(context.mergedJobDataMap);
    expect(Object.isFrozen(context.data)).toBe(true);
    expect(contextOf().data).toBe(NO_DATA);
  });

  it('makes the calendar of the trigger from its stored form, once', () => {
    const base = { description: null, timeZone: 'UTC', base: null };
    const context = contextOf({ calendar: { ...base, type: 'weekly', excludedDays: [1, 7] } });
    expect(context.calendar?.isIncluded(Date.UTC(2026, 10, 22))).toBe(false);
    expect(context.calendar).toBe(context.calendar);
  });

  it('names the trigger it recovers, and only when it recovers one', () => {
    const data = { QRTZ_FAILED_JOB_ORIG_TRIGGER_NAME: 'n', QRTZ_FAILED_JOB_ORIG_TRIGGER_GROUP: 'g' };
    expect(contextOf({ recovering: true, trigger: aTrigger({ data }) }).recoveringTriggerKey).toEqual({
      group: 'g',
      name: 'n',
    });
    const refused = expect.objectContaining({ code: 'SCHEDULER_STATE' });
    expect(() => contextOf({ trigger: aTrigger({ data }) }).recoveringTriggerKey).toThrow(refused);
    expect(() => contextOf({ recovering: true }).recoveringTriggerKey).toThrow(refused);
  });

  it('keeps a result and a scratch space for the listeners', () => {
    const context = contextOf();
    context.result = 42;
    context.put('key', 'value');
    context.put('__proto__', 'harmless');
    expect([context.result, context.get('key'), context.get('missing'), context.get('__proto__')]).toEqual([
      42,
      'value',
      undefined,
      'harmless',
    ]);
    expect(contextOf().get('key')).toBeUndefined();
  });

  it('aborts its signal when interrupted, however early or late it is asked for', () => {
    const early = contextOf();
    const { signal } = early;
    expect(signal).toBe(early.signal);
    JobContext.interrupt(early);
    expect(signal.aborted).toBe(true);
    expect((signal.reason as Error).name).toBe('AbortError');
    const late = contextOf();
    JobContext.interrupt(late);
    JobContext.interrupt(late);
    expect(late.signal.aborted).toBe(true);
  });
});
