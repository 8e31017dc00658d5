import { loadConfig } from '../../src/config/load-config';
import { parseDocument } from '../../src/config/read-document';
import { readSchedule } from '../../src/definitions/parse-schedule-file';
import type { InputOf, OperationName } from '../../src/operations/operations';
import { OPERATIONS } from '../../src/operations/operations';
import { perform } from '../../src/operations/perform';
import { controlOf, type SchedulerControl } from '../../src/scheduler/control';
import { planFiles } from '../../src/scheduler/database-tools';
import { describeOnFileAndServer } from './support/engines';
import { type Local, LocalSchedulers } from './support/local-schedulers';
import type { Tables } from './support/tables';

type Rules = 'safe' | 'quartz';
type ClockChanges = 'quartz' | 'natural';

describeOnFileAndServer((newTables) => {
  let tables: Tables;
  let local: LocalSchedulers;

  beforeEach(async () => {
    tables = await newTables();
    local = new LocalSchedulers(tables);
  });
  afterEach(async () => {
    await local.shutdown();
    await tables.drop();
  });

  const create = (instanceId: string, rules: Rules, clockChanges: ClockChanges = 'quartz') =>
    local.create(instanceId, { scheduler: { rules, clockChanges }, jobs: { noop: async () => {} } });
  /** A scheduler like that of a command on the database, which is not a node. */
  const command = () => local.create('command', { assemble: { isObserver: true } });

  function ask<Name extends OperationName>({ scheduler }: Local, name: Name, input: InputOf<Name>) {
    const control = controlOf(scheduler) as SchedulerControl;
    const actor = { name: 'ann', role: 'admin', via: 'command', from: null } as const;
    const context = { scheduler, control, actor, signal: new AbortController().signal };
    return perform({ name, operation: OPERATIONS[name] as never, input }, context);
  }

  it('a node whose rules differ from those of the first is refused, until `rules set` changes them', async () => {
    const { scheduler: first } = await create('first', 'safe');
    await expect(create('second', 'quartz')).rejects.toMatchObject({
      code: 'CONFIGURATION',
      message: expect.stringMatching(/'safe'.*'quartz'.*`quartz rules set quartz`/),
    });
    await create('third', 'safe');
    await first.shutdown();
    expect(await ask(await command(), 'rules.set', { rules: 'quartz' })).toEqual({ status: 'changed' });
    await create('second', 'quartz');
    await expect(create('first', 'safe')).rejects.toMatchObject({ code: 'CONFIGURATION' });
  });

  it('a node that was created before the rules changed is refused when it starts', async () => {
    const { scheduler } = await create('prepared', 'safe');
    await ask(await command(), 'rules.set', { rules: 'quartz' });
    await expect(scheduler.start()).rejects.toMatchObject({ code: 'CONFIGURATION' });
  });

  it('a node whose clock changes differ is refused, until `rules set` changes them', async () => {
    await create('first', 'safe');
    await expect(create('second', 'safe', 'natural')).rejects.toMatchObject({
      code: 'CONFIGURATION',
      message: expect.stringMatching(
        /scheduler.clockChanges: 'quartz'.*'natural'.*`quartz rules set safe --clock-changes natural`/,
      ),
    });
    const observer = await command();
    expect(await ask(observer, 'rules.set', { rules: 'safe', clockChanges: 'natural' })).toEqual({ status: 'changed' });
    expect(await ask(observer, 'rules.set', { rules: 'safe' })).toEqual({ status: 'unchanged' });
    expect(await ask(observer, 'rules.show', {})).toMatchObject({ rules: 'safe', clockChanges: 'natural' });
    await create('second', 'safe', 'natural');
  });

  it('either a start or a concurrent change of the rules is refused', async () => {
    for (let round = 0; round < 5; round++) {
      const { scheduler } = await create(`node-${round}`, 'safe');
      const [started, set] = await Promise.allSettled([
        scheduler.start(),
        ask(await command(), 'rules.set', { rules: 'quartz' }),
      ]);
      expect([started.status, set.status].sort()).toEqual(['fulfilled', 'rejected']);
      await scheduler.shutdown();
      await ask(await command(), 'rules.set', { rules: 'safe' });
    }
  });

  it('a plan of a schedule file uses the stored rules instead of the configured rules', async () => {
    const { scheduler } = await create('first', 'safe', 'natural');
    const control = controlOf(scheduler) as SchedulerControl;
    const document = await parseDocument(
      "jobs: [{ name: nightly, type: noop, triggers: [{ name: nightly, cron: '0 30 2 * * ?' }] }]",
      'schedule.yaml',
    );
    const file = readSchedule(document, { timeZone: 'Europe/Berlin', now: control.now() });
    await control.applyDeclared(file.changes, file.declared);
    const { config } = await loadConfig({ ...tables.config, scheduler: { instanceName: 'local' } });
    const { sql } = config.jobStore;
    if (sql === undefined) throw new TypeError('expected a database');
    const { changes } = await planFiles({ ...config, sql }, [file], { misfireThreshold: 60_000, onWarning: () => {} });
    expect(changes.map(({ action, what }) => `${action} ${what}`)).toEqual(['unchanged job', 'unchanged trigger']);
  });

  it('`rules set` is refused while nodes run, and by a node that serves the request', async () => {
    const node = await create('running', 'safe');
    await node.scheduler.start();
    const observer = await command();
    const set = (by: Local) => ask(by, 'rules.set', { rules: 'quartz' });
    await expect(set(observer)).rejects.toMatchObject({
      code: 'SCHEDULER_STATE',
      message: expect.stringContaining('running'),
    });
    await expect(set(node)).rejects.toMatchObject({
      code: 'SCHEDULER_STATE',
      message: expect.stringContaining('serves this request'),
    });
    expect(await ask(observer, 'rules.show', {})).toMatchObject({ rules: 'safe' });
    expect(await ask(node, 'rules.set', { rules: 'safe' })).toEqual({ status: 'unchanged' });
    await node.scheduler.shutdown();
    expect(await set(observer)).toEqual({ status: 'changed' });
    expect(await ask(observer, 'rules.show', {})).toEqual({
      rules: 'quartz',
      clockChanges: 'quartz',
      differences: [],
    });
  });

  it.each([
    ['safe', ['warning']],
    ['quartz', []],
  ] as const)("with a live Java node, the doctor's findings for the rules %s are %j", async (rules, severities) => {
    const node = await create('here', rules);
    const inAnHour = Date.now() + 3_600_000;
    await tables.query(`INSERT INTO QRTZ_SCHEDULER_STATE VALUES ('local', 'java', ${inAnHour}, 7500)`);
    const { items } = (await ask(node, 'doctor.check', {})) as { items: { id: string; severity: string }[] };
    const found = items.filter(({ id }) => id === 'rulesBesideJava');
    expect(found.map(({ severity }) => severity)).toEqual(severities);
    for (const each of found) {
      expect(each).toMatchObject({ found: expect.stringMatching(/java.*end times.*clock changes/) });
    }
  });
});
