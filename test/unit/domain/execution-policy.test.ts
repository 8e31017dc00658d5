import fc from 'fast-check';
import { DATA_LIMITS } from '../../../src/domain/check-job-data';
import {
  checkHistory,
  checkPolicy,
  DEFAULT_POLICY,
  type ExecutionPolicy,
  type HistoryMode,
  POLICY_KEY,
  policyOf,
  takePolicy,
  withPolicy,
} from '../../../src/domain/execution-policy';
import { type JobData, NO_DATA } from '../../../src/domain/job-data';
import { LIMITS } from '../../../src/domain/limits';
import { NO_RETRY } from '../../../src/domain/retry-policy';

const once = { max: 1, delays: [1_000] };
const twice = { max: 2, delays: [1_000, 2_000] };

const of = (trigger: ExecutionPolicy | undefined, job: ExecutionPolicy | undefined) => ({
  trigger: trigger === undefined ? {} : { policy: trigger },
  jobDetail: job === undefined ? {} : { policy: job },
});

describe('the policy of a firing', () => {
  const ofScheduler = { retry: twice, history: 'failures' } as const;

  it.each<[string, ExecutionPolicy | undefined, ExecutionPolicy | undefined, ExecutionPolicy]>([
    ['is that of the scheduler if job and trigger have none', undefined, undefined, ofScheduler],
    ['takes the history mode from the job', undefined, { history: 'all' }, { retry: twice, history: 'all' }],
    [
      'takes the retries from the trigger and the history mode from the job',
      { retry: once },
      { history: 'all' },
      { retry: once, history: 'all' },
    ],
    [
      'prefers the history mode of the trigger to that of the job',
      { history: 'none' },
      { retry: once, history: 'all' },
      { retry: once, history: 'none' },
    ],
    [
      'has no retries if the job disables them',
      undefined,
      { retry: NO_RETRY },
      { retry: NO_RETRY, history: 'failures' },
    ],
    [
      'has retries if the trigger enables them and the job disables them',
      { retry: once },
      { retry: NO_RETRY },
      { retry: once, history: 'failures' },
    ],
  ])('%s', (_, trigger, job, expected) => {
    expect(policyOf(of(trigger, job), ofScheduler)).toEqual(expected);
  });

  it('is the same object as the policy of the scheduler if job and trigger have none', () => {
    expect(policyOf(of(undefined, undefined), ofScheduler)).toBe(ofScheduler);
  });

  it('has no retries and records failed runs by default', () => {
    expect(DEFAULT_POLICY).toEqual({ retry: { max: 0, delays: [] }, history: 'failures' });
  });

  it('uses the history mode of the job group before that of the scheduler, but after those of job and trigger', () => {
    const ofScheduler = { ...DEFAULT_POLICY, historyOfGroups: { noisy: 'none', billing: 'all' } } as const;
    const historyOf = (group: string, ofJob?: HistoryMode, ofTrigger?: HistoryMode) =>
      policyOf(
        {
          jobDetail: { key: { group }, ...(ofJob && { policy: { history: ofJob } }) },
          trigger: { ...(ofTrigger && { policy: { history: ofTrigger } }) },
        },
        ofScheduler,
      ).history;
    expect(['noisy', 'billing', 'other', 'toString', '__proto__'].map((group) => historyOf(group))).toEqual([
      'none',
      'all',
      'failures',
      'failures',
      'failures',
    ]);
    expect([historyOf('noisy', 'failures'), historyOf('billing', 'failures', 'none')]).toEqual(['failures', 'none']);
    const retrying = { jobDetail: { key: { group: 'noisy' }, policy: { startWithin: 5 } }, trigger: {} };
    expect(policyOf(retrying, ofScheduler)).toMatchObject({ history: 'none', startWithin: 5 });
  });
});

