import type { JobExecutionContext } from '../../src';
import type { InputOf, OperationName } from '../../src/operations/operations';
import { type Asked, openAsked } from './support';

const CRON = '0 0 6 * * ?';

describe('the log of actions', () => {
  let asked: Asked;
  beforeEach(async () => {
    const stays = ({ signal }: JobExecutionContext) =>
      new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    asked = await openAsked('memory', { stays });
    for (const name of ['a', 'b']) await asked.ask('jobs.add', { name, group: 'reports', type: 'noop', durable: true });
    for (const name of ['a', 'b'])
      await asked.ask('triggers.add', { name, group: 'reports', job: { name: 'a', group: 'reports' }, cron: CRON });
  });
  afterEach(() => asked.close());

  const actions = async () => (await asked.ask('actions.list', {})).items;
  const newest = async () => (await actions())[0];
  const fieldsOf = (changes: unknown) =>
    [...(changes as { readonly fields: readonly { readonly field: string }[] }).fields].sort((one, other) =>
      one.field.localeCompare(other.field),
    );

  const BULK = {
    'triggers.pauseMany': { group: 'reports', reason: 'a move' },
    'triggers.resumeMany': { group: 'reports' },
    'triggers.removeMany': { group: 'reports' },
    'jobs.removeMany': { group: 'reports' },
  } satisfies { readonly [Name in OperationName]?: InputOf<Name> };

  it.each(
    Object.entries(BULK),
  )('contains %s with its selection and the keys, but no dry runs', async (name, filter) => {
    const [what] = name.split('.') as [string];
    const before = (await actions()).length;
    const dry = await asked.askAs('admin', name as OperationName, filter);
    expect(dry).toMatchObject({ dryRun: true, count: 2 });
    expect(await actions()).toHaveLength(before);
    await asked.askAs('admin', name as OperationName, { ...filter, dryRun: false });
    expect(await newest()).toMatchObject({
      operation: name,
      target: `${what}: group=reports`,
      changes: { count: 2, [what]: ['reports/a', 'reports/b'] },
      error: null,
    });
    expect(await actions()).toHaveLength(before + 1);
  });

  it('contains a bulk action on everything with the target "all"', async () => {
    await asked.ask('triggers.pauseMany', { all: true, dryRun: false });
    expect(await newest()).toMatchObject({ operation: 'triggers.pauseMany', target: 'triggers: all' });
  });

  it('lists actions of the same millisecond in the order in which they were made', async () => {
    const actor = { name: 'Ada', role: 'admin', via: 'http', from: null };
    const action = { actor, operation: 'jobs.fire', input: {}, changes: null, error: null };
    const targets = Array.from({ length: 200 }, (_, index) => `reports/${index}`);
    for (const target of targets) await asked.control.recordAction({ ...action, target });
    const { items } = await asked.control.listActions({ operation: 'jobs.fire', take: 200 });
    expect(new Set(items.map(({ time }) => time)).size).toBeLessThan(items.length);
    expect(items.map(({ target }) => target).reverse()).toEqual(targets);
  });

  it('contains an interrupt with its job', async () => {
    await asked.ask('jobs.add', { name: 'long', group: 'reports', type: 'stays', durable: true });
    const started = new Promise<string>((resolve) => {
      asked.scheduler.subscribe((event) => event.type === 'jobStarted' && resolve(event.firing.runId));
    });
    await asked.scheduler.start();
    await asked.ask('jobs.fire', { name: 'long', group: 'reports' });
    const runId = await started;
    await asked.ask('firings.interrupt', { runId });
    expect(await newest()).toMatchObject({ operation: 'firings.interrupt', target: `reports/long (${runId})` });
  });

  it('contains the edit of a trigger with the old and new value of each changed field', async () => {
    const data = { to: 'ops', token: 'hunter2' };
    await asked.ask('triggers.edit', { name: 'a', group: 'reports', cron: '0 0 7 * * ?', priority: 7, data });
    const action = await newest();
    expect(action).toMatchObject({ operation: 'triggers.edit', target: 'reports/a' });
    expect(fieldsOf(action?.changes)).toEqual([
      { field: 'cron', before: CRON, after: '0 0 7 * * ?' },
      { field: 'data.to', after: 'ops' },
      { field: 'data.token', after: '***' },
      { field: 'priority', after: 7 },
    ]);
  });

  it('contains the edit of a calendar with the old and new value of each changed field', async () => {
    const days = { name: 'days', type: 'weekly', timeZone: 'UTC' } as const;
    await asked.ask('calendars.add', { ...days, excludedDays: ['SAT'], description: 'before' });
    await asked.ask('calendars.edit', { ...days, excludedDays: ['SUN'], description: 'https://u:hunter2@h/' });
    const action = await newest();
    expect(action).toMatchObject({ operation: 'calendars.edit', target: 'days' });
    expect(fieldsOf(action?.changes)).toEqual([
      { field: 'description', before: 'before', after: 'https://***@h/' },
      { field: 'excludedDays', before: [7], after: [1] },
    ]);
  });
});
