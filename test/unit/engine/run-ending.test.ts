import { DoNotRetry, JobExecutionException, RetryLater } from '../../../src/api/job-execution-exception';
import type { Scheduler } from '../../../src/api/scheduler';
import { ManualClock } from '../../../src/base/manual-clock';
import { isWellFormed } from '../../../src/domain/check-text';
import { DEFAULT_POLICY, type HistoryMode } from '../../../src/domain/execution-policy';
import { triggerKey } from '../../../src/domain/keys';
import { occurrenceData, RETRYING_JOBS } from '../../../src/domain/occurrence';
import { parseRetryPolicy } from '../../../src/domain/retry-policy';
import { RUN_OUTCOMES, type RunOutcome } from '../../../src/domain/run';
import { detailOf, isRerunnable, resolvedRun } from '../../../src/domain/run-detail';
import { newRun } from '../../../src/engine/job-context';
import { completionOf, type JobOutcome, notStarted } from '../../../src/engine/run-ending';
import { MemoryJobStore } from '../../../src/store/memory/memory-job-store';
import { aFiring, aTrigger, threads } from './samples';

const clock = new ManualClock(5_000);
const parts = { clock, random: { token: () => '0'.repeat(8) }, policy: DEFAULT_POLICY, instanceId: 'node-1' };
const silent = { ...parts, policy: { ...DEFAULT_POLICY, history: 'none' as const } };
const under = (retry: unknown, history: HistoryMode = 'none') => ({
  ...parts,
  policy: { retry: parseRetryPolicy(retry, 'test'), history },
});
const firing = aFiring({ trigger: aTrigger({ nextFireTime: 60_000, repeatCount: -1 }), fireTime: 10 });
const run = newRun(
  { clock, store: new MemoryJobStore(() => 'x'), scheduler: () => ({}) as Scheduler, threads },
  firing,
  { execute() {} },
);
const ended = (outcome: RunOutcome): JobOutcome => ({ outcome, failure: null, jobData: null });
const failedWith = (failure: JobExecutionException): JobOutcome => ({ outcome: 'failed', failure, jobData: null });
const wrapped = (cause: unknown) => {
  const text = cause instanceof Error ? cause.message : String(cause);
  return new JobExecutionException(`The job 'DEFAULT/job' threw: ${text}`, { cause });
};
/** Record of a run that failed with this error. */
const recorded = (failure: JobExecutionException) =>
  completionOf(run, failedWith(failure), 'NOOP', under(false, 'failures')).run;

