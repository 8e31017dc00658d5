import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from '../../../src/config/problem';
import { parseScheduleFile } from '../../../src/definitions/parse-schedule-file';
import type { ScheduleChange } from '../../../src/domain/schedule-change';

const NOW = Date.parse('2026-11-20T10:00:00Z');
const defaults = { timeZone: 'UTC', now: NOW };

async function changesOf(text: string): Promise<readonly ScheduleChange[]> {
  return (await parseScheduleFile(text, 'schedule.yaml', defaults)).changes;
}

/** Every problem as one line: `line:column path: message`. */
async function problemsOf(text: string): Promise<readonly string[]> {
  try {
    await parseScheduleFile(text, 'schedule.yaml', defaults);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.message.split('\n').map((line) => line.replace('schedule.yaml:', ''));
  }
  return [];
}

/** The trigger change of a file with one job that has the given trigger. */
async function triggerOf(trigger: string) {
  const [, change] = await changesOf(`jobs: [{ name: j, triggers: [${trigger}] }]`);
  if (change?.type !== 'storeTrigger') throw new Error('no trigger');
  return change;
}

const problemOfTrigger = (trigger: string) => problemsOf(`jobs: [{ name: j, triggers: [${trigger}] }]`);

const DECLARED = { set: 'schedule.yaml', kind: 'file', file: 'schedule.yaml' };

