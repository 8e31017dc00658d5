import fc from 'fast-check';
import { newJob, toJobBuilder } from '../../src/api/builders/job-builder';
import { toTriggerBuilder } from '../../src/api/builders/trigger-builder';
import { toTrigger } from '../../src/api/trigger';
import { createConsole } from '../../src/console/create-console';
import { jobEntryOf, triggerEntryOf } from '../../src/definitions/write-entries';
import type { CalendarData } from '../../src/domain/calendars/calendar';
import { calendarFrom, newCalendar } from '../../src/domain/calendars/calendar-from-data';
import { jobVersion } from '../../src/domain/definition-version';
import { checkPolicy, OF_TRIGGERS, POLICY_FIELDS, type PolicyField } from '../../src/domain/execution-policy';
import type { JobDetail } from '../../src/domain/job-detail';
import { jobKey, triggerKey } from '../../src/domain/keys';
import type { Trigger } from '../../src/domain/trigger';
import { waitingFor } from '../../src/domain/triggers/after-trigger';
import { IS_LONG } from '../support/long-forms';
import {
  calendarIntervalTrigger,
  cronTrigger,
  dailyTimeIntervalTrigger,
  simpleTrigger,
} from '../support/sample-triggers';
import { type Asked, openAsked, STORES } from './support';

const HOUR = 3_600_000;
const NOW = Date.now();

const duration = fc.oneof(
  fc.integer({ min: 1, max: 90_000_000 }),
  fc.integer({ min: 1, max: 100 }).map((n) => n * HOUR),
);
const label = fc.constantFrom('eu', 'ssd', 'gpu');
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

/** Generators for each field of a policy. A new field without one does not compile. */
const FIELDS: { readonly [Field in PolicyField]: fc.Arbitrary<unknown> } = {
  retry: fc.oneof(
    fc.constant(false as const),
    fc.integer({ min: 0, max: 20 }),
    fc.array(duration, { minLength: 1, maxLength: 4 }),
    fc.record({ max: fc.integer({ min: 1, max: 9 }), delay: duration, factor: fc.constantFrom(1, 1.5, 2) }),
    fc.record({ max: fc.integer({ min: 1, max: 9 }), jitter: fc.constantFrom(0, 0.25), maxAge: duration }),
  ),
  history: fc.constantFrom('all', 'failures', 'none'),
  concurrency: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant({ key: 'customer-{data.id}', limit: 2 })),
  rate: fc.oneof(
    fc.record({ limit: fc.integer({ min: 1, max: 9 }), per: fc.integer({ min: 1_000, max: 90_000_000 }) }),
    fc.constant({ key: 'api-{data.host}', limit: 10, per: '1m', burst: 5 }),
  ),
  timeout: fc.oneof(duration, fc.record({ deadline: duration, grace: duration })),
  startWithin: duration,
  spread: fc.oneof(fc.constant('broadcast'), fc.constant({ shards: 2, params: ['a', { b: 1 }] })),
  runsOn: fc.oneof(label, fc.uniqueArray(label)),
  prefers: fc.oneof(
    label,
    fc.record({
      labels: fc.uniqueArray(label, { minLength: 1 }),
      fallbackAfter: duration.filter((ms) => ms < 24 * HOUR),
    }),
  ),
  overlap: fc.oneof(fc.constantFrom('allow', 'skip', 'queueOne', 'cancelRunning'), fc.constant({ queueAll: 7 })),
  mustSucceedWithin: duration,
  catchUp: fc.record({ max: fc.integer({ min: 1, max: 9 }), window: duration, pace: duration }),
  jitter: duration,
  clockChanges: fc.constantFrom('quartz', 'natural'),
};

const policyOf = (fields: readonly PolicyField[]) =>
  fc
    .record(Object.fromEntries(fields.map((field) => [field, optional(FIELDS[field])])))
    .map((given) => checkPolicy(given, 'a test'));

const JOB_FIELDS = POLICY_FIELDS.filter((field) => !(OF_TRIGGERS as readonly PolicyField[]).includes(field));
const policy = policyOf(JOB_FIELDS);
const triggerPolicy = policyOf(POLICY_FIELDS);

