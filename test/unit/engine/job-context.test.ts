import type { JobReport } from '../../../src/api/job-report';
import type { Scheduler } from '../../../src/api/scheduler';
import { ManualClock } from '../../../src/base/manual-clock';
import { NO_DATA } from '../../../src/domain/job-data';
import { type JobKey, triggerKey } from '../../../src/domain/keys';
import { occurrenceData, RETRYING_JOBS } from '../../../src/domain/occurrence';
import { JobContext, newRun } from '../../../src/engine/job-context';
import { returnedJobData } from '../../../src/engine/job-outcome';
import { LEASE_LOST, SHUTTING_DOWN } from '../../../src/engine/stop-reason';
import { MemoryJobStore } from '../../../src/store/memory/memory-job-store';
import { aFiring, aJobDetail, aTrigger, threads } from './samples';

const scheduler = { name: 'the scheduler' } as unknown as Scheduler;
const host = {
  scheduler: () => scheduler,
  clock: new ManualClock(1_000),
  store: new MemoryJobStore(() => 'x'),
  threads,
};
const jobInstance = { execute() {} };
const contextOf = (changes: Parameters<typeof aFiring>[0] = {}) =>
  newRun(host, aFiring(changes), jobInstance).context as JobContext;
const INVALID = expect.objectContaining({ code: 'INVALID_ARGUMENT' });

