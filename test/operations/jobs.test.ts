import { newJob, newTrigger, simpleSchedule } from '../../src';
import { proves } from '../support/proves';
import { type Asked, openAsked, STORES } from './support';

const DAILY = { name: 'daily', cron: '0 0 3 * * ?' } as const;

describe.each(STORES)('operations on jobs (%s)', (store) => {
  let asked: Asked;

  beforeAll(async () => {
    asked = await openAsked(store);
  });
  afterEach(() => asked.scheduler.clear());
  afterAll(() => asked.close());

  const add = (name: string, fields: object = {}) =>
    asked.ask('jobs.add', { name, type: 'noop', durable: true, ...fields } as never);

  it('list them by name and group, page by page, with filters', async () => {
    for (const [name, group] of [
      ['b', 'x'],
      ['a', 'x'],
      ['a', 'w'],
      ['C', 'w'],
    ] as const)
      await add(name, { group });
    const first = await asked.ask('jobs.list', { limit: 3 });
    expect(first.items.map(({ key }) => key)).toEqual([
      { name: 'C', group: 'w' },
      { name: 'a', group: 'w' },
      { name: 'a', group: 'x' },
    ]);
    expect(first.total).toEqual({ count: 4, isExact: true });
    const rest = await asked.ask('jobs.list', { limit: 3, after: first.next as string });
    expect(rest).toMatchObject({ items: [{ key: { name: 'b', group: 'x' }, type: 'noop' }], next: null, total: null });
    expect((await asked.ask('jobs.list', { group: 'w', search: 'c' })).items).toHaveLength(1);
    expect((await asked.ask('jobs.list', { type: 'other' })).items).toEqual([]);
    expect(await asked.refusal('jobs.list', { after: '["a"]' })).toMatchObject({
      code: 'INVALID_INPUT',
      fields: [{ field: 'after' }],
    });
    expect(await asked.refusal('jobs.list', { limit: 0 })).toMatchObject({ fields: [{ field: 'limit' }] });
  });

  it('take group/name as a name', async () => {
    await add('reports/daily', { triggers: [{ name: 'reports/nightly', cron: '0 0 3 * * ?' }] });
    expect((await asked.ask('jobs.show', { name: 'reports/daily' })).key).toEqual({ group: 'reports', name: 'daily' });
    expect((await asked.ask('triggers.list', { job: 'reports/daily' })).items).toHaveLength(1);
    expect((await asked.ask('triggers.list', { job: 'daily', jobGroup: 'reports' })).items).toHaveLength(1);
    expect((await asked.ask('triggers.list', { search: 'reports/night' })).items).toHaveLength(1);
    expect(await asked.refusal('jobs.show', { name: 'reports/daily', group: 'DEFAULT' })).toMatchObject({
      code: 'JOB_NOT_FOUND',
    });
  });

  it('show a job in the form of a schedule file, with its triggers and without its secrets', async () => {
    await add('report', {
      group: 'g',
      durable: false,
      retry: 'R3/PT5M',
      data: { to: 'ada', password: 'hush', nested: { apiKey: 'hush', port: 1 } },
      triggers: [DAILY, { name: 'hourly', simple: { interval: 'PT1H' }, startAt: '2099-01-01T00:00:00Z' }],
    });
    const shown = await asked.ask('jobs.show', { name: 'report', group: 'g' });
    expect(shown.definition).toEqual({
      name: 'report',
      group: 'g',
      type: 'noop',
      retry: 'R3/PT5M',
      data: { to: 'ada', password: '***', nested: { apiKey: '***', port: 1 } },
    });
    expect(shown.triggers).toMatchObject([
      { key: { name: 'daily', group: 'g' }, kind: 'cron', schedule: '0 0 3 * * ?', timeZone: 'Europe/Berlin' },
      { key: { name: 'hourly', group: 'g' }, kind: 'simple', nextFireTime: '2099-01-01T00:00:00.000Z' },
    ]);
    expect(shown).toMatchObject({ triggerTotal: { count: 2 }, status: { lastRun: null, runs: 0 } });
    expect(shown.version).toMatch(/^[\w-]{22}$/);
    expect(await asked.refusal('jobs.show', { name: 'reports' })).toMatchObject({ code: 'JOB_NOT_FOUND' });
  });

  it('store a job with its triggers, or store nothing and report every problem', async () => {
    expect(
      await asked.refusal('jobs.add', {
        name: 'report',
        type: 'noop',
        timeout: 'soon',
        triggers: [DAILY, { name: 'bad', cron: '0 0 25 * * ?' }],
      }),
    ).toMatchObject({
      code: 'INVALID_INPUT',
      fields: [
        { field: 'timeout' },
        { field: 'triggers[1].cron', message: expect.stringContaining('25 is out of range'), offset: 4 },
      ],
    });
    expect(await asked.refusal('jobs.add', { name: 'report', type: 'noop' })).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('durable'),
    });
    expect(await asked.refusal('jobs.add', { name: 'report', type: 'unheard of', durable: true })).toMatchObject({
      code: 'UNKNOWN_JOB_TYPE',
    });
    expect((await asked.ask('jobs.list', {})).items).toEqual([]);
    await add('report', { durable: false, triggers: [DAILY] });
    expect(await asked.refusal('jobs.add', { name: 'report', type: 'noop', durable: true })).toMatchObject({
      code: 'OBJECT_ALREADY_EXISTS',
    });
    expect(await asked.refusal('jobs.add', { name: 'x' }, 'operator')).toMatchObject({ code: 'FORBIDDEN' });
  });

  it('change only the given fields', async () => {
    const { version } = await add('report', { description: 'old', data: { token: 'hush', to: 'ada' }, retry: 3 });
    const done = await asked.ask('jobs.edit', {
      name: 'report',
      type: 'other',
      data: { token: '***', to: 'bob' },
      clear: ['description'],
      ifVersion: version,
    });
    expect(done).toMatchObject({ status: 'replaced', version: expect.not.stringMatching(version) });
    expect(await asked.scheduler.getJobDetail('report')).toMatchObject({
      jobType: 'other',
      description: null,
      durable: true,
      data: { token: 'hush', to: 'bob' },
      policy: { retry: { max: 3, delays: [60_000] } },
    });
  });

  it('change nothing if the definition is the shown one', async () => {
    await add('report', { description: 'x', data: { token: 'hush' }, history: 'all', runsOn: ['a'] });
    const { definition, version } = await asked.ask('jobs.show', { name: 'report' });
    const stored = await asked.scheduler.getJobDetail('report');
    expect(await asked.ask('jobs.edit', { ...definition, ifVersion: version } as never)).toEqual({
      status: 'unchanged',
      version,
    });
    expect(await asked.scheduler.getJobDetail('report')).toEqual(stored);
  });

  it('refuse an edit of a changed or missing job, and an invalid edit', async () => {
    proves('errors', 'CHANGED_MEANWHILE');
    const { version } = await add('report');
    await asked.ask('jobs.edit', { name: 'report', description: 'mine' });
    const stored = await asked.scheduler.getJobDetail('report');
    const refused = async (input: object) => (await asked.refusal('jobs.edit', { name: 'report', ...input })).code;
    expect(await refused({ description: 'yours', ifVersion: version })).toBe('CHANGED_MEANWHILE');
    expect(await refused({ retry: 'often' })).toBe('INVALID_INPUT');
    expect(await refused({ data: { password: '***' } })).toBe('INVALID_INPUT');
    expect(await refused({ type: 'unheard of' })).toBe('UNKNOWN_JOB_TYPE');
    expect(await refused({ durable: false })).toBe('INVALID_ARGUMENT');
    expect(await refused({ nonsense: 1 })).toBe('INVALID_INPUT');
    expect((await asked.refusal('jobs.edit', { name: 'nobody' })).code).toBe('JOB_NOT_FOUND');
    expect((await asked.refusal('jobs.edit', { name: 'report' }, 'operator')).code).toBe('FORBIDDEN');
    expect(await asked.scheduler.getJobDetail('report')).toEqual(stored);
  });

  it('compare the version in the transaction that writes: of two edits of one version, one is refused', async () => {
    const { version } = await add('report');
    const edits = await Promise.allSettled(
      ['a', 'b', 'c'].map((description) => asked.ask('jobs.edit', { name: 'report', description, ifVersion: version })),
    );
    const refused = edits.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []));
    expect(refused).toEqual(['CHANGED_MEANWHILE', 'CHANGED_MEANWHILE']);
  });

  it('apply two edits of different fields without a version', async () => {
    await add('report');
    await Promise.all([
      asked.ask('jobs.edit', { name: 'report', description: 'a' }),
      asked.ask('jobs.edit', { name: 'report', requestsRecovery: true }),
    ]);
    expect(await asked.scheduler.getJobDetail('report')).toMatchObject({ description: 'a', requestsRecovery: true });
  });

  it('delete a job with its triggers', async () => {
    await add('report', { triggers: [DAILY, { name: 'other', cron: '0 0 4 * * ?' }] });
    expect((await asked.refusal('jobs.remove', { name: 'report', ifVersion: 'x' })).code).toBe('CHANGED_MEANWHILE');
    expect((await asked.refusal('jobs.remove', { name: 'report' }, 'operator')).code).toBe('FORBIDDEN');
    expect(await asked.ask('jobs.remove', { name: 'report' })).toEqual({ triggers: 2 });
    expect((await asked.refusal('jobs.remove', { name: 'report' })).code).toBe('JOB_NOT_FOUND');
  });

  it('fire, pause, resume and interrupt a job', async () => {
    await add('report', { triggers: [DAILY] });
    const { trigger } = await asked.ask('jobs.fire', { name: 'report', data: { to: 'bob' } });
    expect(await asked.scheduler.getTrigger(trigger)).toMatchObject({
      data: { to: 'bob' },
      jobKey: { name: 'report' },
    });
    const until = '2099-01-01T00:00:00.000Z';
    await asked.ask('jobs.pause', { name: 'report', reason: 'audit', until });
    expect((await asked.ask('jobs.show', { name: 'report' })).triggers).toMatchObject([
      { state: 'PAUSED', pause: { reason: 'audit', by: 'Ada', until } },
      { state: 'PAUSED' },
    ]);
    await asked.ask('jobs.resume', { name: 'report' });
    expect(await asked.scheduler.getTriggerState('daily')).toBe('WAITING');
    expect(await asked.ask('jobs.interrupt', { name: 'report' })).toEqual({ interrupted: false });
    for (const name of ['jobs.fire', 'jobs.pause', 'jobs.resume', 'jobs.interrupt'] as const) {
      expect((await asked.refusal(name, { name: 'nobody' })).code).toBe('JOB_NOT_FOUND');
      expect((await asked.refusal(name, { name: '' })).code).toBe('INVALID_INPUT');
      expect((await asked.refusal(name, { name: 'report' }, 'viewer')).code).toBe('FORBIDDEN');
    }
  });

  it('interrupt a run', async () => {
    let begun = () => {};
    const running = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const waiting = async ({ signal }: { readonly signal: AbortSignal }) => {
      begun();
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    };
    const other = await openAsked(store, { waiting });
    try {
      await other.scheduler.start();
      await other.scheduler.scheduleJob(
        newJob('waiting').withIdentity('waiting').build(),
        newTrigger().withIdentity('now').withSchedule(simpleSchedule()).build(),
      );
      await running;
      expect(await other.ask('jobs.interrupt', { name: 'waiting' })).toEqual({ interrupted: true });
    } finally {
      await other.close();
    }
  });
});
