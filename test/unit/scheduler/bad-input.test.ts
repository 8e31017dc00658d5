import {
  createScheduler,
  GroupMatcher,
  HolidayCalendar,
  type JobDetail,
  newJob,
  newTrigger,
  type Scheduler,
  type Trigger,
  triggerKey,
} from '../../../src';
import { proves } from '../../support/proves';
import { at, codeOf, shutdownAll, testScheduler } from './support';

afterEach(shutdownAll);

const job = newJob('noop').withIdentity('good').storeDurably().build();
const trigger = newTrigger().withIdentity('good').build();
const bomb = () => {
  let value: unknown[] = ['lol'];
  for (let i = 0; i < 40; i++) value = [value, value];
  return { value };
};

/** Objects as untyped programs may pass them. */
const jobWith = (changes: object) => ({ ...job, ...changes }) as unknown as JobDetail;
const triggerWith = (changes: object) => ({ ...trigger, ...changes }) as unknown as Trigger;

const BAD_JOBS: readonly [string, unknown, string][] = [
  ['undefined', undefined, 'INVALID_ARGUMENT'],
  ['a string', 'good', 'INVALID_ARGUMENT'],
  ['a name of 191 characters', jobWith({ key: { group: 'g', name: 'x'.repeat(191) } }), 'INVALID_ARGUMENT'],
  ['a name of ten million characters', jobWith({ key: { group: 'g', name: 'x'.repeat(1e7) } }), 'INVALID_ARGUMENT'],
  ['a group with U+0000', jobWith({ key: { group: 'g\u0000', name: 'n' } }), 'INVALID_ARGUMENT'],
  ['a name with an unpaired surrogate', jobWith({ key: { group: 'g', name: '\ud800' } }), 'INVALID_ARGUMENT'],
  ['a key without a name', jobWith({ key: { group: 'g' } }), 'INVALID_ARGUMENT'],
  ['no key', jobWith({ key: null }), 'INVALID_ARGUMENT'],
  ['an unknown job type', jobWith({ jobType: 'nope' }), 'UNKNOWN_JOB_TYPE'],
  ['a method name as job type', jobWith({ jobType: 'constructor' }), 'UNKNOWN_JOB_TYPE'],
  ['a path as job type', jobWith({ jobType: '../../etc/passwd' }), 'UNKNOWN_JOB_TYPE'],
  ['a function as job type', jobWith({ jobType: () => {} }), 'INVALID_ARGUMENT'],
  ['data with __proto__', jobWith({ data: JSON.parse('{"__proto__":{"admin":true}}') }), 'INVALID_JOB_DATA'],
  ['data that expands without limit', jobWith({ data: bomb() }), 'INVALID_JOB_DATA'],
  ['data of 61 KiB', jobWith({ data: { text: 'x'.repeat(61 * 1024) } }), 'INVALID_JOB_DATA'],
  ['a Map as data', jobWith({ data: new Map([['a', 1]]) }), 'INVALID_JOB_DATA'],
  ['a string as a flag', jobWith({ requestsRecovery: 'no' }), 'INVALID_ARGUMENT'],
  ['catchUp, which only triggers have', jobWith({ policy: { catchUp: { max: 2 } } }), 'INVALID_ARGUMENT'],
  ['jitter, which only triggers have', jobWith({ policy: { jitter: 1_000 } }), 'INVALID_ARGUMENT'],
  ['a description of 251 characters', jobWith({ description: 'x'.repeat(251) }), 'INVALID_ARGUMENT'],
];

const BAD_TRIGGERS: readonly [string, unknown, string][] = [
  ['null', null, 'INVALID_ARGUMENT'],
  ['a list with null', [null], 'INVALID_ARGUMENT'],
  ['an unfinished builder', newTrigger(), 'INVALID_ARGUMENT'],
  ['a name of 191 characters', triggerWith({ key: { group: 'g', name: 'x'.repeat(191) } }), 'INVALID_ARGUMENT'],
  ['an invalid Date', triggerWith({ startTime: new Date('never') }), 'INVALID_ARGUMENT'],
  ['a number as a date', triggerWith({ startTime: 5 }), 'INVALID_ARGUMENT'],
  ['an unknown kind', triggerWith({ kind: 'BLOB' }), 'INVALID_TRIGGER'],
  ['an unknown misfire instruction', triggerWith({ misfireInstruction: 'DO_NOTHING' }), 'INVALID_TRIGGER'],
  ['a list as the kind', triggerWith({ kind: ['SIMPLE'] }), 'INVALID_TRIGGER'],
  ['a list as the misfire instruction', triggerWith({ misfireInstruction: ['FIRE_NOW'] }), 'INVALID_TRIGGER'],
  ['an object without a prototype as a date', triggerWith({ startTime: Object.create(null) }), 'INVALID_ARGUMENT'],
  ['a negative interval', triggerWith({ repeatCount: 1, repeatInterval: -1 }), 'INVALID_TRIGGER'],
  ['an interval that is not a number', triggerWith({ repeatCount: -1, repeatInterval: '1000' }), 'INVALID_TRIGGER'],
  ['an end before the start', triggerWith({ startTime: at('02:00:00'), endTime: at('01:00:00') }), 'INVALID_TRIGGER'],
  ['an invalid cron expression', triggerWith({ kind: 'CRON', cronExpression: 'now' }), 'CRON_SYNTAX'],
  ['a huge cron expression', triggerWith({ kind: 'CRON', cronExpression: '* '.repeat(1e6) }), 'INVALID_ARGUMENT'],
  [
    'an unknown time zone',
    triggerWith({ kind: 'CRON', cronExpression: '0 0 6 * * ?', timeZone: 'Moon' }),
    'UNKNOWN_TIME_ZONE',
  ],
  ['an unknown calendar', triggerWith({ calendarName: 'nope' }), 'CALENDAR_NOT_FOUND'],
  ['data with __proto__', triggerWith({ data: JSON.parse('{"a":{"__proto__":1}}') }), 'INVALID_JOB_DATA'],
  ['a priority beyond 32 bits', triggerWith({ priority: 2 ** 40 }), 'INVALID_ARGUMENT'],
];

