import { checkJobData, DATA_LIMITS } from '../../../src/domain/check-job-data';
import { NO_DATA } from '../../../src/domain/job-data';
import type { JobDetail } from '../../../src/domain/job-detail';
import { jobKey, triggerKey } from '../../../src/domain/keys';
import { checkCalendarName, checkJobDetail, checkKey, checkTrigger, LIMITS } from '../../../src/domain/limits';
import type { DailyTimeIntervalTrigger, SimpleTrigger } from '../../../src/domain/trigger';

const job: JobDetail = {
  key: jobKey('report'),
  jobType: 'send-report',
  description: null,
  data: { to: 'ops', tags: ['a', { b: 1 }] },
  durable: false,
  disallowConcurrentExecution: false,
  persistJobDataAfterExecution: false,
  requestsRecovery: true,
};

const simple: SimpleTrigger = {
  kind: 'SIMPLE',
  key: triggerKey('hourly'),
  jobKey: job.key,
  description: 'every hour',
  data: NO_DATA,
  priority: 5,
  startTime: 0,
  endTime: null,
  calendarName: null,
  nextFireTime: null,
  previousFireTime: null,
  repeatCount: -1,
  repeatInterval: 3_600_000,
  timesTriggered: 0,
  misfireInstruction: 'SMART_POLICY',
};

const daily: DailyTimeIntervalTrigger = {
  ...simple,
  kind: 'DAILY_I',
  repeatIntervalUnit: 'MINUTE',
  startTimeOfDay: { hour: 8, minute: 0, second: 0 },
  endTimeOfDay: { hour: 18, minute: 0, second: 0 },
  daysOfWeek: [2, 3, 4, 5, 6],
  timeZone: 'UTC',
  misfireInstruction: 'SMART_POLICY',
};

/** A job detail as untyped code may pass it. */
const wrong = (changes: object) => ({ ...job, ...changes }) as JobDetail;
const wrongTrigger = (changes: object) => ({ ...simple, ...changes }) as SimpleTrigger;

const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return `${(error as { code: string }).code}: ${(error as Error).message}`;
  }
  return 'accepted';
};

