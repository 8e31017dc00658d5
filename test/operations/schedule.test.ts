import { type Asked, openAsked, STORES } from './support';

const FILE = `
calendars:
  weekends: { type: weekly, excludedDays: [SAT, SUN] }
jobs:
  - name: report
    type: noop
    data: { token: hush, to: ada }
    triggers:
      - { name: daily, cron: '0 0 3 * * ?', calendar: weekends }
      - { name: hourly, cron: '0 0 * * * ?' }
`;

describe.each(STORES)('operations on calendars and schedules (%s)', (store) => {
  let asked: Asked;

  beforeAll(async () => {
    asked = await openAsked(store);
  });
  afterEach(() => asked.scheduler.clear());
  afterAll(() => asked.close());

  it('store, list, show, change and delete calendars', async () => {
    const days = { name: 'days', type: 'holiday' as const, excludedDates: ['2027-01-01'], timeZone: 'UTC' };
    const { version } = await asked.ask('calendars.add', days);
    await asked.ask('calendars.add', { name: 'nights', type: 'daily', from: '22:00', to: '23:30', base: 'days' });
    const byHand = { owner: 'http', isOverridden: false, unreadable: null };
    expect(await asked.ask('calendars.list', {})).toEqual({
      items: [
        { name: 'days', type: 'holiday', description: null, timeZone: 'UTC', ...byHand },
        { name: 'nights', type: 'daily', description: null, timeZone: 'Europe/Berlin', ...byHand },
      ],
      next: null,
    });
    const page = await asked.ask('calendars.list', { limit: 1 });
    expect((await asked.ask('calendars.list', { limit: 1, after: page.next as string })).items).toMatchObject([
      { name: 'nights' },
    ]);
    const shown = await asked.ask('calendars.show', { name: 'nights' });
    expect(shown.definition).toMatchObject({ type: 'daily', base: { type: 'holiday', excludedDates: ['2027-01-01'] } });
    const again = { ...shown.definition, name: 'nights', ifVersion: shown.version };
    expect(await asked.ask('calendars.edit', again as never)).toEqual({ status: 'unchanged', version: shown.version });

    const more = { ...days, excludedDates: ['2027-01-01', '2027-12-25'] };
    expect(await asked.ask('calendars.edit', { ...more, ifVersion: version })).toMatchObject({ status: 'replaced' });
    expect((await asked.refusal('calendars.edit', { ...days, ifVersion: version })).code).toBe('CHANGED_MEANWHILE');
    expect(await asked.refusal('calendars.edit', { ...days, excludedDates: ['2027-02-30'] })).toMatchObject({
      code: 'INVALID_INPUT',
      fields: [{ field: 'excludedDates[0]' }],
    });
    expect((await asked.refusal('calendars.add', days)).code).toBe('OBJECT_ALREADY_EXISTS');
    expect((await asked.refusal('calendars.add', days, 'operator')).code).toBe('FORBIDDEN');
    expect((await asked.refusal('calendars.edit', { ...days, name: 'none' })).code).toBe('CALENDAR_NOT_FOUND');

    await asked.ask('jobs.add', {
      name: 'report',
      type: 'noop',
      triggers: [{ name: 'daily', cron: '0 0 3 * * ?', calendar: 'days' }],
    });
    expect((await asked.ask('calendars.show', { name: 'days' })).triggers).toEqual([
      { name: 'daily', group: 'DEFAULT' },
    ]);
    expect((await asked.refusal('calendars.remove', { name: 'days' })).code).toBe('CALENDAR_IN_USE');
    await asked.ask('calendars.remove', { name: 'nights' });
    for (const name of ['calendars.remove', 'calendars.show'] as const) {
      expect((await asked.refusal(name, { name: 'nights' })).code).toBe('CALENDAR_NOT_FOUND');
      expect((await asked.refusal(name, {})).code).toBe('INVALID_INPUT');
    }
  });

  it('show the days of a year that a calendar excludes wholly or in part', async () => {
    await asked.ask('calendars.add', { name: 'c', type: 'holiday', excludedDates: ['2027-01-01', '2027-12-25'] });
    expect(await asked.ask('calendars.year', { name: 'c', year: 2027 })).toEqual({
      timeZone: 'Europe/Berlin',
      whole: ['2027-01-01', '2027-12-25'],
      part: [],
    });
    expect((await asked.ask('calendars.year', { name: 'c', year: 2028 })).whole).toEqual([]);
    // An hour of one Monday each year, and the first of May in another time zone.
    const base = { type: 'annual', excludedDays: ['05-01'], timeZone: 'UTC' };
    await asked.ask('calendars.add', { name: 'd', type: 'cron', cronExpression: '* * 3 1 2 ? 2027', base });
    expect(await asked.ask('calendars.year', { name: 'd', year: 2027 })).toMatchObject({
      whole: [],
      part: ['2027-02-01', '2027-05-01', '2027-05-02'],
    });
    expect((await asked.refusal('calendars.year', { name: 'none', year: 2027 })).code).toBe('CALENDAR_NOT_FOUND');
    expect((await asked.refusal('calendars.year', { name: 'c', year: 1 })).code).toBe('INVALID_INPUT');
  });

  it('preview the fire times, description and warnings of each schedule type', async () => {
    const from = '2027-03-26T12:00:00.000Z';
    const preview = (input: object) => asked.ask('cron.preview', { from, count: 3, ...input } as never);
    expect(await preview({ cron: '0 30 2 * * ?' })).toEqual({
      kind: 'cron',
      expression: '0 30 2 * * ?',
      timeZone: 'Europe/Berlin',
      clockChanges: 'quartz',
      description: 'At 02:30',
      fireTimes: [
        { time: '2027-03-27T01:30:00.000Z', local: '2027-03-27T02:30:00.000+01:00' },
        { time: '2027-03-29T00:30:00.000Z', local: '2027-03-29T02:30:00.000+02:00' },
        { time: '2027-03-30T00:30:00.000Z', local: '2027-03-30T02:30:00.000+02:00' },
      ],
      warnings: [
        { code: 'NO_TIME_ZONE', message: expect.stringContaining('Europe/Berlin') },
        { code: 'CLOCK_FORWARD', message: expect.stringContaining('2027-03-28 02:00 is followed by 03:00: 02:30') },
        { code: 'CLOCK_BACK', message: expect.stringContaining('2027-10-31 03:00 is followed by 02:00: 02:30') },
      ],
    });
    const natural = await preview({ cron: '0 30 2 * * ?', timeZone: 'Europe/Berlin', clockChanges: 'natural' });
    expect(natural).toMatchObject({ clockChanges: 'natural', warnings: [] });
    expect(natural.fireTimes[1]?.local).toBe('2027-03-28T03:30:00.000+02:00');
    const codes = async (input: object) => (await preview(input)).warnings.map(({ code }) => code);
    const everySixMinutes = await preview({ cron: '0 0/6 * * * ?', timeZone: 'Europe/Berlin' });
    expect(everySixMinutes.warnings).toEqual([
      { code: 'CLOCK_BACK', message: expect.stringContaining('02:00 to 03:00 occurs twice') },
    ]);
    expect(await codes({ cron: '0 0 3 * * ? 2027', timeZone: 'UTC' })).toEqual([]);
    expect(await codes({ cron: '0 0 3 1 1 ? 2028', timeZone: 'UTC' })).toEqual(['ENDS']);
    expect(await codes({ cron: '0 0 3 1 1 ? 2020', timeZone: 'UTC' })).toEqual(['NEVER_FIRES']);
    expect(await preview({ simple: { interval: 'PT1H', repeatCount: 1 } })).toMatchObject({
      description: 'every 1 h, 2 times',
      fireTimes: [{ time: from }, { time: '2027-03-26T13:00:00.000Z' }],
      warnings: [{ code: 'ENDS' }],
    });
    expect(await preview({ calendarInterval: { interval: 1, unit: 'MONTH' }, timeZone: 'UTC' })).toMatchObject({
      description: 'every month',
      fireTimes: [{ time: from }, { time: '2027-04-26T12:00:00.000Z' }, { time: '2027-05-26T12:00:00.000Z' }],
    });
    expect(await preview({ dailyTimeInterval: { interval: 8, unit: 'HOUR' }, timeZone: 'UTC' })).toMatchObject({
      fireTimes: [{ time: '2027-03-26T16:00:00.000Z' }, {}, {}],
    });
    expect(await preview({ after: 'report' })).toMatchObject({ kind: 'after', fireTimes: [], warnings: [] });
    await asked.ask('calendars.add', { name: 'weekends', type: 'weekly', timeZone: 'UTC' });
    const noon = { cron: '0 0 12 * * ?', timeZone: 'UTC', calendar: 'weekends' };
    expect(await preview(noon)).toMatchObject({
      fireTimes: [{ time: from }, { time: '2027-03-29T12:00:00.000Z' }, {}],
      warnings: [{ code: 'CALENDAR', message: expect.stringContaining('excludes 2 fire times') }],
    });
    expect(await codes({ ...noon, cron: '0 0 12 ? * SAT' })).toEqual(['NEVER_FIRES']);
    expect((await asked.refusal('cron.preview', { ...noon, calendar: 'none' })).code).toBe('CALENDAR_NOT_FOUND');
    expect(await asked.refusal('cron.preview', { cron: '0 0 3 * MON' })).toMatchObject({
      code: 'INVALID_INPUT',
      fields: [{ field: 'cron', offset: expect.any(Number) }],
    });
  });

  it('plan a schedule file, and then apply it', async () => {
    const plan = async (text: string) =>
      (await asked.ask('schedule.plan', { text })).changes.map(({ action, what, name, fields }) =>
        `${action} ${what} ${name} ${fields.map(({ field }) => field)}`.trim(),
      );
    const all = ['calendar weekends', 'job report', 'trigger daily', 'trigger hourly'];
    expect(await plan(FILE)).toEqual(all.map((each) => `create ${each}`));
    expect((await asked.ask('jobs.list', {})).items).toEqual([]);
    expect(await asked.ask('schedule.apply', { text: FILE })).toEqual({
      created: 4,
      replaced: 0,
      unchanged: 0,
      deleted: 0,
    });
    expect(await plan(FILE)).toEqual(all.map((each) => `unchanged ${each}`));
    const changed = FILE.replace('hush', 'loud').replace(/^.*hourly.*$/m, '');
    expect((await plan(changed)).filter((each) => !each.startsWith('unchanged'))).toEqual([
      'replace job report data.token',
    ]);
    expect(JSON.stringify(await asked.ask('schedule.plan', { text: changed }))).not.toMatch(/hush|loud/);
    expect((await asked.ask('schedule.plan', { text: changed })).undeclared).toEqual([
      { group: 'DEFAULT', name: 'hourly' },
    ]);
    expect(await asked.ask('schedule.apply', { text: `prune: group\n${changed}` })).toMatchObject({ deleted: 1 });
    expect((await asked.ask('triggers.list', {})).items).toMatchObject([{ key: { name: 'daily' } }]);
  });

  it('refuse a schedule file with too many entries before reading any of them', async () => {
    const wrong = (count: number) => new Array(count).fill(0);
    const asText = (file: object) => ({ text: JSON.stringify(file), file: 'schedule.json' });
    const tooMany = 'expected at most 4000 jobs, triggers, calendars and commands, found 4001';
    for (const name of ['schedule.plan', 'schedule.apply'] as const)
      for (const file of [{ jobs: wrong(4_001) }, { jobs: [{ triggers: wrong(4_000) }] }])
        expect(await asked.refusal(name, asText(file))).toMatchObject({
          code: 'CONFIGURATION',
          fields: [{ message: expect.stringContaining(tooMany) }],
        });
    const { fields } = await asked.refusal('schedule.plan', asText({ jobs: wrong(4_000) }));
    expect(fields.filter(({ message }) => message.includes('at most'))).toEqual([]);
  });

  it('refuse further schedule files of an actor while five are read or waiting', async () => {
    const plans = Array.from({ length: 8 }, () =>
      asked.ask('schedule.plan', { text: FILE }).then(
        () => 'planned',
        ({ code, retryAfterS }) => `${code} ${retryAfterS}`,
      ),
    );
    const found = await Promise.all(plans);
    expect(found.sort()).toEqual([...new Array(3).fill('TOO_MANY_REQUESTS 1'), ...new Array(5).fill('planned')]);
    expect(await asked.ask('schedule.plan', { text: FILE })).toMatchObject({ changed: true });
  });

  it('report the first hundred problems of an input, and the number of further problems', async () => {
    const input = { name: 'x', type: 'holiday', excludedDates: new Array(9_000).fill(1) };
    const { fields } = await asked.refusal('calendars.add', input);
    expect(fields).toHaveLength(101);
    expect(fields.at(-1)).toEqual({ field: '', message: 'and 8900 more problems' });
    const wrong = new Array(500).fill({ nme: 'x' });
    const ofFile = await asked.refusal('schedule.plan', { text: JSON.stringify({ jobs: wrong }), file: 'x.json' });
    expect(ofFile.fields.length).toBe(101);
    expect(ofFile.fields.at(-1)?.message).toMatch(/^and \d+ more problems$/);
  });

  it('report the positions of the problems in a schedule file, and change nothing', async () => {
    const text = FILE.replace('0 0 * * * ?', '0 0 99 * * ?').replace('type: noop', 'typo: noop');
    expect(await asked.refusal('schedule.apply', { text })).toMatchObject({
      code: 'CONFIGURATION',
      fields: [
        { field: 'jobs[0].typo', line: 6, column: 5 },
        { field: 'jobs[0].triggers[1].cron', line: 10, offset: 4 },
      ],
    });
    expect(await asked.refusal('schedule.plan', { text: 'jobs: [' })).toMatchObject({
      code: 'CONFIGURATION',
      fields: [{ line: 1 }],
    });
    const refused = await asked.refusal('schedule.plan', {
      text: FILE.replace('calendar: weekends', 'calendar: none'),
    });
    expect(refused).toMatchObject({ code: 'CALENDAR_NOT_FOUND', fields: [{ line: 9, column: 9 }] });
    expect(await asked.refusal('schedule.plan', { text: FILE.replace('noop', 'unheard') })).toMatchObject({
      code: 'UNKNOWN_JOB_TYPE',
    });
    expect((await asked.refusal('schedule.plan', { text: FILE, file: '../x.yaml' })).code).toBe('INVALID_INPUT');
    expect((await asked.refusal('schedule.apply', { text: FILE }, 'operator')).code).toBe('FORBIDDEN');
    expect((await asked.ask('jobs.list', {})).items).toEqual([]);
  });
});
