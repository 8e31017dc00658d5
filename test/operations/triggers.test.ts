import type { OutputOf } from '../../src/operations/operations';
import { until } from '../support/until';
import { type Asked, openAsked, STORES } from './support';

const DAILY = { job: 'report', cron: '0 0 3 * * ?' } as const;
const FAR = '2099-01-01T00:00:00.000Z';

describe.each(STORES)('operations on triggers (%s)', (store) => {
  let asked: Asked;

  beforeAll(async () => {
    asked = await openAsked(store);
  });
  beforeEach(async () => {
    await asked.ask('jobs.add', { name: 'report', type: 'noop', durable: true });
    await asked.ask('jobs.add', { name: 'mail', group: 'g', type: 'noop', durable: true });
  });
  afterEach(() => asked.scheduler.clear());
  afterAll(() => asked.close());

  const add = (name: string, fields: object = {}) => asked.ask('triggers.add', { name, ...DAILY, ...fields } as never);
  const names = async (input: object) =>
    (await asked.ask('triggers.list', input as never)).items.map(({ key }) => key.name);
  const once = (startAt: string) => ({ cron: undefined, simple: {}, startAt });

  it('list them by name or time, page by page, with filters', async () => {
    await add('c', once('2099-01-03T00:00:00Z'));
    await add('b', once('2099-01-01T00:00:00Z'));
    await add('a', { ...once('2099-01-02T00:00:00Z'), job: { name: 'mail', group: 'g' } });
    await add('d', { cron: undefined, after: 'mail' });
    expect(await names({})).toEqual(['a', 'b', 'c', 'd']);
    for (const [sort, order] of [
      ['key', 'abcd'],
      ['nextFireTime', 'bacd'],
    ] as const) {
      const found: string[] = [];
      let after: string | null = null;
      do {
        const page: OutputOf<'triggers.list'> = await asked.ask('triggers.list', {
          sort,
          limit: 3,
          ...(after !== null && { after }),
        });
        found.push(...page.items.map(({ key }) => key.name));
        after = page.next;
      } while (after !== null);
      expect(found.join('')).toBe(order);
    }
    await asked.ask('triggers.pause', { name: 'c', reason: 'audit' });
    expect(await names({ paused: true })).toEqual(['c']);
    expect(await names({ paused: false, job: 'report' })).toEqual(['b', 'd']);
    expect(await names({ state: ['PAUSED'], paused: false })).toEqual([]);
    expect(await names({ group: 'g' })).toEqual(['a']);
    expect(await names({ job: 'mail', jobGroup: 'g' })).toEqual(['a']);
    expect(await names({ search: 'B' })).toEqual(['b']);
    expect(await names({ calendar: 'none' })).toEqual([]);
    const [paused] = (await asked.ask('triggers.list', { paused: true })).items;
    expect(paused).toMatchObject({ kind: 'simple', schedule: 'once', pause: { by: 'Ada', reason: 'audit' } });
    expect(await asked.refusal('triggers.list', { sort: 'nextFireTime', after: '["a","b"]' })).toMatchObject({
      fields: [{ field: 'after' }],
    });
    expect((await asked.refusal('triggers.list', { state: ['WAITING', 'no state'] })).code).toBe('INVALID_INPUT');
    expect(await asked.refusal('triggers.list', { state: ['NORMAL'] } as never)).toMatchObject({
      fields: [
        {
          field: 'state.0',
          message: expect.stringMatching(/^expected one of WAITING, .*Quartz's NORMAL is WAITING or ACQUIRED\.$/),
        },
      ],
    });
    expect(await asked.refusal('triggers.list', { state: ['PAUSD'] } as never)).toMatchObject({
      fields: [{ message: expect.stringMatching(/found 'PAUSD'\. Did you mean 'PAUSED'\?$/) }],
    });
  });

  it('show a trigger in the form of a schedule file, with its state and next fire times', async () => {
    await add('daily', { startAt: '2099-03-27T00:00:00', priority: 7, misfire: 'skip', data: { token: 'x', a: 1 } });
    const shown = await asked.ask('triggers.show', { name: 'daily', count: 3 });
    expect(shown).toMatchObject({
      definition: {
        name: 'daily',
        group: 'DEFAULT',
        job: { name: 'report', group: 'DEFAULT' },
        cron: '0 0 3 * * ?',
        timeZone: 'Europe/Berlin',
        startAt: '2099-03-26T23:00:00.000Z',
        priority: 7,
        misfire: 'DO_NOTHING',
        data: { token: '***', a: 1 },
      },
      state: 'WAITING',
      pause: null,
      // Daylight saving time begins on the 29th.
      fireTimes: ['2099-03-27T02:00:00.000Z', '2099-03-28T02:00:00.000Z', '2099-03-29T01:00:00.000Z'],
    });
    expect((await asked.refusal('triggers.show', { name: 'nobody' })).code).toBe('TRIGGER_NOT_FOUND');
    expect((await asked.refusal('triggers.show', { name: 'daily', count: 101 })).code).toBe('INVALID_INPUT');
  });

  it('store a trigger, or report its problems', async () => {
    expect(await add('once', { ...once(FAR), group: 'mine' })).toMatchObject({
      key: { name: 'once', group: 'mine' },
      nextFireTime: FAR,
      version: expect.any(String),
    });
    expect(await asked.refusal('triggers.add', { ...DAILY, name: 'bad', cron: '0 0 25 * * ?' })).toMatchObject({
      code: 'INVALID_INPUT',
      fields: [{ field: 'cron', offset: 4 }],
    });
    const code = async (fields: object) =>
      (await asked.refusal('triggers.add', { ...DAILY, name: 'bad', ...fields })).code;
    expect(await code({ timeZone: 'Europe/Berlin2' })).toBe('INVALID_INPUT');
    expect(await code({ simple: {} })).toBe('INVALID_INPUT');
    expect(await code({ job: 'nobody' })).toBe('JOB_NOT_FOUND');
    expect(await code({ calendar: 'nothing' })).toBe('CALENDAR_NOT_FOUND');
    expect(await code({ cron: '0 0 3 * * ? 2020' })).toBe('INVALID_TRIGGER');
    expect(await code({ name: 'once', group: 'mine' })).toBe('OBJECT_ALREADY_EXISTS');
    expect((await asked.refusal('triggers.add', { ...DAILY, name: 'x' }, 'operator')).code).toBe('FORBIDDEN');
    expect(await names({})).toEqual(['once']);
    expect(await add('unix', { cron: '0 3 * * 1-5', dialect: 'unix' })).toMatchObject({ key: { name: 'unix' } });
    expect((await asked.ask('triggers.show', { name: 'unix' })).schedule).toBe('0 0 3 ? * MON-FRI');
    // `dialect` alone would make the stored expression a crontab line.
    for (const refused of [
      await asked.refusal('triggers.edit', { name: 'unix', dialect: 'unix' }),
      await asked.refusal('triggers.add', { ...DAILY, name: 'bad', cron: undefined, every: '1d', dialect: 'unix' }),
    ])
      expect(refused).toMatchObject({ code: 'INVALID_INPUT', fields: [{ field: 'dialect' }] });
    await asked.ask('triggers.edit', { name: 'unix', cron: '0 4 * * 1-5', dialect: 'unix' });
    expect((await asked.ask('triggers.show', { name: 'unix' })).schedule).toBe('0 0 4 ? * MON-FRI');
  });

  it('change the given fields: a paused trigger stays paused, and a schedule of another type replaces the old one', async () => {
    const { version } = await add('daily', { description: 'old', retry: 2 });
    await asked.ask('triggers.pause', { name: 'daily' });
    const done = await asked.ask('triggers.edit', {
      name: 'daily',
      simple: { interval: 'PT1H' },
      startAt: FAR,
      clear: ['description', 'timeZone'],
      ifVersion: version,
    });
    expect(done).toMatchObject({ status: 'replaced', nextFireTime: FAR });
    const shown = await asked.ask('triggers.show', { name: 'daily' });
    expect(shown).toMatchObject({ state: 'PAUSED', kind: 'simple', description: null, version: done.version });
    expect(shown.definition).toMatchObject({ simple: { interval: 'PT1H' }, retry: 'R2/PT1M', startAt: FAR });
  });

  it('do not restart a trigger that has ended when another field is edited', async () => {
    const ends: (() => void)[] = [];
    const own = await openAsked(store, { holds: () => new Promise<void>((end) => ends.push(end)) });
    try {
      await own.scheduler.start();
      await own.ask('jobs.add', { name: 'job', type: 'holds', durable: true });
      for (const [name, schedule] of [
        ['once', { simple: {} }],
        ['counted', { dailyTimeInterval: { interval: 1, unit: 'SECOND', repeatCount: 0 } }],
      ] as const) {
        await own.ask('triggers.add', { name, job: 'job', ...schedule });
        const show = () => own.ask('triggers.show', { name });
        const before = await until(show, ({ state }) => state === 'COMPLETE'); // its run continues, and keeps the trigger stored
        const edited = await own.ask('triggers.edit', { name, description: 'other words' });
        expect(edited).toMatchObject({ status: 'replaced', nextFireTime: null });
        expect(await show()).toEqual({
          ...before,
          description: 'other words',
          definition: { ...before.definition, description: 'other words' },
          version: edited.version,
        });
      }
    } finally {
      for (const end of ends) end();
      await own.close();
    }
  });

  it('start a changed schedule from now, although the start time of the trigger is long past', async () => {
    await add('hourly', { cron: '0 0 * * * ?', startAt: '2020-01-01T00:00:00Z' });
    const before = Date.now();
    const { nextFireTime } = await asked.ask('triggers.edit', { name: 'hourly', cron: '0 30 * * * ?' });
    expect(Date.parse(nextFireTime as string)).toBeGreaterThan(before);
  });

  it.each([
    ['cron', { cron: '0 0 3 * * ?' }],
    ['simple', { cron: undefined, simple: { interval: 'PT5M', repeatCount: 3 }, startAt: FAR }],
    ['calendarInterval', { cron: undefined, calendarInterval: { interval: 2, unit: 'WEEK' } }],
    [
      'dailyTimeInterval',
      { cron: undefined, dailyTimeInterval: { interval: 90, unit: 'MINUTE', startTimeOfDay: '08:00' } },
    ],
    ['after', { cron: undefined, after: ['mail'], on: 'end' }],
  ])('change nothing if the definition is the shown one: %s', async (_, fields) => {
    await add('subject', { description: 'x', data: { password: 'hush' }, runsOn: 'eu', ...fields });
    const { definition, version } = await asked.ask('triggers.show', { name: 'subject' });
    const stored = await asked.control.findTrigger({ name: 'subject', group: 'DEFAULT' });
    expect(await asked.ask('triggers.edit', { ...definition, ifVersion: version } as never)).toMatchObject({
      status: 'unchanged',
      version,
    });
    expect(await asked.control.findTrigger({ name: 'subject', group: 'DEFAULT' })).toEqual(stored);
  });

  it('refuse an edit of a changed or missing trigger, and an invalid edit', async () => {
    const { version } = await add('daily');
    await asked.ask('triggers.edit', { name: 'daily', priority: 1 });
    const stored = await asked.control.findTrigger({ name: 'daily', group: 'DEFAULT' });
    const code = async (fields: object) => (await asked.refusal('triggers.edit', { name: 'daily', ...fields })).code;
    expect(await code({ priority: 2, ifVersion: version })).toBe('CHANGED_MEANWHILE');
    expect(await code({ cron: 'at noon', priority: 2 })).toBe('INVALID_INPUT');
    expect(await code({ job: 'nobody' })).toBe('JOB_NOT_FOUND');
    expect(await code({ cron: '0 0 3 * * ? 2020' })).toBe('INVALID_TRIGGER');
    expect(await code({ clear: ['name'] })).toBe('INVALID_INPUT');
    expect((await asked.refusal('triggers.edit', { name: 'nobody' })).code).toBe('TRIGGER_NOT_FOUND');
    expect((await asked.refusal('triggers.edit', { name: 'daily' }, 'operator')).code).toBe('FORBIDDEN');
    expect(await asked.control.findTrigger({ name: 'daily', group: 'DEFAULT' })).toEqual(stored);
  });

  it('compare the version in the transaction that writes: of three edits of one version, one is done', async () => {
    const { version } = await add('daily');
    const edits = await Promise.allSettled(
      [1, 2, 3].map((priority) => asked.ask('triggers.edit', { name: 'daily', priority, ifVersion: version })),
    );
    const refused = edits.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []));
    expect(refused).toEqual(['CHANGED_MEANWHILE', 'CHANGED_MEANWHILE']);
  });

  it('delete, pause, resume and reset a trigger', async () => {
    await add('daily');
    const until = FAR;
    await asked.ask('triggers.pause', { name: 'daily', reason: 'audit', until });
    expect((await asked.ask('triggers.show', { name: 'daily' })).pause).toMatchObject({ by: 'Ada', until });
    await asked.ask('triggers.resume', { name: 'daily' });
    expect((await asked.ask('triggers.show', { name: 'daily' })).state).toBe('WAITING');
    await asked.ask('triggers.reset', { name: 'daily' });
    expect((await asked.refusal('triggers.remove', { name: 'daily', ifVersion: 'x' })).code).toBe('CHANGED_MEANWHILE');
    expect(await asked.ask('triggers.remove', { name: 'daily' })).toEqual({ jobs: [] });
    for (const name of ['triggers.pause', 'triggers.resume', 'triggers.reset', 'triggers.remove'] as const) {
      expect((await asked.refusal(name, { name: 'daily' })).code).toBe('TRIGGER_NOT_FOUND');
      expect((await asked.refusal(name, {})).code).toBe('INVALID_INPUT');
      expect((await asked.refusal(name, { name: 'daily' }, 'viewer')).code).toBe('FORBIDDEN');
    }
  });

  it('list and change only the backlog, the longest waiting first', async () => {
    await add('late', once('2020-01-02T00:00:00Z'));
    await add('later', once('2020-01-03T00:00:00Z'));
    await add('latest', once('2020-01-01T00:00:00Z'));
    await add('paused', once('2020-01-01T00:00:00Z'));
    await asked.ask('triggers.pause', { name: 'paused' });
    await add('due tomorrow');
    await add('chained', { cron: undefined, after: 'mail' });
    const backlog = await asked.ask('triggers.list', { backlog: true });
    expect(backlog.items.map(({ key }) => key.name)).toEqual(['latest', 'late', 'later']);
    expect(backlog).toMatchObject({ total: { count: 3, isExact: true }, next: null });
    expect((await asked.ask('overview.show', {})).backlog).toEqual(backlog.total);
    const first = await asked.ask('triggers.list', { backlog: true, limit: 2 });
    expect(await names({ backlog: true, limit: 2, after: first.next })).toEqual(['later']);
    expect((await asked.ask('triggers.list', { backlog: true, limit: 3 })).next).toBeNull();
    expect(await names({ backlog: true, search: 'later' })).toEqual(['later']);
    expect(await names({ backlog: true, paused: true })).toEqual([]);
    const paused = { backlog: true, dryRun: false } as const;
    expect(await asked.ask('triggers.pauseMany', { backlog: true })).toMatchObject({ count: 3 });
    expect(await asked.ask('triggers.pauseMany', paused)).toMatchObject({ count: 3 });
    expect(await names({ paused: true })).toEqual(['late', 'later', 'latest', 'paused']);
    expect(await names({ backlog: true })).toEqual([]);
  });

  it('change many triggers: as a dry run by default, and never all of them without an explicit choice', async () => {
    for (let index = 0; index < 5; index++) await add(`import-${index}`);
    await add('export');
    const filter = { search: 'import' };
    expect(await asked.ask('triggers.pauseMany', filter)).toMatchObject({ count: 5, isExact: true, dryRun: true });
    expect(await names({ paused: true })).toEqual([]);
    const paused = await asked.ask('triggers.pauseMany', { ...filter, dryRun: false, reason: 'audit' });
    expect(paused).toMatchObject({ count: 5, dryRun: false, unconfirmed: [], keys: expect.arrayContaining([]) });
    expect(paused.keys).toHaveLength(5);
    expect(await names({ paused: true })).toHaveLength(5);
    expect((await asked.ask('triggers.show', { name: 'import-3' })).pause).toMatchObject({ reason: 'audit' });
    expect(await asked.ask('triggers.resumeMany', { search: 'import-1', dryRun: false })).toMatchObject({ count: 1 });
    expect(await names({ paused: true })).toHaveLength(4);
    expect(await asked.ask('triggers.removeMany', { ...filter, paused: true, dryRun: false })).toMatchObject({
      count: 4,
    });
    expect(await names({})).toEqual(['export', 'import-1']);
    for (const name of [
      'triggers.pauseMany',
      'triggers.resumeMany',
      'triggers.removeMany',
      'jobs.removeMany',
    ] as const) {
      expect(await asked.refusal(name, {})).toMatchObject({ code: 'INVALID_INPUT', fields: [{ field: 'all' }] });
      expect((await asked.refusal(name, { all: true, search: 'x' })).code).toBe('INVALID_INPUT');
      expect((await asked.refusal(name, { all: true }, 'viewer')).code).toBe('FORBIDDEN');
    }
    expect(await asked.ask('jobs.removeMany', { all: true })).toMatchObject({ count: 2, dryRun: true });
    expect(await asked.ask('jobs.removeMany', { group: 'g', dryRun: false })).toMatchObject({
      keys: [{ name: 'mail', group: 'g' }],
    });
    expect(await asked.ask('jobs.removeMany', { all: true, dryRun: false })).toMatchObject({ count: 1 });
    expect(await names({})).toEqual([]);
  });

  it('find a trigger without its group if only one group has the name, else list the groups', async () => {
    await add('daily', { group: 'sales' });
    await add('dailys', { group: 'x' });
    for (const name of ['triggers.explain', 'triggers.show'] as const)
      expect(await asked.ask(name, { name: 'daily' })).toMatchObject({ state: 'WAITING' });
    expect(await asked.ask('jobs.show', { name: 'mail' })).toMatchObject({ key: { group: 'g' } });
    const inGroup = await asked.refusal('triggers.explain', { name: 'daily', group: 'DEFAULT' });
    expect(inGroup.message).toBe('There is no trigger DEFAULT/daily. Other groups have this name: sales/daily.');
    await add('daily', { group: 'stock' });
    expect(await asked.refusal('triggers.explain', { name: 'daily' })).toMatchObject({
      code: 'TRIGGER_NOT_FOUND',
      message: 'There is no trigger DEFAULT/daily. Other groups have this name: sales/daily, stock/daily.',
    });
    expect((await asked.refusal('triggers.pause', { name: 'daily' })).message).toContain('sales/daily, stock/daily');
    expect((await asked.refusal('triggers.show', { name: 'no%e' })).message).toBe('There is no trigger DEFAULT/no%e.');
    await add('daily');
    expect(await asked.ask('triggers.show', { name: 'daily' })).toMatchObject({ key: { group: 'DEFAULT' } });
  });
});