describe('parseScheduleFile', () => {
  it('accepts an empty file', async () => {
    expect(await changesOf('')).toEqual([]);
    expect(await changesOf('# nothing yet\n')).toEqual([]);
    expect(await changesOf('jobs: []')).toEqual([]);
  });

  it('parses a job with all fields of Quartz', async () => {
    const [job] = await changesOf(`
      jobs:
        - name: nightly
          group: reports
          type: com.example.Nightly$Job
          description: why
          durable: true
          requestsRecovery: true
          disallowConcurrentExecution: true
          persistJobDataAfterExecution: true
          data: { to: ops, limits: [1, 2.5, null, true] }`);
    expect(job).toEqual({
      type: 'storeJob',
      ifExists: 'replace',
      requireTrigger: false,
      declared: DECLARED,
      job: {
        key: { group: 'reports', name: 'nightly' },
        jobType: 'com.example.Nightly$Job',
        description: 'why',
        data: { to: 'ops', limits: [1, 2.5, null, true] },
        durable: true,
        requestsRecovery: true,
        disallowConcurrentExecution: true,
        persistJobDataAfterExecution: true,
      },
    });
  });

  it('names the job type and the only trigger after the job by default', async () => {
    const [job, trigger] = await changesOf(`jobs: [{ name: j, group: g, triggers: [{ cron: '0 0 6 ? * *' }] }]`);
    expect(job).toMatchObject({ job: { jobType: 'j' }, requireTrigger: true });
    expect(trigger).toMatchObject({ trigger: { key: { group: 'g', name: 'j' }, jobKey: { group: 'g', name: 'j' } } });
  });

  it('parses the common fields of triggers', async () => {
    const change = await triggerOf(`{
      name: t, group: g, description: why, simple: {}, calendar: holidays, priority: 9,
      startAt: '2026-12-01T06:00', endAt: '2026-12-02', timeZone: America/New_York,
      misfire: FIRE_NOW, data: { a: 1 } }`);
    expect(change).toEqual({
      type: 'storeTrigger',
      ifExists: 'replace',
      startTimeDefaulted: false,
      timeZoneDefaulted: false,
      declared: DECLARED,
      trigger: {
        kind: 'SIMPLE',
        key: { group: 'g', name: 't' },
        jobKey: { group: 'DEFAULT', name: 'j' },
        description: 'why',
        data: { a: 1 },
        priority: 9,
        startTime: Date.parse('2026-12-01T11:00Z'),
        endTime: Date.parse('2026-12-02T05:00Z'),
        calendarName: 'holidays',
        nextFireTime: null,
        previousFireTime: null,
        repeatCount: 0,
        repeatInterval: 0,
        timesTriggered: 0,
        misfireInstruction: 'FIRE_NOW',
      },
    });
  });

  it.each([
    ['simple: {}', 'fire', 'FIRE_NOW'],
    ['simple: {}', 'skip', 'RESCHEDULE_NEXT_WITH_REMAINING_COUNT'],
    ["cron: '0 0 6 ? * *'", 'fire', 'FIRE_ONCE_NOW'],
    ["cron: '0 0 6 ? * *'", 'skip', 'DO_NOTHING'],
    ["cron: '0 0 6 ? * *'", 'all', 'IGNORE_MISFIRE_POLICY'],
  ])('converts misfire values to instructions: %s, %s', async (schedule, misfire, misfireInstruction) => {
    expect(await triggerOf(`{ ${schedule}, misfire: ${misfire} }`)).toMatchObject({ trigger: { misfireInstruction } });
  });

  it('parses the execution policies of jobs and triggers', async () => {
    const [job, trigger, plain] = await changesOf(`
      jobs:
        - name: j
          retry: R5/PT5M
          history: true
          startWithin: 5m
          mustSucceedWithin: P1DT1H
          triggers:
            - { name: t, simple: {}, retry: { max: 3, delay: 10s, factor: 2, jitter: 0.1, maxAge: P1D }, history: failures, startWithin: 7000, mustSucceedWithin: 1h }
            - { name: plain, simple: {} }`);
    expect(job).toMatchObject({
      job: {
        policy: {
          retry: { max: 5, delays: [300_000] },
          history: 'all',
          startWithin: 300_000,
          mustSucceedWithin: 90_000_000,
        },
      },
    });
    const retry = { max: 3, delays: [10_000], factor: 2, jitter: 0.1, maxAge: 86_400_000 };
    expect(trigger).toMatchObject({
      trigger: { policy: { retry, history: 'failures', startWithin: 7_000, mustSucceedWithin: 3_600_000 } },
    });
    expect(plain).not.toHaveProperty('trigger.policy');
  });

  it.each([
    ['[1m, 90000]', { max: 2, delays: [60_000, 90_000] }],
    ['3', { max: 3, delays: [60_000] }],
    ['false', { max: 0, delays: [] }],
  ])('parses the retry policy %s', async (retry, expected) => {
    expect((await triggerOf(`{ simple: {}, retry: ${retry} }`)).trigger.policy).toEqual({ retry: expected });
  });

  it.each([
    ['retry: often', /^1:\d+ jobs\[0\]\.retry: expected R5\/PT5M .*, a list of delays.*, found 'often'$/],
    ['retry: [1m, soon]', /^1:31 jobs\[0\]\.retry\[1\]: expected milliseconds, or a duration .*, found 'soon'$/],
    ['retry: R5/PX', /^1:26 jobs\[0\]\.retry: expected a duration of at most 366 days/],
    ['retry: { max: 2, factr: 2 }', /retry\.factr: expected .* found 'factr'; did you mean 'factor'\?$/],
    ['retry: { delay: 1m }', /jobs\[0\]\.retry\.max: expected .*, found nothing/],
    ['startWithin: 0', /jobs\[0\]\.startWithin: expected milliseconds, or a duration such as .*, found 0$/],
    [
      'mustSucceedWithin: never',
      /jobs\[0\]\.mustSucceedWithin: expected milliseconds, or a duration such as .*, found 'never'$/,
    ],
    ['history: some', /^1:28 jobs\[0\]\.history: expected all, failures or none .*, found 'some'$/],
  ])('reports the position of an invalid policy field: %s', async (field, problem) => {
    const problems = await problemsOf(`jobs: [{ name: j, ${field}, durable: true }]`);
    expect(problems).toEqual([expect.stringMatching(problem)]);
    const ofTrigger = await problemOfTrigger(`{ simple: {}, ${field} }`);
    expect(ofTrigger).toEqual([expect.stringContaining(`jobs[0].triggers[0].${field.split(':')[0]}`)]);
  });

  it('starts a trigger without startAt now, and marks its start time as default', async () => {
    expect(await triggerOf(`{ simple: {} }`)).toMatchObject({ startTimeDefaulted: true, trigger: { startTime: NOW } });
  });

  it('reads times without an offset in the time zone of the trigger', async () => {
    const { trigger } = await triggerOf(
      `{ simple: {}, timeZone: Europe/Berlin, startAt: '2026-12-01T06:00:07.5+05:30', endAt: '2026-12-01T06:00' }`,
    );
    expect([trigger.startTime, trigger.endTime]).toEqual([
      Date.parse('2026-12-01T00:30:07.500Z'),
      Date.parse('2026-12-01T05:00:00Z'),
    ]);
  });

  it.each([
    [`{ cron: ' 0 0  6 ? * mon-fri ' }`, { kind: 'CRON', cronExpression: '0 0 6 ? * MON-FRI', timeZone: 'UTC' }],
    [`{ cron: '0 6 * * 1-5', dialect: unix }`, { kind: 'CRON', cronExpression: '0 0 6 ? * MON-FRI' }],
    [`{ name: report, cron: '0 H H(8-17) * * ?' }`, { kind: 'CRON', cronExpression: '0 59 16 * * ?' }],
    [`{ simple: { interval: PT1M30S } }`, { kind: 'SIMPLE', repeatInterval: 90_000, repeatCount: -1 }],
    [`{ simple: { interval: 1500, repeatCount: 4 } }`, { kind: 'SIMPLE', repeatInterval: 1_500, repeatCount: 4 }],
    [
      `{ calendarInterval: { interval: 2, unit: MONTH, preserveHourOfDayAcrossDaylightSavings: true, skipDayIfHourDoesNotExist: true } }`,
      {
        kind: 'CAL_INT',
        repeatInterval: 2,
        repeatIntervalUnit: 'MONTH',
        timeZone: 'UTC',
        preserveHourOfDayAcrossDaylightSavings: true,
        skipDayIfHourDoesNotExist: true,
      },
    ],
    [
      `{ dailyTimeInterval: { interval: 20, unit: MINUTE } }`,
      {
        kind: 'DAILY_I',
        repeatInterval: 20,
        repeatIntervalUnit: 'MINUTE',
        repeatCount: -1,
        daysOfWeek: [1, 2, 3, 4, 5, 6, 7],
        startTimeOfDay: { hour: 0, minute: 0, second: 0 },
        endTimeOfDay: { hour: 23, minute: 59, second: 59 },
      },
    ],
    [
      `{ dailyTimeInterval: { interval: 1, unit: HOUR, startTimeOfDay: '8:30', endTimeOfDay: '17:00:05', daysOfWeek: [FRI, MON], repeatCount: 3 } }`,
      {
        daysOfWeek: [2, 6],
        repeatCount: 3,
        startTimeOfDay: { hour: 8, minute: 30, second: 0 },
        endTimeOfDay: { hour: 17, minute: 0, second: 5 },
      },
    ],
  ])('parses the trigger %s', async (text, expected) => {
    expect((await triggerOf(text)).trigger).toMatchObject(expected);
  });

  it('parses triggers outside of jobs, for jobs of any group', async () => {
    const changes = await changesOf(`
      triggers:
        - { name: a, job: stored, simple: {} }
        - { name: b, job: { name: stored, group: g }, simple: {} }
        - { name: c, group: h, job: { name: stored, group: g }, simple: {} }`);
    const keys = changes.map(
      (change) => change.type === 'storeTrigger' && [change.trigger.key.group, change.trigger.jobKey.group],
    );
    expect(keys).toEqual([
      ['DEFAULT', 'DEFAULT'],
      ['g', 'g'],
      ['h', 'g'],
    ]);
  });

  it('allows a job without triggers if a trigger outside of the job refers to it', async () => {
    expect(await problemsOf(`{ jobs: [{ name: j }], triggers: [{ name: t, job: j, simple: {} }] }`)).toEqual([]);
  });

  it('parses calendars of every type, chained by name or inline', async () => {
    const changes = await changesOf(`
      timeZone: Europe/Berlin
      calendars:
        office: { type: daily, from: '08:00', to: '17:00', invert: true, base: weekend, description: open }
        weekend: { type: weekly, base: { type: monthly, timeZone: UTC, excludedDays: [1], base: holidays } }
        holidays: { type: annual, excludedDays: [12-25, [1, 1]], base: once }
        once: { type: holiday, excludedDates: [2026-12-24], base: { type: cron, cronExpression: '* * 12 ? * *', base: { type: base } } }`);
    const chain: string[] = [];
    const [office] = changes;
    if (office?.type !== 'storeCalendar') throw new Error('no calendar');
    for (let each: typeof office.calendar | null = office.calendar; each !== null; each = each.base) {
      chain.push(`${each.type} ${each.timeZone}`);
    }
    expect(changes.map((change) => change.type === 'storeCalendar' && change.name)).toEqual([
      'office',
      'weekend',
      'holidays',
      'once',
    ]);
    expect(office).toMatchObject({
      ifExists: 'replace',
      updateTriggers: true,
      calendar: { description: 'open', invert: true },
    });
    expect(chain).toEqual([
      'daily Europe/Berlin',
      'weekly Europe/Berlin',
      'monthly UTC',
      'annual Europe/Berlin',
      'holiday Europe/Berlin',
      'cron Europe/Berlin',
      'base Europe/Berlin',
    ]);
  });

  it.each([
    ['', 'replace'],
    ['directives: { overwriteExistingData: false }', 'fail'],
    ['directives: { overwriteExistingData: false, ignoreDuplicates: true }', 'keep'],
    ['directives: { ignoreDuplicates: true }', 'replace'],
  ])('with "%s" handles an existing key as follows: %s', async (directives, ifExists) => {
    const changes = await changesOf(`
${directives}
calendars: { c: { type: base } }
jobs: [{ name: j, triggers: [{ simple: {} }] }]`);
    expect(changes.map((change) => 'ifExists' in change && change.ifExists)).toEqual([ifExists, ifExists, ifExists]);
  });

  it('puts deletions first, and omits those that neverDelete excludes', async () => {
    const changes = await changesOf(`
      directives: { neverDelete: { jobGroups: [keep], triggerGroups: [pin] } }
      commands:
        deleteJobsInGroup: [old, '*']
        deleteTriggersInGroup: [old]
        deleteJobs: [a, { name: b, group: keep }, { name: c, group: g }]
        deleteTriggers: [{ name: t, group: pin }, t]
      calendars: { c: { type: base } }`);
    expect(changes.map(({ type }) => type)).toEqual([
      'deleteJobsInGroup',
      'deleteJobsInGroup',
      'deleteTriggersInGroup',
      'deleteJob',
      'deleteJob',
      'deleteTrigger',
      'storeCalendar',
    ]);
    expect(changes.slice(0, 6)).toMatchObject([
      { group: { operator: 'equals', value: 'old' }, exceptGroups: ['keep'] },
      { group: { operator: 'any' }, exceptGroups: ['keep'] },
      { group: { operator: 'equals', value: 'old' }, exceptGroups: ['pin'] },
      { key: { group: 'DEFAULT', name: 'a' } },
      { key: { group: 'g', name: 'c' } },
      { key: { group: 'DEFAULT', name: 't' } },
    ]);
  });

  it('resolves YAML anchors', async () => {
    const changes = await changesOf(`
      jobs:
        - { name: a, data: &shared { x: 1 }, triggers: [{ simple: {} }] }
        - { name: b, data: *shared, triggers: [{ simple: {} }] }`);
    expect(changes[2]).toMatchObject({ job: { data: { x: 1 } } });
  });

  it('parses the schedule file of the package with five kinds of triggers and six job types', async () => {
    const changes = await changesOf(readFileSync(join(__dirname, '../../../config/schedule.yaml'), 'utf8'));
    const jobTypes = changes.flatMap((change) => (change.type === 'storeJob' ? [change.job.jobType] : []));
    const kinds = changes.flatMap((change) => (change.type === 'storeTrigger' ? [change.trigger.kind] : []));
    expect(jobTypes).toEqual(['tick', 'report', 'cleanup', 'digest', 'copy', 'notify']);
    expect(kinds).toEqual(['CRON', 'SIMPLE', 'CAL_INT', 'DAILY_I', 'SIMPLE', 'AFTER', 'CRON']);
  });
});