describe('the policy of a job or trigger', () => {
  const policy = { retry: 'R5/PT5M', history: true };
  const understood = { retry: { max: 5, delays: [300_000] }, history: 'all' };

  it('is parsed, copied and frozen', () => {
    for (const checked of [checkJobDetail(wrong({ policy })), checkTrigger(wrongTrigger({ policy }))]) {
      expect(checked.policy).toEqual(understood);
      expect(Object.isFrozen(checked.policy)).toBe(true);
      expect(Object.isFrozen(checked.policy?.retry?.delays)).toBe(true);
    }
    const checked = checkJobDetail(wrong({ policy }));
    expect(checkJobDetail(checked)).toEqual(checked);
  });

  it.each([[undefined], [{}], [{ retry: undefined }], [null]])('is undefined if it contains nothing: %p', (empty) => {
    expect(checkJobDetail(wrong({ policy: empty }))).toEqual(job);
    expect(checkJobDetail(wrong({ policy: empty }))).not.toHaveProperty('policy');
    expect(checkTrigger(wrongTrigger({ policy: empty }))).not.toHaveProperty('policy');
  });

  it.each([
    [5, /^INVALID_ARGUMENT: Expected an object as the policy of (job|trigger) '/],
    [{ retry: 'often' }, /^INVALID_ARGUMENT: .* for the retries of (job|trigger) '.*', found 'often'/],
    [{ history: 'some' }, /^INVALID_ARGUMENT: .* as the history of (job|trigger) '.*', found 'some'/],
  ])('is refused: %p', (bad, problem) => {
    expect(codeOf(() => checkJobDetail(wrong({ policy: bad })))).toMatch(problem);
    expect(codeOf(() => checkTrigger(wrongTrigger({ policy: bad })))).toMatch(problem);
  });

  it('is stored under a data key that job data may not contain', () => {
    const data = { QRTZ_X_POLICY: '{"history":"all"}' };
    const problem = /^INVALID_JOB_DATA: .* without 'QRTZ_X_POLICY'. Set .* withRetry and withHistory/;
    expect(codeOf(() => checkJobDetail(wrong({ data })))).toMatch(problem);
    expect(codeOf(() => checkTrigger(wrongTrigger({ data })))).toMatch(problem);
    expect(checkJobDetail(wrong({ data: { nested: data } })).data).toEqual({ nested: data });
  });
});

describe('keys', () => {
  it('accepts all Unicode names and keeps their spaces and case', () => {
    for (const name of ['任务', 'A', 'a', 'trailing ', '😀', '$Job', '../x', '__proto__']) {
      expect(checkKey(jobKey(name, name), 'job')).toEqual({ group: name, name });
    }
  });

  it('returns frozen copies without unknown fields', () => {
    const mine = { group: 'g', name: 'n', extra: 1 };
    const copy = checkKey(mine, 'job');
    expect(copy).toEqual({ group: 'g', name: 'n' });
    expect(Object.isFrozen(copy)).toBe(true);
  });

  it('counts characters as SQL does: 190 emoji are accepted, 191 are refused', () => {
    expect(checkKey(jobKey('😀'.repeat(LIMITS.name)), 'job').name).toHaveLength(380);
    expect(codeOf(() => checkKey(jobKey('😀'.repeat(LIMITS.name + 1)), 'job'))).toMatch(/^INVALID_ARGUMENT: .*190/);
  });

  it.each([
    ['no name', {}],
    ['an empty name', jobKey('')],
    ['an empty group', jobKey('a', '')],
    ['U+0000', jobKey('a\u0000b')],
    ['an unpaired surrogate', jobKey('\ud83d')],
    ['191 characters', jobKey('x'.repeat(191))],
    ['ten million characters', jobKey('x'.repeat(10_000_000))],
    ['a number', { group: 'g', name: 7 }],
    ['null', null],
  ])('refuses %s with a short message', (_, key) => {
    const problem = codeOf(() => checkKey(key, 'job'));
    expect(problem).toMatch(/^INVALID_ARGUMENT: Expected/);
    expect(problem.length).toBeLessThan(200);
  });
});

describe('job data', () => {
  it('is deeply copied and frozen', () => {
    const data = { list: [1, { deep: true }], none: null };
    const copy = checkJobData(data, 'job');
    expect(copy).toEqual(data);
    data.list.push(2);
    expect(copy).toEqual({ list: [1, { deep: true }], none: null });
    expect(() => (copy.list as unknown[]).push(3)).toThrow(TypeError);
  });

  it('is the shared empty object if it has no entries', () => {
    expect(checkJobData({}, 'job')).toBe(NO_DATA);
    expect(checkJobData(Object.create(null), 'job')).toBe(NO_DATA);
  });

  it('may contain the same object twice, which is not a cycle', () => {
    const shared = { x: 1 };
    expect(checkJobData({ a: shared, b: shared }, 'job')).toEqual({ a: { x: 1 }, b: { x: 1 } });
  });

  const cycle: Record<string, unknown> = {};
  cycle.self = { cycle };
  const deep = () => {
    let value: unknown = 1;
    for (let i = 0; i < 100_000; i++) value = [value];
    return { value };
  };
  const bomb = () => {
    let value: unknown[] = ['lol'];
    for (let i = 0; i < 30; i++) value = [value, value];
    return { value };
  };

  it.each<[string, unknown, RegExp]>([
    ['a __proto__ key', JSON.parse('{"a":{"__proto__":{"admin":true}}}'), /'__proto__' is not allowed at data\.a/],
    ['a changed prototype', { ['__proto__']: 1 }, /__proto__/],
    ['a cycle', cycle, /data\.self\.cycle refers back to itself/],
    ['a class instance', { at: new (class Point {})() }, /data\.at, found an instance of Point/],
    ['a Date', { at: new Date(0) }, /data\.at, found a Date \(give its ISO text/],
    ['a Map', { map: new Map() }, /found an instance of Map/],
    ['NaN', { n: [Number.NaN] }, /finite number at data\.n\[0\], found NaN/],
    ['Infinity', { n: Number.POSITIVE_INFINITY }, /found Infinity/],
    ['a function', { run: () => 1 }, /data\.run, found a function/],
    ['a bigint', { n: 1n }, /found a bigint/],
    ['undefined', { to: undefined }, /data\.to, found undefined/],
    ['a hole in an array', { list: new Array(3) }, /data\.list\[0\], found undefined/],
    ['a symbol key', { [Symbol('s')]: 1 }, /string keys/],
    ['an unpaired surrogate', { text: '\udc00' }, /well-formed Unicode at data\.text/],
    ['an array', [1], /plain object, found an array/],
    ['a string', 'text', /plain object, found a string/],
    ['null', null, /plain object, found null/],
  ])('refuses %s and gives its path', (_, data, message) => {
    expect(codeOf(() => checkJobData(data, "job 'a'"))).toMatch(/^INVALID_JOB_DATA: Job data of job 'a'/);
    expect(() => checkJobData(data, "job 'a'")).toThrow(message);
  });

  it('refuses excessive depth without recursion into it', () => {
    expect(codeOf(() => checkJobData(deep(), 'job'))).toMatch(/INVALID_JOB_DATA: .* nested deeper than 32/);
  });

  it('refuses a small object graph whose JSON would be huge', () => {
    expect(codeOf(() => checkJobData(bomb(), 'job'))).toMatch(/INVALID_JOB_DATA: .* 61440 bytes/);
  });

  it('accepts 60 KiB of UTF-8 JSON but not one byte more', () => {
    const frame = Buffer.byteLength('{"t":""}');
    expect(codeOf(() => checkJobData({ t: 'x'.repeat(DATA_LIMITS.bytes - frame) }, 'job'))).toBe('accepted');
    expect(codeOf(() => checkJobData({ t: 'x'.repeat(DATA_LIMITS.bytes - frame + 1) }, 'job'))).toMatch(/found 61441/);
    expect(codeOf(() => checkJobData({ t: '任'.repeat(DATA_LIMITS.bytes / 3) }, 'job'))).toMatch(/INVALID_JOB_DATA/);
  });

  it('does not change the prototype of other objects when it is refused', () => {
    codeOf(() => checkJobData(JSON.parse('{"__proto__":{"polluted":true}}'), 'job'));
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('job details', () => {
  it('are copied and frozen without unknown fields', () => {
    const copy = checkJobDetail(wrong({ extra: 1 }));
    expect(copy).toEqual(job);
    expect(copy).not.toBe(job);
    expect(Object.isFrozen(copy)).toBe(true);
  });

  it('have null instead of an empty description', () => {
    expect(checkJobDetail(wrong({ description: '' })).description).toBeNull();
  });

  it.each<[string, object, RegExp]>([
    ['a job type of 251 characters', { jobType: 'x'.repeat(251) }, /at most 250 characters as the job type/],
    ['no job type', { jobType: '' }, /non-empty string as the job type/],
    ['a description of 251 characters', { description: 'x'.repeat(251) }, /at most 250 .* description/],
    ['a number as durable', { durable: 1 }, /true or false as durable of job 'DEFAULT\/report', found 1/],
    ['a missing flag', { requestsRecovery: undefined }, /true or false as requestsRecovery/],
  ])('refuse %s', (_, changes, message) => {
    expect(() => checkJobDetail(wrong(changes))).toThrow(message);
  });

  it('refuse a value that is not an object', () => {
    expect(codeOf(() => checkJobDetail('report' as unknown as JobDetail))).toMatch(/Expected a job detail, found 'rep/);
  });
});

describe('triggers', () => {
  it('are copied and frozen with only the fields of their kind', () => {
    const copy = checkTrigger(wrongTrigger({ cronExpression: 'x', extra: () => 1 }));
    expect(copy).toEqual(simple);
    expect(Object.isFrozen(copy)).toBe(true);
  });

  it('do not share arrays or times of day with the caller', () => {
    const mine = { ...daily, daysOfWeek: [2, 3] };
    const copy = checkTrigger(mine) as DailyTimeIntervalTrigger;
    mine.daysOfWeek.push(4);
    expect(copy.daysOfWeek).toEqual([2, 3]);
    expect(copy.startTimeOfDay).not.toBe(daily.startTimeOfDay);
    expect(Object.isFrozen(copy.daysOfWeek) && Object.isFrozen(copy.startTimeOfDay)).toBe(true);
  });

  it('drop unknown fields of a time of day', () => {
    const times = { startTimeOfDay: { ...daily.startTimeOfDay, note: () => 1 }, endTimeOfDay: null };
    expect(checkTrigger({ ...daily, ...times })).toEqual({ ...daily, endTimeOfDay: null });
  });

  it.each<[string, object, RegExp]>([
    [
      'a name of 191 characters',
      { key: triggerKey('x'.repeat(191)) },
      /at most 190 characters as the name of a trigger/,
    ],
    ['a calendar name of 191 characters', { calendarName: 'x'.repeat(191) }, /name of a calendar/],
    ['an empty calendar name', { calendarName: '' }, /non-empty string as the name of a calendar/],
    ['a fractional priority', { priority: 1.5 }, /32-bit integer as priority of trigger 'DEFAULT\/hourly', found 1.5/],
    ['a priority beyond 32 bits', { priority: 2 ** 31 }, /32-bit integer as priority/],
    ['an invalid start time', { startTime: Number.NaN }, /valid time as startTime/],
    ['an end time after the last date', { endTime: 9e15 }, /valid time as endTime/],
    ['an unknown kind', { kind: 'BLOB' }, /Expected one of SIMPLE, CRON, CAL_INT, DAILY_I, AFTER as kind/],
    ['a method name as kind', { kind: 'toString' }, /Expected one of SIMPLE/],
    ['a long cron expression', { kind: 'CRON', cronExpression: '*'.repeat(121) }, /at most 120 .* cron expression/],
    ['a cron expression that is not a string', { kind: 'CRON', cronExpression: 5 }, /string as the cron expression/],
    ['a long time zone', { kind: 'CRON', cronExpression: 'x', timeZone: 'z'.repeat(81) }, /at most 80 .* time zone/],
    ['data with a function', { data: { f: () => 1 } }, /Job data of trigger 'DEFAULT\/hourly'/],
  ])('refuse %s', (_, changes, message) => {
    expect(() => checkTrigger(wrongTrigger(changes))).toThrow(message);
  });

  it('refuse null', () => {
    expect(codeOf(() => checkTrigger(null as unknown as SimpleTrigger))).toMatch(/Expected a trigger, found null/);
  });
});

it('calendar names are at most as long as the column', () => {
  expect(checkCalendarName('holidays')).toBe('holidays');
  expect(() => checkCalendarName('x'.repeat(191))).toThrow(/at most 190/);
});

it('a trigger stores its time zone under the name that Java uses', () => {
  const inZone = (timeZone: string) => (checkTrigger({ ...daily, timeZone }) as DailyTimeIntervalTrigger).timeZone;
  expect(['asia/shanghai', '+08:00', 'utc', 'Europe/Berlin', 'Mars/Phobos'].map(inZone)).toEqual([
    ...['Asia/Shanghai', 'GMT+08:00', 'UTC', 'Europe/Berlin', 'Mars/Phobos'],
  ]);
});