async function expectEmpty(scheduler: Scheduler) {
  expect(await scheduler.getJobKeys(GroupMatcher.anyGroup())).toEqual([]);
  expect(await scheduler.getTriggerKeys(GroupMatcher.anyGroup())).toEqual([]);
}

describe('an invalid job', () => {
  it.each(BAD_JOBS)('(%s) is refused by every method, and nothing is stored', async (_, bad, code) => {
    const { scheduler } = await testScheduler();
    const given = bad as JobDetail;
    expect(await codeOf(() => scheduler.addJob(given))).toBe(code);
    expect(await codeOf(() => scheduler.scheduleJob(given, trigger))).toBe(code);
    expect(await codeOf(() => scheduler.scheduleJob(given, [trigger], { replace: true }))).toBe(code);
    const good = newJob('noop').withIdentity('first').build();
    const both = new Map([
      [good, [newTrigger().build()]],
      [given, [trigger]],
    ]);
    expect(await codeOf(() => scheduler.scheduleJobs(both, { replace: true }))).toBe(code);
    await expectEmpty(scheduler);
  });
});

describe('an invalid trigger', () => {
  it.each(BAD_TRIGGERS)('(%s) is refused by every method, and nothing is stored', async (_, bad, code) => {
    const { scheduler } = await testScheduler();
    const given = bad as Trigger;
    expect(await codeOf(() => scheduler.scheduleJob(job, given))).toBe(code);
    expect(
      await codeOf(() => scheduler.scheduleJobs(new Map([[job, [trigger, given].flat()]]), { replace: true })),
    ).toBe(code);
    await expectEmpty(scheduler);
    await scheduler.scheduleJob(job, newTrigger().withIdentity('old').build());
    expect(await codeOf(() => scheduler.rescheduleJob('old', given))).toBe(code);
    expect(await scheduler.getTriggerKeys(GroupMatcher.anyGroup())).toEqual([triggerKey('old')]);
  });
});

describe('keys as arguments', () => {
  const BAD_KEYS = [undefined, null, 5, '', 'x'.repeat(191), {}, { name: 'n' }, { group: '', name: 'n' }];
  const METHODS = [
    ...([
      'unscheduleJob',
      'deleteJob',
      'triggerJob',
      'pauseTrigger',
      'resumeTrigger',
      'pauseJob',
      'resumeJob',
    ] as const),
    ...(['getTriggersOfJob', 'getJobDetail', 'getTrigger', 'getTriggerState', 'interrupt'] as const),
    'resetTriggerFromErrorState',
  ] as const;

  it.each(METHODS)('%s refuses an invalid key', async (method) => {
    const { scheduler } = await testScheduler();
    for (const key of BAD_KEYS) expect(await codeOf(() => scheduler[method](key as string))).toBe('INVALID_ARGUMENT');
  });

  it('a list with an invalid key is refused as a whole', async () => {
    proves('errors', 'INVALID_ARGUMENT');
    const { scheduler } = await testScheduler();
    await scheduler.addJob(job);
    expect(await codeOf(() => scheduler.deleteJobs(['good', '']))).toBe('INVALID_ARGUMENT');
    expect(await codeOf(() => scheduler.deleteJobs('good' as unknown as string[]))).toBe('INVALID_ARGUMENT');
    expect(await codeOf(() => scheduler.unscheduleJobs(null as unknown as string[]))).toBe('INVALID_ARGUMENT');
    expect(await scheduler.checkExists({ job: 'good' })).toBe(true);
  });

  it('checkExists refuses an argument without a valid job or trigger key', async () => {
    const { scheduler } = await testScheduler();
    for (const wrong of [{}, null, 'good', { job: '' }, { trigger: 5 }]) {
      expect(await codeOf(() => scheduler.checkExists(wrong as { job: string }))).toBe('INVALID_ARGUMENT');
    }
  });

  it('may contain any script and punctuation', async () => {
    const { scheduler } = await testScheduler();
    for (const name of ['任务', 'A', 'a', 'trailing ', '__proto__', 'constructor', '$Job', "'; DROP TABLE", '😀']) {
      await scheduler.schedule(name, { every: 1_000, group: name }, async () => {});
      expect(await scheduler.getTriggerState({ group: name, name })).toBe('WAITING');
    }
    expect(await scheduler.getJobGroupNames()).toHaveLength(9);
  });
});

