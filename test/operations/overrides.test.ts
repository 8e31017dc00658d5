import { type Asked, openAsked, STORES } from './support';

const FILE = (cron: string, extra = '') => `
set: nightly
${extra}
jobs:
  - name: report
    type: noop
    triggers:
      - { name: daily, cron: '${cron}', timeZone: UTC }
      - { name: weekly, cron: '0 0 3 ? * SUN', timeZone: UTC }
`;
const DAILY = { name: 'daily', group: 'DEFAULT' };

describe.each(STORES)('overrides on %s', (store) => {
  let asked: Asked;

  beforeEach(async () => {
    asked = await openAsked(store);
    await asked.ask('schedule.apply', { text: FILE('0 0 6 * * ?'), file: 'plan.yaml' });
  });
  afterEach(() => asked.close());

  const cronOf = async () => (await asked.ask('triggers.show', DAILY)).definition.cron;

  it('are shown with the trigger, in lists and in plans, and stay when the file is applied again', async () => {
    await asked.ask('triggers.edit', { ...DAILY, cron: '0 30 7 * * ?' });
    const shown = await asked.ask('triggers.show', DAILY);
    expect(shown.owner).toMatchObject({ kind: 'file', file: 'plan.yaml', set: 'nightly', onDeclaredEdit: 'override' });
    expect(shown.override).toMatchObject({
      fields: [{ field: 'schedule', by: 'Ada', via: 'http' }],
      declared: { cron: '0 0 6 * * ?' },
    });
    const rows = (await asked.ask('triggers.list', {})).items;
    expect(rows.map(({ key, owner, isOverridden }) => [key.name, owner, isOverridden])).toEqual([
      ['daily', 'file', true],
      ['weekly', 'file', false],
    ]);
    const plan = await asked.ask('schedule.plan', { text: FILE('0 0 8 * * ?'), file: 'plan.yaml' });
    expect(plan.changes.find(({ name }) => name === 'daily')).toMatchObject({
      action: 'unchanged',
      overridden: ['schedule'],
      conflicts: ['schedule'],
    });
    await asked.ask('schedule.apply', { text: FILE('0 0 8 * * ?'), file: 'plan.yaml' });
    expect(await cronOf()).toBe('0 30 7 * * ?');
    const { items } = await asked.ask('overrides.list', {});
    expect(items).toMatchObject([{ what: 'trigger', ...DAILY, override: { declared: { cron: '0 0 8 * * ?' } } }]);
  });

  it('are dropped by one action, which restores the last declaration', async () => {
    await asked.ask('triggers.edit', { ...DAILY, cron: '0 30 7 * * ?' });
    await asked.ask('schedule.apply', { text: FILE('0 0 8 * * ?'), file: 'plan.yaml' });
    expect(await asked.ask('overrides.drop', { what: 'trigger', ...DAILY })).toEqual({ restored: 1 });
    expect(await cronOf()).toBe('0 0 8 * * ?');
    expect((await asked.ask('triggers.show', DAILY)).override).toBeNull();
    expect(await asked.refusal('overrides.drop', { what: 'trigger', ...DAILY })).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('keep a job and its triggers deleted until one action restores all of them', async () => {
    await asked.ask('jobs.remove', { name: 'report' });
    await asked.ask('schedule.apply', { text: FILE('0 0 6 * * ?'), file: 'plan.yaml' });
    expect((await asked.ask('triggers.list', {})).items).toEqual([]);
    expect((await asked.ask('overrides.list', {})).items.map(({ what, name }) => [what, name])).toEqual([
      ['job', 'report'],
      ['trigger', 'daily'],
      ['trigger', 'weekly'],
    ]);
    expect(await asked.ask('overrides.drop', { what: 'job', name: 'report' })).toEqual({ restored: 3 });
    expect((await asked.ask('triggers.list', {})).items.map(({ key }) => key.name)).toEqual(['daily', 'weekly']);
    expect((await asked.ask('overrides.list', {})).items).toEqual([]);
  });

  it('restore the job together with its deleted last trigger', async () => {
    await asked.ask('triggers.remove', { name: 'weekly' });
    await asked.ask('triggers.remove', DAILY);
    await asked.ask('schedule.apply', { text: FILE('0 0 6 * * ?'), file: 'plan.yaml' });
    expect((await asked.ask('jobs.list', {})).items).toEqual([]);
    await asked.ask('overrides.drop', { what: 'trigger', ...DAILY });
    expect((await asked.ask('jobs.show', { name: 'report' })).triggers.map(({ key }) => key.name)).toEqual(['daily']);
  });

  it('are refused if the file sets onDeclaredEdit: refuse', async () => {
    await asked.ask('schedule.apply', { text: FILE('0 0 6 * * ?', 'onDeclaredEdit: refuse'), file: 'plan.yaml' });
    expect(await asked.refusal('triggers.edit', { ...DAILY, cron: '0 30 7 * * ?' })).toMatchObject({
      code: 'DECLARED_ELSEWHERE',
      message: expect.stringMatching(/plan\.yaml/),
    });
    expect(await cronOf()).toBe('0 0 6 * * ?');
  });

  it('keep an edited calendar when the file is applied again', async () => {
    const text = 'calendars: { days: { type: weekly, excludedDays: [SUN], timeZone: UTC } }';
    await asked.ask('schedule.apply', { text, file: 'days.yaml' });
    await asked.ask('calendars.edit', { name: 'days', type: 'weekly', excludedDays: ['SAT'], timeZone: 'UTC' });
    await asked.ask('schedule.apply', { text, file: 'days.yaml' });
    const shown = await asked.ask('calendars.show', { name: 'days' });
    expect(shown).toMatchObject({ definition: { excludedDays: [7] }, override: { declared: { excludedDays: [1] } } });
    await asked.ask('overrides.drop', { what: 'calendar', name: 'days' });
    expect((await asked.ask('calendars.show', { name: 'days' })).definition).toMatchObject({ excludedDays: [1] });
  });

  it('report definitions without a declaration after a set is renamed, until renamedFrom is given', async () => {
    const renamed = (extra: string) =>
      `set: evening\n${extra}\njobs:\n  - { name: report, type: noop, triggers: [{ name: daily, cron: '0 0 6 * * ?', timeZone: UTC }] }\n`;
    const plan = await asked.ask('schedule.plan', { text: renamed(''), file: 'plan.yaml' });
    expect(plan.orphaned).toEqual([{ what: 'trigger', name: 'weekly', group: 'DEFAULT', set: 'nightly' }]);
    const adopted = renamed('renamedFrom: nightly\nprune: all');
    const second = await asked.ask('schedule.plan', { text: adopted, file: 'plan.yaml' });
    expect(second.orphaned).toEqual([]);
    expect(second.changes.filter(({ action }) => action === 'delete').map(({ name }) => name)).toEqual(['weekly']);
    await asked.ask('schedule.apply', { text: adopted, file: 'plan.yaml' });
    expect((await asked.ask('triggers.list', {})).items.map(({ key }) => key.name)).toEqual(['daily']);
  });

  it('report definitions without a declaration after a file is renamed, until renamedFrom is given', async () => {
    const job = (...names: readonly string[]) => {
      const triggers = names.map((name) => `{ name: ${name}, cron: '0 0 6 * * ?', timeZone: UTC }`);
      return `jobs:\n  - { name: bills, type: noop, triggers: [${triggers.join(', ')}] }\n`;
    };
    await asked.ask('schedule.apply', { text: job('first', 'second'), file: 'bills.yaml' });
    const plan = (text: string) => asked.ask('schedule.plan', { text, file: 'invoices.yaml' });
    expect((await plan(job('first'))).orphaned).toEqual([
      { what: 'trigger', name: 'second', group: 'DEFAULT', set: 'bills.yaml' },
    ]);
    const adopted = `renamedFrom: bills.yaml\nprune: all\n${job('first')}`;
    const { orphaned, changes } = await plan(adopted);
    expect(orphaned).toEqual([]);
    expect(changes.filter(({ action }) => action === 'delete').map(({ name }) => name)).toEqual(['second']);
  });

  it('write one log line per set of changes, with the fields', async () => {
    const events: unknown[] = [];
    asked.scheduler.subscribe((event) => void (event.type === 'scheduleChanged' && events.push(event)));
    await asked.ask('triggers.edit', { ...DAILY, cron: '0 30 7 * * ?', description: 'x' });
    await asked.ask('schedule.apply', { text: FILE('0 0 6 * * ?'), file: 'plan.yaml' });
    await asked.ask('triggers.remove', { name: 'weekly' });
    await asked.ask('calendars.add', { name: 'days', type: 'weekly', excludedDays: ['SAT'] });
    await asked.ask('calendars.remove', { name: 'days' });
    const none = { created: 0, changed: 0, deleted: 0, unchanged: 0 };
    const changed = ['trigger DEFAULT/daily: description, schedule'];
    expect(events).toMatchObject([
      { by: 'Ada', ...none, changed: 1, overridden: 1, names: { changed } },
      { by: 'Ada', ...none, deleted: 1, names: { deleted: ['trigger DEFAULT/weekly'] } },
      { by: 'Ada', ...none, created: 1, names: { created: ['calendar days'] } },
      { by: 'Ada', ...none, deleted: 1, names: { deleted: ['calendar days'] } },
    ]);
  });
});