describe('JobContext', () => {
  it('shows the firing with the property names of Quartz, and times as dates', () => {
    const context = contextOf({
      runId: 'f-7',
      trigger: aTrigger({ nextFireTime: 4_000, previousFireTime: 3_000 }),
      fireTime: 3_005,
      scheduledFireTime: 3_000,
      previousFireTime: 2_000,
    });
    expect(context.scheduler).toBe(scheduler);
    expect(context.runId).toBe('f-7');
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

  it('protects the keys of its job and trigger against changes', () => {
    const firing = aFiring({ jobDetail: structuredClone(aJobDetail()), trigger: structuredClone(aTrigger()) });
    const { jobDetail, trigger } = newRun(host, firing, jobInstance).context;
    for (const key of [jobDetail.key, trigger.key, trigger.jobKey as JobKey]) {
      expect(() => Object.assign(key, { name: 'another' })).toThrow(TypeError);
    }
    expect(() => Object.assign(jobDetail, { key: null })).toThrow(TypeError);
  });

  it('returns null for missing times and a missing calendar', () => {
    const context = contextOf();
    expect([context.previousFireTime, context.nextFireTime, context.calendar]).toEqual([null, null, null]);
  });

  it('can be destructured by job functions', () => {
    const { data, signal, scheduledFireTime } = contextOf();
    expect([data, signal.aborted, scheduledFireTime]).toEqual([{}, false, new Date(0)]);
  });

  it('gives a job that persists its data mutable copies of the stored data', () => {
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

  it('merges the data of the trigger over the data of the job and freezes the result', () => {
    const context = contextOf({
      jobDetail: aJobDetail({ data: { a: 1, b: 1 } }),
      trigger: aTrigger({ data: { b: 2, c: 2 } }),
    });
    expect(context.mergedJobDataMap).toEqual({ a: 1, b: 2, c: 2 });
    expect(context.data).toBe(context.mergedJobDataMap);
    expect(Object.isFrozen(context.data)).toBe(true);
    expect(contextOf().data).toBe(NO_DATA);
  });

  it('creates the calendar of the trigger from its stored form once', () => {
    const base = { description: null, timeZone: 'UTC', base: null };
    const context = contextOf({ calendar: { ...base, type: 'weekly', excludedDays: [1, 7] } });
    expect(context.calendar?.isIncluded(Date.UTC(2026, 10, 22))).toBe(false);
    expect(context.calendar).toBe(context.calendar);
  });

  it('returns the trigger of a recovered run, and throws for other runs', () => {
    const data = { QRTZ_FAILED_JOB_ORIG_TRIGGER_NAME: 'n', QRTZ_FAILED_JOB_ORIG_TRIGGER_GROUP: 'g' };
    expect(contextOf({ recovering: true, trigger: aTrigger({ data }) }).recoveringTriggerKey).toEqual({
      group: 'g',
      name: 'n',
    });
    const refused = expect.objectContaining({ code: 'SCHEDULER_STATE' });
    expect(() => contextOf({ trigger: aTrigger({ data }) }).recoveringTriggerKey).toThrow(refused);
    expect(() => contextOf({ recovering: true }).recoveringTriggerKey).toThrow(refused);
  });

  it('stores a result, and values that listeners put', () => {
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

  it('aborts its signal when interrupted, whether the signal was read before or after', () => {
    const early = contextOf();
    const { signal } = early;
    expect(signal).toBe(early.signal);
    JobContext.runOf(early).interrupt(LEASE_LOST);
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toMatchObject({ name: 'AbortError', message: LEASE_LOST.message });
    const late = contextOf();
    JobContext.runOf(late).interrupt(SHUTTING_DOWN);
    JobContext.runOf(late).interrupt(LEASE_LOST);
    expect(late.signal.reason).toMatchObject({ message: SHUTTING_DOWN.message });
  });

  it('counts the attempts of an occurrence, and hides its internal data from the job', () => {
    const data = {
      customer: 7,
      ...occurrenceData({ id: 'fire-0', triggerKey: triggerKey('nightly'), scheduledTime: 500, attempt: 3 }),
    };
    const trigger = aTrigger({ key: { group: RETRYING_JOBS, name: 'retry_1' }, data });
    const context = contextOf({ trigger, scheduledFireTime: 9_000 });
    expect([context.attempt, context.scheduledFireTime, context.data]).toEqual([3, new Date(500), { customer: 7 }]);
    expect([context.occurrenceId, contextOf().occurrenceId]).toEqual(['fire-0', contextOf().runId]);
    expect(context.trigger.key.group).toBe('RETRYING_JOBS');
    expect(contextOf().attempt).toBe(1);
  });

  it('shows the progress of the job', () => {
    const context = contextOf();
    expect(context.currentProgress).toBeNull();
    context.progress(0.5, 'half');
    expect(context.currentProgress).toEqual({ fraction: 0.5, message: 'half', at: new Date(1_000) });
    context.progress(1);
    expect(context.currentProgress).toMatchObject({ fraction: 1, message: null });
    context.progress(1, 'x'.repeat(1_001));
    expect(context.currentProgress?.message).toBe(`${'x'.repeat(999)}…`);
    for (const wrong of [-0.1, 1.1, Number.NaN, '0.5', undefined]) {
      expect(() => context.progress(wrong as number)).toThrow(INVALID);
    }
    expect(() => context.progress(0.5, 5 as unknown as string)).toThrow(INVALID);
  });

  describe('report', () => {
    const reported = (...reports: unknown[]) => {
      const context = contextOf();
      for (const report of reports) context.report(report as JobReport);
      return JobContext.runOf(context).notes?.report;
    };

    it('merges several calls; later values replace earlier ones', () => {
      expect(
        reported({ summary: 'a', metrics: { read: 1, sent: 1 } }, { metrics: { sent: 2 }, outcome: 'skipped' }, {}),
      ).toEqual({ summary: 'a', metrics: { read: 1, sent: 2 }, outcome: 'skipped' });
    });

    it('truncates a long summary between characters, and replaces a lone surrogate', () => {
      expect(reported({ summary: '😀'.repeat(1_001) })?.summary).toBe(`${'😀'.repeat(999)}…`);
      expect(reported({ summary: '😀'.repeat(1_000) })?.summary).toBe('😀'.repeat(1_000));
      expect(reported({ summary: 'a\ud83d' })?.summary).toBe('a\ufffd');
    });

    it.each([
      [null],
      ['done'],
      [{ summary: 5 }],
      [{ outcome: 'lost' }],
      [{ outcome: null }],
      [{ metrics: [1] }],
      [{ metrics: { sent: '3' } }],
      [{ metrics: { sent: Number.NaN } }],
      [{ metrics: { sent: Number.POSITIVE_INFINITY } }],
      [{ metrics: { '': 1 } }],
      [{ metrics: { ['m'.repeat(101)]: 1 } }],
      [{ sumary: 'a typing error' }],
    ])('refuses %p', (report) => {
      expect(() => reported(report)).toThrow(INVALID);
    });

    it('accepts 50 metrics in total, and keeps the earlier report if there are more', () => {
      const metrics = (from: number, to: number) =>
        Object.fromEntries(Array.from({ length: to - from }, (_, n) => [`m${from + n}`, n]));
      const context = contextOf();
      context.report({ metrics: metrics(0, 40) });
      context.report({ metrics: metrics(0, 50) });
      expect(() => context.report({ summary: 'no', metrics: metrics(50, 51) })).toThrow(INVALID);
      const report = JobContext.runOf(context).notes?.report;
      expect([Object.keys(report?.metrics ?? {}).length, report?.summary]).toEqual([50, undefined]);
    });
  });

  describe('log', () => {
    const linesOf = (context: JobContext) => JobContext.runOf(context).notes?.detail.lines ?? [];

    it('is created on first use, and can be destructured', () => {
      const context = contextOf();
      expect(JobContext.runOf(context).notes).toBeNull();
      const { log } = context;
      const { info } = log;
      log.debug('a');
      info('b', { n: 1 });
      log.warn('c');
      log.error('d', new TypeError('no paper'));
      expect(context.log).toBe(log);
      expect(linesOf(context)).toEqual([
        { at: 1_000, level: 'debug', message: 'a', data: null },
        { at: 1_000, level: 'info', message: 'b', data: { n: 1 } },
        { at: 1_000, level: 'warn', message: 'c', data: null },
        {
          at: 1_000,
          level: 'error',
          message: 'd',
          data: { name: 'TypeError', message: 'no paper', stack: expect.stringContaining('no paper') },
        },
      ]);
    });

    it('keeps the data as it was when the line was logged', () => {
      const context = contextOf();
      const data = { rows: [1] };
      context.log.info('read', data);
      data.rows.push(2);
      expect(linesOf(context)[0]?.data).toEqual({ rows: [1] });
    });

    it('never throws, and describes data that JSON cannot hold', () => {
      const context = contextOf();
      const cycle: Record<string, unknown> = {};
      cycle.self = cycle;
      const trap = Object.defineProperty({}, 'x', {
        enumerable: true,
        get() {
          throw new Error('trap');
        },
      });
      const { info } = context.log;
      for (const data of [cycle, trap, 5n, () => {}, Symbol('s'), undefined, Number.NaN]) info('data', data);
      info(new Error('a message') as unknown as string);
      info(undefined as unknown as string);
      expect(linesOf(context).map(({ data }) => data)).toEqual([
        expect.stringContaining('Not JSON: '),
        'Not JSON: trap',
        '5',
        'a function',
        'a symbol',
        null,
        null,
        null,
        null,
      ]);
      expect(
        linesOf(context)
          .map(({ message }) => message)
          .slice(-2),
      ).toEqual(['a message', 'undefined']);
    });

    it('keeps the newest 64 kB of lines, however long they are', () => {
      const context = contextOf();
      for (let n = 0; n < 5_000; n++) context.log.info(`line ${n}`, { text: 'ä'.repeat(n % 50) });
      const lines = linesOf(context);
      expect(lines.at(-1)?.message).toBe('line 4999');
      expect(lines[0]?.message).toBe(`line ${5_000 - lines.length}`);
      const bytes = Buffer.byteLength(JSON.stringify(lines));
      expect([bytes > 60_000, bytes <= 64 * 1024]).toEqual([true, true]);
      context.log.info('\u0001'.repeat(100_000), '\u0001"😀'.repeat(1_000_000));
      expect(linesOf(context).length).toBeGreaterThan(0);
      expect(Buffer.byteLength(JSON.stringify(linesOf(context)))).toBeLessThanOrEqual(64 * 1024);
    });

    it('continues after an immediate refire, while the report starts empty', () => {
      const context = contextOf();
      context.log.info('first');
      context.report({ outcome: 'skipped', summary: 'nothing' });
      context.progress(1);
      JobContext.runOf(context).refire();
      context.log.info('second');
      expect(JobContext.runOf(context).notes?.detail).toEqual({
        lines: [expect.objectContaining({ message: 'first' }), expect.objectContaining({ message: 'second' })],
      });
      expect(context.currentProgress).toBeNull();
    });
  });

  it('provides functions that work without `this`', () => {
    const context = contextOf();
    const { log, report, progress, checkpoint } = context;
    expect(checkpoint).toBeInstanceOf(Function);
    log.info('begun');
    progress(0.5);
    report({ summary: 'done' });
    expect(context.currentProgress).toMatchObject({ fraction: 0.5 });
    expect(JobContext.runOf(context).notes?.detail).toMatchObject({ summary: 'done', lines: [{ message: 'begun' }] });
  });
});