it('triggerJob refuses invalid job data', async () => {
  proves('errors', 'INVALID_JOB_DATA');
  const { scheduler } = await testScheduler();
  await scheduler.addJob(job);
  expect(await codeOf(() => scheduler.triggerJob('good', { f: () => 1 } as never))).toBe('INVALID_JOB_DATA');
  expect(await codeOf(() => scheduler.triggerJob('good', null as never))).toBe('INVALID_JOB_DATA');
});

it('addJob stores a copy of the job that later changes by the caller do not affect', async () => {
  const { scheduler } = await testScheduler();
  const mine = { ...job, data: { list: [1] } };
  await scheduler.addJob(mine);
  mine.data.list.push(2);
  expect((await scheduler.getJobDetail('good'))?.data).toEqual({ list: [1] });
});

describe('invalid options', () => {
  type Call = (scheduler: Scheduler, options: never) => unknown;
  const CALLS: readonly [string, Call][] = [
    ['addJob', (scheduler, options) => scheduler.addJob(job, options)],
    ['addCalendar', (scheduler, options) => scheduler.addCalendar('c', new HolidayCalendar(), options)],
    ['scheduleJob', (scheduler, options) => scheduler.scheduleJob(job, [trigger], options)],
    ['scheduleJobs', (scheduler, options) => scheduler.scheduleJobs(new Map([[job, [trigger]]]), options)],
    ['schedule', (scheduler, options) => scheduler.schedule('good', options, () => {})],
    ['listJobs', (scheduler, options) => scheduler.listJobs(options)],
    ['listTriggers', (scheduler, options) => scheduler.listTriggers(options)],
    ['shutdown', (scheduler, options) => scheduler.shutdown(options)],
    ['createScheduler', (_, options) => createScheduler({}, options)],
  ];

  it.each(CALLS)('%s refuses a boolean, null, a string and unknown options', async (_, call) => {
    const { scheduler } = await testScheduler();
    for (const wrong of [true, null, 'replace', { no: true }, { __proto__: null, no: 1 }]) {
      expect(await codeOf(() => call(scheduler, wrong as never))).toBe('INVALID_ARGUMENT');
    }
    expect(scheduler.isShutdown()).toBe(false);
    await expectEmpty(scheduler);
  });

  it('include strings with an unpaired surrogate', async () => {
    const { scheduler } = await testScheduler();
    const half = 'a\ud800';
    const calls = [
      () => scheduler.listJobs({ search: half }),
      () => scheduler.listJobs({ jobType: half }),
      () => scheduler.listTriggers({ search: half }),
      () => scheduler.listTriggers({ calendarName: half }),
    ];
    for (const call of calls) expect(await codeOf(call)).toBe('INVALID_ARGUMENT');
    for (const named of [{ instanceName: half }, { instanceId: half }]) {
      expect(await codeOf(() => createScheduler({ scheduler: named }))).toBe('CONFIGURATION');
    }
  });

  it('a misspelt option is refused with the likely name', async () => {
    const { scheduler } = await testScheduler();
    const given = { waitForJobsToComplete: true } as object;
    await expect(scheduler.shutdown(given)).rejects.toThrow(
      "There is no option 'waitForJobsToComplete'. Did you mean 'waitForJobs'?",
    );
  });

  it.each([
    ['jobs', null],
    ['jobs', 'all'],
    ['plugins', 5],
    ['plugins', [null]],
    ['plugins', [{ name: 'p' }]],
  ])('createScheduler refuses %s: %p', async (option, wrong) => {
    expect(await codeOf(() => createScheduler({}, { [option]: wrong }))).toBe('INVALID_ARGUMENT');
  });
});

it('scheduleJobs refuses jobs without a list of triggers', async () => {
  const { scheduler } = await testScheduler();
  for (const wrong of [null, {}, [job], [null], [[job]], [[null, [trigger]]], new Map([[job, trigger]])]) {
    expect(await codeOf(() => scheduler.scheduleJobs(wrong as never, { replace: false }))).toBe('INVALID_ARGUMENT');
  }
  await expectEmpty(scheduler);
});

it('subscribe and use refuse a value that is not a function', async () => {
  const { scheduler } = await testScheduler();
  for (const wrong of [undefined, null, {}, 'log']) {
    expect(await codeOf(() => scheduler.subscribe(wrong as never))).toBe('INVALID_ARGUMENT');
    expect(await codeOf(() => scheduler.use(wrong as never))).toBe('INVALID_ARGUMENT');
  }
});
