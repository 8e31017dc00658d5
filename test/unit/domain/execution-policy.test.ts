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
    ['nobody says anything', undefined, undefined, ofScheduler],
    ['the job says one thing', undefined, { history: 'all' }, { retry: twice, history: 'all' }],
    ['the trigger says the other', { retry: once }, { history: 'all' }, { retry: once, history: 'all' }],
    ['both say the same', { history: 'none' }, { retry: once, history: 'all' }, { retry: once, history: 'none' }],
    ['the job is never tried again', undefined, { retry: NO_RETRY }, { retry: NO_RETRY, history: 'failures' }],
    ['the trigger is, though', { retry: once }, { retry: NO_RETRY }, { retry: once, history: 'failures' }],
  ])('%s', (_, trigger, job, expected) => {
    expect(policyOf(of(trigger, job), ofScheduler)).toEqual(expected);
  });

  it('is the scheduler’s own object where nobody says anything: nothing is built for most firings', () => {
    expect(policyOf(of(undefined, undefined), ofScheduler)).toBe(ofScheduler);
  });

  it('retries nothing and records what did not succeed, without a word from anybody', () => {
    expect(DEFAULT_POLICY).toEqual({ retry: { max: 0, delays: [] }, history: 'failures' });
  });

  it('records what the group of the job says, before the scheduler and behind job and trigger', () => {
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

describe('a policy that is given', () => {
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
  ])('%j', (given, expected) => {
    expect(checkPolicy(given, 'it')).toEqual(expected);
  });

  it.each<[string, unknown, RegExp]>([
    ['a text', 'R5/PT5M', /^Expected an object as the policy of it, found 'R5\/PT5M'/],
    ['a retry that is none', { retry: null }, /for the retries of it, found null/],
    [
      'a history that is none',
      { history: 'some' },
      /^Expected all, failures or none as the history of it, found 'some'/,
    ],
    ['a history of null', { history: null }, /^Expected all, failures or none/],
    ['a name of a method as history', { history: 'toString' }, /found 'toString'/],
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
  ])('takes %p as the history %s', (given, expected) => {
    expect(checkHistory(given, 'it')).toBe(expected);
  });
});

describe('a policy among stored data', () => {
  it('stands under a key that is part of the tables', () => {
    expect(POLICY_KEY).toBe('QRTZ_X_POLICY');
    expect(withPolicy({ a: 1 }, { retry: once, history: 'all' })).toEqual({
      a: 1,
      QRTZ_X_POLICY: '{"retry":{"max":1,"delays":[1000]},"history":"all"}',
    });
  });

  it('changes nothing where there is none', () => {
    const data = { a: 1 };
    expect(withPolicy(data, undefined)).toBe(data);
    expect(takePolicy(data)).toEqual({ data, policy: undefined });
    expect(takePolicy(data).data).toBe(data);
  });

  it('leaves the shared empty data behind where there is no other', () => {
    expect(takePolicy(withPolicy(NO_DATA, { history: 'all' })).data).toBe(NO_DATA);
  });

  it.each([
    ['no JSON', '{'],
    ['something else', '5'],
    ['a policy of a later version', '{"retry":{"max":1,"delays":[1],"until":5}}'],
    ['no text', { retry: once }],
    ['nothing', null],
  ])('is ignored when it is %s, and still no data of the job', (_, stored) => {
    const data = { a: 1, [POLICY_KEY]: stored } as JobData;
    expect(takePolicy(data)).toEqual({ data: { a: 1 }, policy: undefined });
  });

  it('is taken out as it was put in, whatever the data', () => {
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

  it('fits the column beside the largest data', () => {
    const year = 366 * 86_400_000;
    const retry = { max: 1_000, delays: Array(100).fill(year), factor: 1 + 2 ** -52, jitter: 0.1 + 0.2, maxAge: year };
    const largest = checkPolicy({ retry, history: 'failures' }, 'it');
    const entry = JSON.stringify(withPolicy({}, largest));
    expect(DATA_LIMITS.bytes + Buffer.byteLength(entry)).toBeLessThan(LIMITS.calendarBytes);
  });
});