const data = fc.dictionary(
  fc.constantFrom('to', 'password', 'list', 'deep'),
  fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constant([{ token: 'x' }, 1]),
    fc.constant({ secret: 1, b: [] }),
  ),
);

const start = fc.integer({ min: -1_000, max: 1_000 }).map((hours) => NOW + hours * HOUR + 1);
const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata');
const misfire = fc.constantFrom('SMART_POLICY', 'IGNORE_MISFIRE_POLICY', 'FIRE_ONCE_NOW', 'DO_NOTHING' as const);
const timeOfDay = (from: number, to: number) =>
  fc.record({
    hour: fc.integer({ min: from, max: to }),
    minute: fc.integer({ min: 0, max: 59 }),
    second: fc.integer({ min: 0, max: 59 }),
  });

const common = fc.record({
  description: fc.option(fc.constant('what it is for')),
  data,
  priority: fc.integer({ min: -5, max: 10 }),
  startTime: start,
  endTime: fc.option(fc.integer({ min: 2_000, max: 9_000 }).map((hours) => NOW + hours * HOUR)),
  calendarName: fc.option(fc.constant('holidays')),
});

const repeatCount = fc.constantFrom(-1, 0, 3, 100_000_000);

const kinds = fc.oneof(
  fc
    .record({
      cronExpression: fc.constantFrom('0 0 3 * * ?', '0 0/5 8-17 ? * MON-FRI', '0 0 0 L * ?'),
      timeZone: zone,
      misfireInstruction: misfire,
    })
    .map((fields) => cronTrigger(fields)),
  fc
    .record({ repeatInterval: duration, repeatCount })
    .map((fields) => simpleTrigger({ ...fields, misfireInstruction: 'RESCHEDULE_NEXT_WITH_EXISTING_COUNT' })),
  fc
    .record({
      repeatInterval: fc.integer({ min: 1, max: 9 }),
      repeatIntervalUnit: fc.constantFrom('HOUR', 'DAY', 'WEEK', 'MONTH'),
      timeZone: zone,
      preserveHourOfDayAcrossDaylightSavings: fc.boolean(),
      skipDayIfHourDoesNotExist: fc.boolean(),
      misfireInstruction: misfire,
    })
    .map((fields) => calendarIntervalTrigger({ ...fields, repeatIntervalUnit: fields.repeatIntervalUnit as 'DAY' })),
  fc
    .record({
      repeatInterval: fc.integer({ min: 1, max: 59 }),
      startTimeOfDay: timeOfDay(0, 9),
      endTimeOfDay: fc.option(timeOfDay(12, 23)),
      daysOfWeek: fc
        .uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 })
        .map((days) => days.sort((a, b) => a - b)),
      repeatCount,
      timeZone: zone,
      misfireInstruction: misfire,
    })
    .map((fields) => dailyTimeIntervalTrigger({ ...fields, repeatIntervalUnit: 'MINUTE' })),
  fc
    .tuple(
      fc.subarray(['other', 'third', 'fourth'], { minLength: 1 }),
      fc.constantFrom('success' as const, 'failure' as const, 'end' as const),
    )
    .map(([names, on]) => {
      const { kind, repeatCount, repeatInterval, ...fields } = simpleTrigger();
      return {
        ...fields,
        ...waitingFor(
          names.map((name) => jobKey(name, 'g')),
          on,
        ),
      } as Trigger;
    }),
);

/** Triggers. A chain has no fire times, and no fields for them. */
const triggers = fc.tuple(kinds, common, triggerPolicy, policy).map(([kind, fields, ofTimes, ofChain]): Trigger => {
  const isChain = kind.kind === 'AFTER';
  const { clockChanges: _, ...ofOthers } = ofTimes ?? {};
  const own = isChain ? ofChain : kind.kind === 'CRON' ? ofTimes : checkPolicy(ofOthers, 'a test');
  return {
    ...kind,
    ...fields,
    endTime: isChain ? null : fields.endTime,
    calendarName: isChain ? null : fields.calendarName,
    key: triggerKey('trigger', 'g'),
    jobKey: jobKey('job', 'g'),
    ...(own && { policy: own }),
  } as Trigger;
});

