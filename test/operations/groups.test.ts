import { type Asked, openAsked, STORES } from './support';

describe.each(STORES)('groups on the %s store', (store) => {
  let asked: Asked;

  beforeEach(async () => {
    asked = await openAsked(store);
    await asked.ask('jobs.add', { name: 'mail', group: 'mails', type: 'noop', durable: true });
    await add('daily');
  });

  afterEach(() => asked.close());

  const add = (name: string, group = 'reports') =>
    asked.ask('triggers.add', { name, group, job: { name: 'mail', group: 'mails' }, cron: '0 0 12 * * ?' });
  const states = async () => (await asked.ask('triggers.list', {})).items.map(({ state }) => state);
  const reasons = async (name: string) => {
    const { reasons: found } = await asked.ask('triggers.explain', { name, group: 'reports' });
    return found.map(({ text }) => text).join(' ');
  };

  it('are listed, paused including triggers added later, and resumed', async () => {
    await asked.ask('groups.pause', { name: 'reports', reason: 'audit' });
    await asked.ask('groups.pause', { name: 'empty' });
    expect((await asked.ask('groups.list', {})).items).toMatchObject([
      { of: 'triggers', name: 'empty', isPaused: true, pause: { by: 'Ada' } },
      { of: 'triggers', name: 'reports', isPaused: true, pause: { reason: 'audit', holdsRetries: true } },
      { of: 'jobs', name: 'mails', isPaused: false, pause: null },
    ]);
    expect(await add('weekly')).toMatchObject({ startsPaused: true });
    expect(await states()).toEqual(['PAUSED', 'PAUSED']);
    await asked.ask('groups.resume', { name: 'reports' });
    expect(await states()).toEqual(['WAITING', 'WAITING']);
    expect(await add('monthly')).toMatchObject({ startsPaused: false });
    expect((await asked.ask('groups.list', { limit: 1 })).items).toMatchObject([{ name: 'empty' }]);
  });

  it('are paused and resumed for jobs', async () => {
    await asked.ask('groups.pause', { name: 'mails', of: 'jobs', reason: 'audit' });
    expect((await asked.ask('groups.list', {})).items).toMatchObject([
      { of: 'triggers', name: 'reports', isPaused: false },
      { of: 'jobs', name: 'mails', isPaused: true, pause: { reason: 'audit' } },
    ]);
    expect(await states()).toEqual(['PAUSED']);
    expect(await reasons('daily')).toContain('Its job group mails was paused at ');
    await asked.ask('groups.resume', { name: 'mails', of: 'jobs' });
    expect(await states()).toEqual(['WAITING']);
  });

  it('are paged by the name of the last group', async () => {
    for (const group of ['a', 'b', 'c']) await add('x', group);
    const names: string[] = [];
    let after: string | undefined;
    do {
      const page = await asked.ask('groups.list', { limit: 2, ...(after !== undefined && { after }) });
      names.push(...page.items.map(({ name }) => name));
      after = page.next ?? undefined;
    } while (after !== undefined);
    expect(names).toEqual(['a', 'b', 'c', 'reports', 'mails']);
  });

  it('are shown with the triggers that they pause', async () => {
    await asked.ask('groups.pause', { name: 'reports', reason: 'audit' });
    expect(await asked.ask('triggers.show', { name: 'daily', group: 'reports' })).toMatchObject({
      pauseText: 'Its group reports is paused',
      pause: { by: 'Ada', reason: 'audit' },
    });
    expect(await reasons('daily')).toMatch(/^Its group reports was paused at \S+ by Ada: audit\./);
    await asked.ask('groups.resume', { name: 'reports' });
    await asked.scheduler.pauseTriggers({ operator: 'equals', value: 'reports' });
    await add('weekly');
    expect(await reasons('weekly')).toMatch(/^Its group reports is paused\. /);
    await asked.ask('groups.resume', { name: 'reports' });
    await asked.ask('scheduler.pauseAll', {});
    expect(await reasons('daily')).toMatch(/^Everything was paused at \S+ by Ada\./);
    await asked.ask('scheduler.resumeAll', {});
    expect(await asked.ask('triggers.show', { name: 'daily', group: 'reports' })).toMatchObject({ pauseText: null });
  });

  it('are shown in a plan with the triggers that they would pause', async () => {
    await asked.ask('groups.pause', { name: 'reports' });
    const text =
      'triggers:\n  - { name: new, group: reports, job: { name: mail, group: mails }, cron: 0 0 12 * * ? }\n';
    const { changes } = await asked.ask('schedule.plan', { text });
    expect(changes).toMatchObject([{ action: 'create', what: 'trigger', name: 'new', startsPaused: true }]);
  });
});