describe('problems of a schedule file', () => {
  it('are reported all at once, each with its position and the most similar name', async () => {
    const problems = await problemsOf(`timeZone: Europe/Berln
directives: { ignoreDuplicates: 1 }
commands: { deleteJobs: ['', { nam: x }] }
calendars:
  weekend: { type: weekly, excludedDays: [8], base: holydays }
  holidays: { type: annuel }
jobs:
  - name: a
    durabel: true
  - name: b
    triggers:
      - cron: 0 0 25 * * ?
      - name: n
        simple: { interval: P1M }
        startAt: 2026-02-30
        misfire: DO_NOTHING
  - name: b
triggers:
  - { name: u, job: b, dailyTimeInterval: { interval: 0, unit: hour, startTimeOfDay: '25:00' } }
  - { name: u, job: b, simple: {}, prioritty: 3 }
`);
    expect(problems).toEqual([
      '15 problems:',
      expect.stringMatching(
        /^1:11 timeZone: expected an IANA time zone .*, found 'Europe\/Berln'; did you mean 'Europe\/Berlin'\?$/,
      ),
      '2:33 directives.ignoreDuplicates: expected true or false, found 1',
      '3:26 commands.deleteJobs[0]: expected a non-empty string, found an empty string',
      '3:30 commands.deleteJobs[1].name: expected a string, found nothing',
      expect.stringMatching(/^3:32 commands.deleteJobs\[1\].nam: .*found 'nam'; did you mean 'name'\?$/),
      "5:53 calendars.weekend.base: expected the name of a calendar in this file, found 'holydays'; did you mean 'holidays'?",
      expect.stringMatching(/^6:21 calendars.holidays.type: .*found 'annuel'; did you mean 'annual'\?$/),
      expect.stringMatching(/^9:5 jobs\[0\].durabel: .*found 'durabel'; did you mean 'durable'\?$/),
      '12:9 jobs[1].triggers[0]: expected a name, because the job has several triggers, found none',
      expect.stringMatching(
        /^14:29 jobs\[1\].triggers\[1\].simple.interval: .*found 'P1M'; use calendarInterval for weeks and longer$/,
      ),
      expect.stringMatching(/^15:18 jobs\[1\].triggers\[1\].startAt: .*found '2026-02-30'$/),
      expect.stringMatching(
        /^16:18 jobs\[1\].triggers\[1\].misfire: expected one of .*SMART_POLICY, .*found 'DO_NOTHING'/,
      ),
      expect.stringMatching(/^17:5 jobs\[2\]: expected each job once, found 'DEFAULT\/b' again \(first on line 10\)$/),
      expect.stringMatching(/^19:64 triggers\[0\].dailyTimeInterval.unit: .*found 'hour'; did you mean 'HOUR'\?$/),
      expect.stringMatching(/^20:36 triggers\[1\].prioritty: .*did you mean 'priority'\?$/),
    ]);
  });

  it.each([
    ['{ }', /expected one of cron, every, at, simple, calendarInterval, dailyTimeInterval, after, found none of them$/],
    ['{ cron: "0 0 6 ? * *", simple: {} }', /found cron and simple$/],
    ['{ cron: "0 0 25 * * ?" }', /^1:\d+ jobs\[0\]\.triggers\[0\]\.cron: Cron expression '0 0 25 \* \* \?': hour/],
    ['{ cron: "6 * *", dialect: unix }', /triggers\[0\]\.cron: /],
    ['{ cron: { expression: "0 6 * * 1-5", dialect: unix } }', /triggers\[0\]\.cron: expected a string, found a map/],
    [
      '{ every: 5m, dialect: unix }',
      /triggers\[0\]\.dialect: expected dialect only with cron, found dialect without cron$/,
    ],
    ['{ after: extract, dialect: unix }', /triggers\[0\]\.dialect: expected no dialect \(a trigger with after/],
    ['{ cron: "0 H(0-60) * * * ?" }', /triggers\[0\]\.cron: .* minute \(character 3\): 'H\(0-60\)' is out of range/],
    ['{ cron: "5x 0 0 ? * *" }', /triggers\[0\]\.cron: .* Quartz reads it as '5': write that$/],
    ['{ cron: "0 6 * * 1-5" }', /looks like crontab: set dialect to 'unix', or write '0 0 6 \? \* MON-FRI'$/],
    ['{ simple: { interval: soon } }', /simple\.interval: expected milliseconds, or a duration such as/],
    ['{ simple: { interval: PT } }', /simple\.interval: expected milliseconds/],
    ['{ simple: { interval: -5 } }', /repeatInterval/],
    ['{ simple: { repeatCount: 3 } }', /repeatInterval/],
    ['{ calendarInterval: { interval: 0, unit: DAY } }', /repeatInterval/],
    ['{ calendarInterval: { unit: DAY } }', /calendarInterval\.interval: expected a whole number, found nothing/],
    [
      '{ dailyTimeInterval: { interval: 1, unit: DAY } }',
      /dailyTimeInterval\.unit: expected one of SECOND, MINUTE, HOUR/,
    ],
    [
      '{ dailyTimeInterval: { interval: 1, unit: HOUR, startTimeOfDay: "9:60" } }',
      /startTimeOfDay: expected a time of day/,
    ],
    [
      '{ dailyTimeInterval: { interval: 1, unit: HOUR, startTimeOfDay: "9:00", endTimeOfDay: "8:00" } }',
      /endTimeOfDay/,
    ],
    ['{ simple: {}, startAt: tomorrow }', /startAt: expected a time such as '2026-12-24T18:00' \(in UTC\)/],
    ['{ simple: {}, startAt: 2026 }', /startAt: expected a time such as '2026-12-24T18:00', found 2026$/],
    ['{ simple: {}, startAt: "2026-12-24T25:00" }', /startAt: expected a time/],
    ['{ simple: {}, startAt: "2026-12-24T12:00+99:00" }', /startAt: expected a time/],
    ['{ simple: {}, startAt: "2026-12-24", endAt: "2026-12-23" }', /endTime/],
    ['{ simple: {}, timeZone: Mars }', /triggers\[0\]\.timeZone: expected an IANA time zone/],
    ['{ simple: {}, priority: high }', /priority: expected a whole number, found 'high'/],
    ['{ simple: {}, priority: 3000000000 }', /priority/],
    ['{ simple: {}, data: [1] }', /data: expected a map of keys/],
    ['{ simple: {}, data: { x: .inf } }', /triggers\[0\]\.data: .*Infinity/],
    [`{ simple: {}, name: ${'n'.repeat(200)} }`, /at most 190 characters as the name of a trigger, found 200/],
    [`{ simple: {}, calendar: ${'n'.repeat(200)} }`, /at most 190 characters as the name of a calendar, found 200/],
    [`{ simple: {}, data: { x: ${'n'.repeat(70_000)} } }`, /data: .*60 KiB|data: .*61440/],
    ['{ simple: {}, job: other }', /triggers\[0\]\.job: expected/],
  ])('are reported for the trigger %s', async (trigger, message) => {
    const problems = await problemOfTrigger(trigger);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(message);
  });

  it.each([
    ['a', /expected a map of keys, found 'a'/],
    ['[]', /expected a map of keys, found an empty list/],
    ['jobs: { a: {} }', /jobs: expected a list, found a map of keys/],
    ['jobs: [a]', /jobs\[0\]: expected a map of keys, found 'a'/],
    ['jobs: [{}]', /jobs\[0\]\.name: expected a string, found nothing/],
    ['jobs: [{ name: 7, durable: true }]', /jobs\[0\]\.name: expected a string, found 7/],
    ['jobs: [{ name: a }]', /jobs\[0\]: expected a trigger or durable: true/],
    ['job: []', /job: .*did you mean 'jobs'\?/],
    [
      'calendars: { a: { type: weekly, base: a } }',
      /calendars\.a\.base: expected calendars without a cycle, found 'a' on 'a'/,
    ],
    ['calendars: { a: { type: base, base: b }, b: { type: base, base: a } }', /found 'a' on 'b' on 'a'/],
    [
      'calendars: { a: { type: monthly, excludedDays: [32] } }',
      /calendars\.a\.excludedDays\[0\]: expected a whole number from 1 to 31, found 32/,
    ],
    [
      'calendars: { a: { type: base, base: { type: cron, cronExpression: x } } }',
      /calendars\.a\.base\.cronExpression: expected a cron expression, found 'x'/,
    ],
    ['calendars: { a: { type: base, base: { typ: cron } } }', /calendars\.a\.base\.type: /],
    ['calendars: { a: { type: daily, from: "9:00", too: "10:00" } }', /calendars\.a\.too: .*did you mean 'to'\?/],
    [
      'calendars: { a: { type: base, timeZone: Mars } }',
      /calendars\.a\.timeZone: expected an IANA time zone such as Europe\/Berlin, or an offset such as GMT\+08:00, found 'Mars'/,
    ],
    [`calendars: { ${'n'.repeat(200)}: { type: base } }`, /at most 190 characters as the name of a calendar/],
    ['{ jobs: [{ name: a, durable: true, __proto__: { x: 1 } }] }', /__proto__/],
    ['{ jobs: [{ name: a, durable: true, data: { __proto__: { x: 1 } } }] }', /__proto__/],
    ['jobs:\n\t- name: a', /^2:1/],
    ['jobs: [', /^1:/],
    ['jobs: []\njobs: []', /^2:1/],
    ['jobs: *none', /^1:7/],
    [`jobs: ${'['.repeat(100)}`, /nested levels/],
  ])('are reported for the file %p', async (text, message) => {
    const problems = (await problemsOf(text)).join('\n');
    expect(problems).toMatch(message);
  });

  it('are reported immediately for an alias bomb', async () => {
    const levels = [...'bcdefghijklmnop'].map(
      (name, i) => `${name}: &${name} [${'*'.concat('abcdefghijklmno'[i] as string, ', ').repeat(9)}]`,
    );
    expect(await problemsOf(`a: &a [x, x]\n${levels.join('\n')}`)).toEqual([expect.stringContaining('aliases')]);
  });

  it('are reported for JSON as for YAML', async () => {
    const json = JSON.stringify({ jobs: [{ name: 'a', triggers: [{ cron: '0 0 6 * *' }] }] }, null, 2);
    await expect(parseScheduleFile(json, 'schedule.json', defaults)).rejects.toThrow(/^schedule\.json:7:19 /);
  });

  it('are reported for a repeated trigger name in one group, but not in two groups', async () => {
    const trigger = (job: string) => `{ name: ${job}, group: ${job}, triggers: [{ name: t, simple: {} }] }`;
    expect(await problemsOf(`jobs: [${trigger('a')}, ${trigger('b')}]`)).toEqual([]);
    const again = await problemsOf(`jobs: [{ name: a, triggers: [{ name: t, simple: {} }, { name: t, simple: {} }] }]`);
    expect(again).toEqual([
      expect.stringContaining("expected each trigger once, found 'DEFAULT/t' again (first on line 1)"),
    ]);
  });
});