const jobs = fc.tuple(policy, data, fc.tuple(fc.boolean(), fc.boolean(), fc.boolean())).map(
  ([own, given, [recovers, alone, persists]]): JobDetail => ({
    key: jobKey('subject', 'g'),
    jobType: 'other',
    description: null,
    data: given,
    durable: true,
    requestsRecovery: recovers,
    disallowConcurrentExecution: alone,
    persistJobDataAfterExecution: persists,
    ...(own && { policy: own }),
  }),
);

const calendars: fc.Arbitrary<CalendarData> = fc
  .record({
    description: fc.option(fc.constant('what it is for')),
    timeZone: zone,
    own: fc.oneof(
      fc.constant({ type: 'holiday', excludedDates: ['2027-01-01', '2027-05-17'] }),
      fc.constant({ type: 'weekly', excludedDays: [1, 7] }),
      fc.constant({ type: 'monthly', excludedDays: [1, 15] }),
      fc.constant({ type: 'annual', excludedDays: [[12, 25]] }),
      fc.constant({ type: 'cron', cronExpression: '* * 0-7 * * ?' }),
      fc.constant({ type: 'daily', from: '18:00:00:000', to: '23:00:00:000', invert: true }),
    ),
  })
  .map(({ description, timeZone, own }) =>
    newCalendar(own.type as 'weekly', { ...own, description, timeZone, base: null } as never).toJSON(),
  );

const WORDS = 'other words';

/** Text of a schedule file. */
const fileOf = (file: object) => JSON.stringify(file);

