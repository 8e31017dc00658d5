import fc from 'fast-check';
import { jobVersion } from '../../src/domain/definition-version';
import { checkPolicy } from '../../src/domain/execution-policy';
import { jobKey, triggerKey } from '../../src/domain/keys';
import type { Trigger } from '../../src/domain/trigger';
import { waitingFor } from '../../src/domain/triggers/after-trigger';
import {
  calendarIntervalTrigger,
  cronTrigger,
  dailyTimeIntervalTrigger,
  simpleTrigger,
} from '../support/sample-triggers';
import { type Asked, openAsked } from './support';

const HOUR = 3_600_000;
const NOW = Date.now();

const duration = fc.oneof(
  fc.integer({ min: 1, max: 90_000_000 }),
  fc.integer({ min: 1, max: 100 }).map((n) => n * HOUR),
);
const label = fc.constantFrom('eu', 'ssd', 'gpu');
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const policy = fc
  .record({
    retry: optional(
      fc.oneof(
        fc.constant(false as const),
        fc.integer({ min: 0, max: 20 }),
        fc.array(duration, { minLength: 1, maxLength: 4 }),
        fc.record({ max: fc.integer({ min: 1, max: 9 }), delay: duration, factor: fc.constantFrom(1, 1.5, 2) }),
        fc.record({ max: fc.integer({ min: 1, max: 9 }), jitter: fc.constantFrom(0, 0.25), maxAge: duration }),
      ),
    ),
    history: optional(fc.constantFrom('all', 'failures', 'none')),
    concurrency: optional(
      fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant({ key: 'customer-{data.id}', limit: 2 })),
    ),
    timeout: optional(fc.oneof(duration, fc.record({ deadline: duration, grace: duration }))),
    startWithin: optional(duration),
    spread: optional(fc.oneof(fc.constant('broadcast'), fc.constant({ shards: 2, params: ['a', { b: 1 }] }))),
    runsOn: optional(fc.oneof(label, fc.uniqueArray(label))),
    prefers: optional(
      fc.oneof(
        label,
        fc.record({
          labels: fc.uniqueArray(label, { minLength: 1 }),
          patience: duration.filter((ms) => ms < 24 * HOUR),
        }),
      ),
    ),
    overlap: optional(
      fc.oneof(fc.constantFrom('allow', 'skip', 'queueOne', 'cancelRunning'), fc.constant({ queueAll: 7 })),
    ),
    mustSucceedWithin: optional(duration),
  })
  .map((given) => checkPolicy(given, 'a test'));

const ofTriggers = fc.record({
  catchUp: optional(fc.record({ max: fc.integer({ min: 1, max: 9 }), window: duration, pace: duration })),
  jitter: optional(duration),
});

const triggerPolicy = fc.tuple(policy, ofTriggers).map(([common, own]) => checkPolicy({ ...common, ...own }, 'a test'));

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
});

const kinds = fc.oneof(
  fc
    .record({
      cronExpression: fc.constantFrom('0 0 3 * * ?', '0 0/5 8-17 ? * MON-FRI', '0 0 0 L * ?'),
      timeZone: zone,
      misfireInstruction: misfire,
    })
    .map((fields) => cronTrigger(fields)),
  fc
    .record({ repeatInterval: duration, repeatCount: fc.constantFrom(-1, 100_000_000) })
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
      timeZone: zone,
      misfireInstruction: misfire,
    })
    .map((fields) => dailyTimeIntervalTrigger({ ...fields, repeatIntervalUnit: 'MINUTE' })),
  fc.constantFrom('success', 'failure', 'end').map((on) => {
    const { kind, repeatCount, repeatInterval, ...fields } = simpleTrigger();
    return { ...fields, ...waitingFor([jobKey('other', 'g')], on as 'end') } as Trigger;
  }),
);

const triggers = fc.tuple(kinds, common, triggerPolicy).map(
  ([kind, fields, own]): Trigger =>
    ({
      ...kind,
      ...fields,
      endTime: kind.kind === 'AFTER' ? null : fields.endTime,
      key: triggerKey('trigger', 'g'),
      jobKey: jobKey('job', 'g'),
      ...(own && { policy: own }),
    }) as Trigger,
);

describe('what is shown, given back as an edit', () => {
  let asked: Asked;

  beforeAll(async () => {
    asked = await openAsked('memory');
    await asked.ask('jobs.add', { name: 'job', group: 'g', type: 'noop', durable: true });
    await asked.ask('jobs.add', { name: 'other', group: 'g', type: 'noop', durable: true });
  });
  afterAll(() => asked.close());

  it('changes nothing of a trigger, of whatever kind', async () => {
    const key = { name: 'trigger', group: 'g' };
    await fc.assert(
      fc.asyncProperty(triggers, async (trigger) => {
        await asked.control.apply([
          { type: 'deleteTrigger', key },
          { type: 'storeTrigger', trigger, ifExists: 'fail', startTimeDefaulted: false },
        ]);
        const { definition, version } = await asked.ask('triggers.show', key);
        const stored = await asked.control.findTrigger(key);
        const answer = await asked.ask('triggers.edit', { ...definition, ifVersion: version } as never);
        expect(answer).toMatchObject({ status: 'unchanged', version });
        expect(await asked.control.findTrigger(key)).toEqual(stored);
        await asked.ask('triggers.remove', key);
        // It is all that is needed to make it again; only a start that is over is not said where it says nothing.
        if (JSON.stringify(definition).includes('***')) return;
        await asked.ask('triggers.add', definition as never);
        const again = await asked.ask('triggers.show', key);
        expect(again.definition).toEqual(definition);
      }),
      { numRuns: 150 },
    );
  });

  it('changes nothing of a job, whatever it says', async () => {
    const jobs = fc.tuple(policy, data, fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()));
    await fc.assert(
      fc.asyncProperty(jobs, async ([own, given, [recovers, alone, persists]]) => {
        const job = {
          key: jobKey('subject', 'g'),
          jobType: 'other',
          description: null,
          data: given,
          durable: true,
          requestsRecovery: recovers,
          disallowConcurrentExecution: alone,
          persistJobDataAfterExecution: persists,
          ...(own && { policy: own }),
        };
        await asked.scheduler.addJob(job, { replace: true });
        const { definition, version } = await asked.ask('jobs.show', { name: 'subject', group: 'g' });
        expect(version).toBe(jobVersion(job));
        expect(await asked.ask('jobs.edit', { ...definition } as never)).toEqual({ status: 'unchanged', version });
        expect(await asked.scheduler.getJobDetail(job.key)).toEqual(job);
      }),
      { numRuns: 150 },
    );
  });
});