describe('a given policy', () => {
  it.each<[unknown, unknown]>([
    [undefined, undefined],
    [null, undefined],
    [{}, undefined],
    [{ retry: undefined, history: undefined }, undefined],
    [{ retry: false }, { retry: NO_RETRY }],
    [
      { retry: 'R2/PT1S', history: true },
      { retry: { max: 2, delays: [1_000] }, history: 'all' },
    ],
    [{ history: false }, { history: 'none' }],
    [{ history: 'failures' }, { history: 'failures' }],
  ])('is parsed from %j', (given, expected) => {
    expect(checkPolicy(given, 'it')).toEqual(expected);
  });

  it.each<[string, unknown, RegExp]>([
    ['a string', 'R5/PT5M', /^Expected an object as the policy of it, found 'R5\/PT5M'/],
    ['null as the retries', { retry: null }, /for the retries of it, found null/],
    [
      'an unknown history mode',
      { history: 'some' },
      /^Expected all, failures or none as the history of it, found 'some'/,
    ],
    ['null as the history mode', { history: null }, /^Expected all, failures or none/],
    ['a method name as the history mode', { history: 'toString' }, /found 'toString'/],
  ])('refuses %s', (_, given, message) => {
    expect(() => checkPolicy(given, 'it')).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringMatching(message) }),
    );
  });

  it.each([
    [true, 'all'],
    [false, 'none'],
    ['all', 'all'],
    ['failures', 'failures'],
    ['none', 'none'],
  ])('accepts %p as the history mode %s', (given, expected) => {
    expect(checkHistory(given, 'it')).toBe(expected);
  });
});

describe('a policy in stored job data', () => {
  it('is stored under the key QRTZ_X_POLICY, which is part of the table format', () => {
    expect(POLICY_KEY).toBe('QRTZ_X_POLICY');
    expect(withPolicy({ a: 1 }, { retry: once, history: 'all' })).toEqual({
      a: 1,
      QRTZ_X_POLICY: '{"retry":{"max":1,"delays":[1000]},"history":"all"}',
    });
  });

  it('leaves the data unchanged if it is undefined', () => {
    const data = { a: 1 };
    expect(withPolicy(data, undefined)).toBe(data);
    expect(takePolicy(data)).toEqual({ data, policy: undefined });
    expect(takePolicy(data).data).toBe(data);
  });

  it('leaves the shared empty object when it is taken out of data without other entries', () => {
    expect(takePolicy(withPolicy(NO_DATA, { history: 'all' })).data).toBe(NO_DATA);
  });

  it.each([
    ['invalid JSON', '{'],
    ['a number', '5'],
    ['a policy of a later version', '{"retry":{"max":1,"delays":[1],"until":5}}'],
    ['not a string', { retry: once }],
    ['null', null],
  ])('is ignored and removed from the data when it is %s', (_, stored) => {
    const data = { a: 1, [POLICY_KEY]: stored } as JobData;
    expect(takePolicy(data)).toEqual({ data: { a: 1 }, policy: undefined });
  });

  it('is the same after storing and reading, for any data', () => {
    const policy = fc.record(
      {
        retry: fc.constantFrom(NO_RETRY, once, {
          ...twice,
          factor: 2,
          jitter: 0.1,
          maxAge: 5,
          from: { attempt: 2, time: 7 },
        }),
        history: fc.constantFrom('all', 'failures', 'none'),
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<ExecutionPolicy>;
    const data = fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      fc.jsonValue(),
    ) as fc.Arbitrary<JobData>;
    fc.assert(
      fc.property(data, policy, (stored, written) => {
        const given = checkPolicy(written, 'it');
        const taken = takePolicy(JSON.parse(JSON.stringify(withPolicy(stored, given))) as JobData);
        expect(taken).toEqual({ data: JSON.parse(JSON.stringify(stored)), policy: given });
      }),
    );
  });

  it('fits in the column together with the largest data', () => {
    const year = 366 * 86_400_000;
    const retry = { max: 1_000, delays: Array(100).fill(year), factor: 1 + 2 ** -52, jitter: 0.1 + 0.2, maxAge: year };
    const largest = checkPolicy({ retry, history: 'failures' }, 'it');
    const entry = JSON.stringify(withPolicy({}, largest));
    expect(DATA_LIMITS.bytes + Buffer.byteLength(entry)).toBeLessThan(LIMITS.calendarBytes);
  });
});