describe.each(STORES)('a round trip of a definition through code, %s, a file, HTTP and an edit', (store) => {
  const runs = { numRuns: (IS_LONG ? 2 : 1) * (store === 'memory' ? 20 : 8) };
  const key = { name: 'trigger', group: 'g' };
  let asked: Asked;
  let served: ReturnType<typeof createConsole>;

  beforeAll(async () => {
    // Under safe rules, triggers that never fire are refused.
    asked = await openAsked(store, {}, 'quartz');
    served = createConsole(asked.scheduler, { auth: async () => ({ name: 'ada', role: 'admin' }) });
    await asked.ask('jobs.add', { name: 'job', group: 'g', type: 'noop', durable: true });
    for (const name of ['other', 'third', 'fourth'])
      await asked.ask('jobs.add', { name, group: 'g', type: 'noop', durable: true });
    // It excludes no fire time of these triggers: a trigger with a single, excluded fire time would never fire.
    await asked.ask('calendars.add', {
      name: 'holidays',
      type: 'holiday',
      excludedDates: ['2020-01-01'],
      timeZone: 'UTC',
    });
  });
  afterAll(async () => {
    await served.close();
    await asked.close();
  });

  /** Runs an operation over HTTP. */
  async function overHttp(method: string, path: string, given?: Readonly<Record<string, unknown>>) {
    const { name: _, group: __, ...body } = given ?? {}; // the path contains the key
    const init = { method, headers: { 'content-type': 'application/json', authorization: `Bearer ${'x'.repeat(40)}` } };
    const url = `http://127.0.0.1/api/schedulers/Reports${path}`;
    const answer = await served.fetch(new Request(url, { ...init, ...(given && { body: JSON.stringify(body) }) }));
    const read = await answer.json();
    expect([answer.status, read]).toEqual([200, read]);
    return read as { readonly definition: Record<string, unknown>; readonly version: string };
  }

  const storedTrigger = async () => (await asked.control.findTrigger(key))?.trigger;

  async function put(trigger: Trigger) {
    await asked.control.apply([
      { type: 'deleteTrigger', key },
      { type: 'storeTrigger', trigger, ifExists: 'fail', startTimeDefaulted: false },
    ]);
  }

  it('keeps a trigger of any type', async () => {
    await fc.assert(
      fc.asyncProperty(triggers, async (trigger) => {
        await put(trigger);
        const stored = await storedTrigger();
        const { definition, version } = await overHttp('GET', '/triggers/g/trigger');
        expect(await overHttp('PUT', '/triggers/g/trigger', { ...definition, ifVersion: version })).toMatchObject({
          status: 'unchanged',
          version,
        });
        expect(await storedTrigger()).toEqual(stored);
        const text = fileOf({ triggers: [triggerEntryOf(trigger, Date.now())] });
        expect((await asked.ask('schedule.plan', { text, file: 'all.json' })).changes).toEqual([
          { action: 'unchanged', what: 'trigger', ...key, fields: [], startsPaused: false },
        ]);
        await overHttp('PUT', '/triggers/g/trigger', { description: WORDS });
        expect(await storedTrigger()).toEqual({ ...stored, description: WORDS });
      }),
      runs,
    );
  });

  it('keeps a trigger that is created again from its shown form', async () => {
    await fc.assert(
      fc.asyncProperty(triggers, async (trigger) => {
        await put(trigger);
        const { definition } = await asked.ask('triggers.show', key);
        await asked.ask('triggers.remove', key);
        // A definition with a masked secret cannot be stored again.
        if (JSON.stringify(definition).includes('***')) return;
        await asked.ask('triggers.add', definition as never);
        expect((await asked.ask('triggers.show', key)).definition).toEqual(definition);
      }),
      runs,
    );
  });

  it('keeps a job with any fields', async () => {
    await fc.assert(
      fc.asyncProperty(jobs, async (job) => {
        await asked.scheduler.addJob(toJobBuilder(job).build(), { replace: true });
        expect(await asked.scheduler.getJobDetail(job.key)).toEqual(job);
        const { definition, version } = await overHttp('GET', '/jobs/g/subject');
        expect(version).toBe(jobVersion(job, await asked.control.versionKey()));
        expect(await overHttp('PUT', '/jobs/g/subject', definition)).toEqual({ status: 'unchanged', version });
        expect(await asked.scheduler.getJobDetail(job.key)).toEqual(job);
        const text = fileOf({ jobs: [jobEntryOf(job)] });
        expect((await asked.ask('schedule.plan', { text, file: 'all.json' })).changes).toEqual([
          { action: 'unchanged', what: 'job', ...job.key, fields: [], startsPaused: false },
        ]);
        await overHttp('PUT', '/jobs/g/subject', { description: WORDS });
        expect(await asked.scheduler.getJobDetail(job.key)).toEqual({ ...job, description: WORDS });
      }),
      runs,
    );
  });

  it('keeps a calendar of any type', async () => {
    await fc.assert(
      fc.asyncProperty(calendars, async (calendar) => {
        await asked.scheduler.addCalendar('days', calendarFrom(calendar), { replace: true, updateTriggers: false });
        const { definition, version } = await overHttp('GET', '/calendars/days');
        expect(await overHttp('PUT', '/calendars/days', definition)).toEqual({ status: 'unchanged', version });
        const text = fileOf({ calendars: { days: definition } });
        expect((await asked.ask('schedule.plan', { text, file: 'all.json' })).changes).toEqual([
          { action: 'unchanged', what: 'calendar', group: null, name: 'days', fields: [], startsPaused: false },
        ]);
        await overHttp('PUT', '/calendars/days', { ...definition, description: WORDS });
        expect((await asked.scheduler.getCalendar('days'))?.toJSON()).toEqual({ ...calendar, description: WORDS });
      }),
      runs,
    );
  });

  it.each(POLICY_FIELDS)('keeps %s of a trigger and of its job when another field is edited', async (field) => {
    const given = fc.sample(FIELDS[field], { numRuns: 1, seed: 7 })[0];
    const own = checkPolicy({ [field]: given }, 'a test');
    const keys = { key: triggerKey('trigger', 'g'), jobKey: jobKey('job', 'g') };
    const trigger = field === 'clockChanges' ? cronTrigger(keys) : simpleTrigger(keys);
    const copy = toTriggerBuilder(toTrigger({ ...trigger, ...(own && { policy: own }) })).build();
    await put({ ...trigger, ...(copy.policy && { policy: copy.policy }) });
    await overHttp('PUT', '/triggers/g/trigger', { description: WORDS });
    expect((await storedTrigger())?.policy).toEqual(own);
    if (!JOB_FIELDS.includes(field)) return;
    await asked.scheduler.addJob({ ...JOB, ...(own && { policy: own }) }, { replace: true });
    await overHttp('PUT', '/jobs/g/subject', { description: WORDS });
    expect((await asked.scheduler.getJobDetail(JOB.key))?.policy).toEqual(own);
  });
});

const JOB = newJob('other').withIdentity('subject', 'g').storeDurably().build();