describe('completionOf', () => {
  it('adds no record for a success by default, and records a failure', () => {
    expect(completionOf(run, ended('succeeded'), 'NOOP', parts)).toEqual({ firing, instruction: 'NOOP' });
    expect(completionOf(run, failedWith(wrapped(new Error('no'))), 'NOOP', parts)).toMatchObject({
      run: { outcome: 'failed', error: 'no', isDeadLetter: false },
    });
  });

  it('adds nothing if neither history nor retries are configured', () => {
    for (const outcome of RUN_OUTCOMES) {
      expect(completionOf(run, ended(outcome), 'NOOP', silent)).toEqual({ firing, instruction: 'NOOP' });
    }
    expect(completionOf(run, failedWith(wrapped(new Error('no'))), 'NOOP', silent)).toEqual({
      firing,
      instruction: 'NOOP',
    });
    const jobData = { n: 1 };
    expect(completionOf(run, { ...ended('succeeded'), jobData }, 'NOOP', silent)).toEqual({
      firing,
      instruction: 'NOOP',
      jobData,
    });
  });

  it('records all outcomes, all but success, or none, depending on the history mode', () => {
    const recordedOf = (history: HistoryMode) =>
      RUN_OUTCOMES.filter((outcome) => completionOf(run, ended(outcome), 'NOOP', under(false, history)).run);
    expect(recordedOf('all')).toEqual(RUN_OUTCOMES);
    expect(recordedOf('failures')).toEqual(RUN_OUTCOMES.filter((outcome) => outcome !== 'succeeded'));
    expect(recordedOf('none')).toEqual([]);
  });

  it('records the identifying fields of a run, and no detail if the job reported nothing', () => {
    expect(completionOf(run, ended('succeeded'), 'NOOP', under(false, 'all')).run).toEqual({
      runId: 'fire-1',
      triggerKey: triggerKey('trigger'),
      jobKey: { group: 'DEFAULT', name: 'job' },
      jobType: 'job',
      instanceId: 'node-1',
      occurrenceId: 'fire-1',
      scheduledTime: 0,
      fireTime: 10,
      endTime: 5_000,
      attempt: 1,
      outcome: 'succeeded',
      isDeadLetter: false,
      error: null,
      detail: null,
    });
  });

  it('keeps data, priority and policy of the trigger in a dead letter, without internal retry data', () => {
    const policy = { retry: parseRetryPolicy('R1/PT1M', 'test') };
    const data = {
      customer: 7,
      ...occurrenceData({ id: 'fire-0', triggerKey: triggerKey('nightly'), scheduledTime: 1, attempt: 2 }),
    };
    const trigger = aTrigger({ key: { group: RETRYING_JOBS, name: 'retry_1' }, data, policy, priority: 3 });
    const last = completionOf(notStarted(aFiring({ trigger })), failedWith(wrapped('no')), 'NOOP', parts);
    expect(last.further).toBeUndefined();
    expect(last.run).toMatchObject({
      isDeadLetter: true,
      attempt: 2,
      occurrenceId: 'fire-0',
      triggerKey: { name: 'nightly' },
    });
    expect(last.run && detailOf(last.run)).toMatchObject({ triggerData: { customer: 7 }, priority: 3, policy });
  });

  it('marks a failed run without a retry as rerunnable, in the form that stores search for', () => {
    const failed = recorded(wrapped('no'));
    expect(failed).toMatchObject({ isDeadLetter: false, detail: expect.stringMatching(/^\{"canRerun":true[,}]/) });
    expect(failed && isRerunnable(failed)).toBe(true);
    const resolved = failed && resolvedRun(failed);
    expect(resolved && [isRerunnable(resolved), detailOf(resolved)]).toEqual([
      false,
      { ...(failed && detailOf(failed)), canRerun: false },
    ]);
    for (const [end, others] of [
      [failedWith(wrapped('no')), under('R5/PT1M', 'failures')],
      [ended('skipped'), parts],
      [ended('succeeded'), under(false, 'all')],
    ] as const) {
      const { run: record } = completionOf(run, end, 'NOOP', others);
      expect(record).toBeDefined();
      expect(record && isRerunnable(record)).toBe(false);
    }
  });

  it('never retries a run whose failure ends its triggers or sets them to ERROR', () => {
    for (const instruction of [
      'SET_TRIGGER_COMPLETE',
      'SET_ALL_JOB_TRIGGERS_COMPLETE',
      'SET_ALL_JOB_TRIGGERS_ERROR',
    ] as const) {
      const end = failedWith(new RetryLater(1_000));
      expect(completionOf(run, end, instruction, silent)).toEqual({ firing, instruction });
      const { further, run: record } = completionOf(run, end, instruction, under('R5/PT1M'));
      expect([further, record?.isDeadLetter]).toEqual([undefined, true]);
    }
    expect(completionOf(run, failedWith(new RetryLater(1_000)), 'DELETE_TRIGGER', parts).further).toBeDefined();
  });

  it('counts the pause before a retry from the recorded end of the run', () => {
    const over = notStarted(firing, 4_000);
    const end = failedWith(wrapped(new Error('no')));
    const { further, run: record } = completionOf(over, end, 'NOOP', under('R5/PT1M', 'failures'));
    expect([record?.endTime, further?.[0]?.startTime]).toEqual([4_000, 64_000]);
  });

  it('ignores an invalid delay of RetryLater', () => {
    for (const delay of [Number.NaN, -1, '5m', Number.POSITIVE_INFINITY]) {
      const failure = Object.assign(new RetryLater(1_000), { delay });
      expect(completionOf(run, failedWith(failure), 'NOOP', parts).further).toBeUndefined();
      expect(completionOf(run, failedWith(failure), 'NOOP', under('R5/PT1M')).further?.[0]?.startTime).toBe(65_000);
    }
  });

  describe('with an error of the job', () => {
    it('keeps the message without the text that the engine adds', () => {
      expect(recorded(wrapped(new TypeError('out of paper')))?.error).toBe('out of paper');
      expect(recorded(new JobExecutionException('the report failed', { cause: new Error('no paper') }))?.error).toBe(
        'the report failed',
      );
      expect(recorded(new DoNotRetry())?.error).toBe('The job requested no further retries.');
      expect(recorded(wrapped(new RangeError()))?.error).toBe('RangeError');
    });

    it('truncates the message to 1,000 characters, and replaces a lone surrogate', () => {
      expect(recorded(wrapped(new Error('😀'.repeat(5_000))))?.error).toBe(`${'😀'.repeat(999)}…`);
      expect(recorded(wrapped(new Error('half \ud83d of one')))?.error).toBe('half \ufffd of one');
    });

    it('keeps the stack with causes and aggregated errors', () => {
      const several = new AggregateError([new Error('first host'), 'second host'], 'no host');
      const { stack } = detailOf(recorded(wrapped(new Error('outer', { cause: several }))) ?? { detail: null });
      const order = ['Error: outer', 'at ', 'Caused by: AggregateError: no host', 'One of: Error: first host'];
      const places = [...order, 'One of: second host'].map((part) => stack?.indexOf(part));
      expect(places).toEqual([...places].sort((a = 0, b = 0) => a - b));
      expect(places).not.toContain(-1);
    });

    it('limits stacks to 16 kB of whole characters, even for circular or long cause chains', () => {
      const circle = new Error('circle');
      circle.cause = new Error('the other way', { cause: circle });
      let chain: unknown = 'the first';
      for (let n = 0; n < 50_000; n++) chain = new Error(`n${n}`, { cause: chain });
      for (const thrown of [circle, chain, new Error('😀'.repeat(100_000))]) {
        const { stack = '' } = detailOf(recorded(wrapped(thrown)) ?? { detail: null });
        expect(stack.length).toBeGreaterThan(0);
        expect(Buffer.byteLength(stack)).toBeLessThanOrEqual(16 * 1024);
        expect(isWellFormed(stack)).toBe(true);
        expect(stack).not.toContain('\ufffd');
      }
    });

    it('records the message even if other properties of the error throw when read', () => {
      const get = () => {
        throw new Error('read');
      };
      const unreadable = (name: string) => Object.defineProperty(new Error('seen'), name, { get });
      for (const name of ['stack', 'cause', 'errors', 'name']) {
        const run = recorded(new JobExecutionException('mine', { cause: unreadable(name) }));
        expect([run?.error, detailOf(run ?? { detail: null }).stack]).toEqual([
          'mine',
          expect.stringContaining('mine'),
        ]);
      }
      const proxy = new Proxy(new Error('p'), { getPrototypeOf: get, get });
      expect(recorded(new JobExecutionException('mine', { cause: proxy }))?.error).toBe('mine');
    });
  });
});

describe('RetryLater', () => {
  it("accepts a pause as milliseconds, as '5m' or as an ISO 8601 duration", () => {
    expect([new RetryLater(5).delay, new RetryLater('5m').delay, new RetryLater('PT1H').delay]).toEqual([
      5, 300_000, 3_600_000,
    ]);
    const error = new RetryLater('PT1M', 'the bank is closed', { cause: 'sunday' });
    expect([error.name, error.message, error.code, error.cause]).toEqual([
      'RetryLater',
      'the bank is closed',
      'JOB_EXECUTION',
      'sunday',
    ]);
    expect(error).toBeInstanceOf(JobExecutionException);
  });

  it('refuses invalid pauses', () => {
    const refused = expect.objectContaining({ code: 'INVALID_ARGUMENT' });
    for (const delay of [-1, 'soon', Number.NaN, 'P400D', null]) {
      expect(() => new RetryLater(delay as number)).toThrow(refused);
    }
  });
});
