import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scheduler } from '../../src/api/scheduler';
import { systemRandom } from '../../src/base/ids';
import { runProgram } from '../../src/cli/program';
import { createScheduler } from '../../src/scheduler/create-scheduler';
import { mysqlTables } from '../cluster/support/tables';
import { ask, closeAll, testConsole } from '../console/support';
import { describeOnOneServer, sharedServer } from '../support/database/test-database';
import { memoryOutput } from '../support/memory-output';
import { DatabaseSync } from '../support/sqlite';
import { actingOn } from './faces/furnished';

const FAR = 253_402_300_800_000; // the first instant of the year 10000
const BEYOND = 9_007_199_254_740_991; // beyond the range of Date

const BROKEN_JOB = "UPDATE QRTZ_JOB_DETAILS SET JOB_DATA = X'7B' WHERE JOB_NAME = 'works'";
const BROKEN_CALENDAR = "UPDATE QRTZ_CALENDARS SET CALENDAR = X'ACED00057372'";

interface Named {
  readonly name: string;
}

/** Operations that list rows. */
const LISTS = [
  'triggers.list',
  'jobs.list',
  'calendars.list',
  'runs.list',
  'deadLetters.list',
  'pauses.list',
  'firings.list',
  'nodes.list',
  'actions.list',
  'backfills.list',
  'occurrences.list',
  'overdue.list',
  'overview.show',
  'doctor.check',
] as const;

/** A scheduler with a row in each table, which has run a job that failed. */
async function filled({ jobStore, ...config }: { readonly jobStore: object }, instanceName = 'S'): Promise<Scheduler> {
  const given = {
    scheduler: { instanceName, logLevel: 'silent' },
    ...{ ...config, jobStore: { ...jobStore, schema: 'create', storeThread: false, history: 'all' } },
  };
  const jobs = { works: async () => {}, fails: () => Promise.reject(new Error('no')) };
  const scheduler = await createScheduler(given as never, { jobs });
  const act = actingOn(scheduler);
  await act('calendars.add', { name: 'sundays', type: 'weekly', excludedDays: ['SUN'], timeZone: 'UTC' });
  await scheduler.schedule('works', { every: '1h' });
  await scheduler.schedule('fails', { at: new Date(), retry: false } as never);
  await act('triggers.pause', { name: 'works', group: 'DEFAULT', reason: 'a move' });
  await act('triggers.resume', { name: 'works', group: 'DEFAULT' });
  await scheduler.start();
  while ((await scheduler.listRuns()).items.length < 1) await new Promise((resolve) => setTimeout(resolve, 20));
  return scheduler;
}

describe('a strange row', () => {
  const file = join(tmpdir(), `quartz-strange-${systemRandom.token(12)}.db`);
  let scheduler: Scheduler;
  let act: ReturnType<typeof actingOn>;

  beforeEach(async () => {
    scheduler = await filled({ jobStore: { class: 'sqlite', path: file } });
    act = actingOn(scheduler);
  });
  afterEach(async () => {
    await scheduler.shutdown();
    for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true });
  });

  function damage(sql: string): void {
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
  }

  it.each([
    ['a run with an invalid end time', `UPDATE QRTZ_X_RUNS SET ENDED_TIME = ${BEYOND}`],
    ['a run with an invalid scheduled time', `UPDATE QRTZ_X_RUNS SET SCHED_TIME = ${BEYOND}`],
    [
      'a run after the year 9999',
      `UPDATE QRTZ_X_RUNS SET SCHED_TIME = ${FAR}, FIRED_TIME = ${FAR}, ENDED_TIME = ${FAR}`,
    ],
    ['a run with an unknown outcome', "UPDATE QRTZ_X_RUNS SET OUTCOME = 'zzz'"],
    [
      'a run whose detail has another shape',
      `UPDATE QRTZ_X_RUNS SET DETAIL = '{"metrics":{"a":"b"},"lines":[null,5,{"at":"x"}],"shard":{"index":"x"},"stack":1,"job":2}'`,
    ],
    ['a run whose detail is a list', "UPDATE QRTZ_X_RUNS SET DETAIL = '[1]'"],
    ['an action after the year 9999', `UPDATE QRTZ_X_ACTIONS SET ACTION_TIME = ${FAR}`],
    ['an action whose input is not JSON', "UPDATE QRTZ_X_ACTIONS SET INPUT = '{'"],
    ['a node that started after the year 9999', `UPDATE QRTZ_X_NODES SET STARTED_AT = ${FAR}`],
    ['a trigger that fires after the year 9999', `UPDATE QRTZ_TRIGGERS SET NEXT_FIRE_TIME = ${FAR}`],
    ['a trigger with an invalid previous fire time', `UPDATE QRTZ_TRIGGERS SET PREV_FIRE_TIME = ${BEYOND}`],
    [
      'a pause of an unknown kind',
      "INSERT INTO QRTZ_X_PAUSES SELECT SCHED_NAME, 'zzz', 'D', 'x', NULL, NULL, 1, 9000000000000000, 0 FROM QRTZ_TRIGGERS LIMIT 1",
    ],
    [
      'an expectation after the year 9999',
      `INSERT INTO QRTZ_X_EXPECTATIONS SELECT SCHED_NAME, 'j', 'DEFAULT', 'job', 'j', 'DEFAULT', 1000, ${FAR}, 1, NULL, '0' FROM QRTZ_TRIGGERS LIMIT 1`,
    ],
    ['a job whose data is not JSON', BROKEN_JOB],
    ['a calendar that Java serialised', BROKEN_CALENDAR],
  ])('does not hide other rows: %s', async (_, sql) => {
    damage(sql);
    for (const name of LISTS)
      await expect([name, await act(name, {}).then(() => 'answered', String)]).toEqual([name, 'answered']);
  });

  it('is shown with its key and the reason why its other fields cannot be shown', async () => {
    damage(`UPDATE QRTZ_X_RUNS SET SCHED_TIME = ${BEYOND}`);
    const { items } = (await act('runs.list', {})) as { items: Record<string, unknown>[] };
    expect(items.filter(({ error }) => error !== null)).toMatchObject([
      {
        job: { name: 'fails' },
        error: 'no',
        unreadable: expect.stringMatching(/^scheduledFireTime: expected a time such/),
      },
    ]);
  });

  it('is shown over HTTP and by commands, with the other rows', async () => {
    await scheduler.schedule('fails', { every: '1h' });
    damage("UPDATE QRTZ_TRIGGERS SET JOB_DATA = X'7B' WHERE TRIGGER_NAME = 'works'");
    const rowsOf = ({ items }: { readonly items: readonly { readonly key: Named; readonly unreadable: unknown }[] }) =>
      items.map(({ key, unreadable }) => [key.name, unreadable !== null]).sort();
    const rows = [
      ['fails', false],
      ['works', true],
    ];
    const { status, body } = await ask(testConsole(scheduler), 'api/schedulers/S/triggers');
    expect([status, rowsOf(body)]).toEqual([200, rows]);
    const config = `${file}.yaml`;
    writeFileSync(config, `scheduler: { instanceName: S }\njobStore: { class: sqlite, path: ${file} }\n`);
    const listed = async (...options: string[]) => {
      const { output, stdout, stderr } = memoryOutput();
      const words = ['triggers', 'list', ...options, '--config', config];
      const code = await runProgram(words, { output, env: {}, folder: tmpdir() });
      return { code, shown: stdout(), noted: stderr() };
    };
    const json = await listed('--json');
    expect([json.code, rowsOf(JSON.parse(json.shown))]).toEqual([0, rows]);
    const table = await listed();
    expect(table.code).toBe(0);
    for (const [name] of rows) expect(table.shown).toContain(name);
    expect(table.shown + table.noted).not.toMatch(/ZodError|invalid_type|Invalid input/);
    rmSync(config);
    await closeAll();
  });

  it('that holds a job or a calendar is shown with its key and the unreadable part', async () => {
    damage(`${BROKEN_JOB}; ${BROKEN_CALENDAR}`);
    expect(await act('jobs.list', {})).toMatchObject({
      items: [{ key: { name: 'works' }, unreadable: expect.stringContaining('not valid JSON') }],
    });
    // Only Java can read the calendar, so that only its name is known.
    expect(await act('calendars.list', {})).toMatchObject({ items: [{ name: 'sundays', type: null }] });
  });

  it('may have a fire time after the year 9999, which a preview shows', async () => {
    const preview = { simple: { interval: 'PT24H' }, timeZone: 'UTC', startAt: '9999-12-31T00:00', count: 2 };
    expect(await act('cron.preview', preview)).toMatchObject({
      fireTimes: [{ time: '9999-12-31T00:00:00.000Z' }, { time: '+010000-01-01T00:00:00.000Z' }],
    });
  });

  it('with a far but valid time is shown unchanged', async () => {
    await scheduler.schedule('works', { at: new Date(8.64e15) });
    const { items } = (await act('triggers.list', {})) as { items: Record<string, unknown>[] };
    expect(items.map(({ nextFireTime }) => nextFireTime)).toContain('+275760-09-13T00:00:00.000Z');
  });

  it('that holds a calendar serialised by Java is replaced on request, and the error explains how', async () => {
    const days = { name: 'days', type: 'weekly', excludedDays: ['SAT'], timeZone: 'UTC' };
    await act('calendars.add', days);
    await scheduler.schedule('works', { cron: '0 0 3 * * ?', calendar: 'days' } as never);
    damage("UPDATE QRTZ_CALENDARS SET CALENDAR = X'ACED00057372'");
    const refused = { code: 'INVALID_CALENDAR', message: expect.stringContaining('calendars edit <name> --replace') };
    await expect(act('calendars.edit', days)).rejects.toMatchObject(refused);
    await expect(act('calendars.show', { name: 'days' })).rejects.toMatchObject(refused);
    const readBefore = { ...days, replace: true, ifVersion: 'x' };
    await expect(act('calendars.edit', readBefore)).rejects.toMatchObject({ code: 'CHANGED_MEANWHILE' });
    await expect(act('calendars.edit', { ...days, name: 'none', replace: true })).rejects.toMatchObject({
      code: 'CALENDAR_NOT_FOUND',
    });
    expect(await act('calendars.edit', { ...days, replace: true })).toMatchObject({ status: 'replaced' });
    expect(await act('calendars.show', { name: 'days' })).toMatchObject({ type: 'weekly', timeZone: 'UTC' });
  });

  it('stays when a calendar with its name is added, and can be deleted if nothing refers to it', async () => {
    damage(BROKEN_CALENDAR);
    const added = act('calendars.add', { name: 'sundays', type: 'weekly', excludedDays: ['SAT'], timeZone: 'UTC' });
    await expect(added).rejects.toMatchObject({ code: 'OBJECT_ALREADY_EXISTS' });
    expect(await act('calendars.list', {})).toMatchObject({ items: [{ name: 'sundays', type: null }] });
    await act('calendars.remove', { name: 'sundays' });
    expect(await act('calendars.list', {})).toMatchObject({ items: [] });
  });
});

/** Values that a server can store; SQLite stores any value in any column. */
describeOnOneServer('a strange row on a server', () => {
  let tables: Awaited<ReturnType<typeof mysqlTables>>;

  beforeAll(async () => {
    tables = await mysqlTables(await sharedServer());
  });
  afterAll(() => tables.drop());

  it.each([
    ['the largest time that the column holds', 'UPDATE QRTZ_TRIGGERS SET NEXT_FIRE_TIME = 9223372036854775807'],
    ['the smallest time that the column holds', 'UPDATE QRTZ_TRIGGERS SET PREV_FIRE_TIME = -9223372036854775808'],
    ['a number instead of a flag', "UPDATE QRTZ_JOB_DETAILS SET IS_DURABLE = '7'"],
    ['bytes that are not text', "UPDATE QRTZ_TRIGGERS SET JOB_DATA = X'FFFE00C328' WHERE TRIGGER_NAME = 'works'"],
    ['a run with the largest time', 'UPDATE QRTZ_X_RUNS SET SCHED_TIME = 9223372036854775807'],
    ['an action with the largest time', 'UPDATE QRTZ_X_ACTIONS SET ACTION_TIME = 9223372036854775807'],
  ])('does not hide other rows: %s', async (what, sql) => {
    const scheduler = await filled(tables.config as never, what);
    try {
      const act = actingOn(scheduler);
      await scheduler.schedule('fails', { every: '1h' });
      await tables.query(sql);
      for (const name of LISTS)
        expect([name, await act(name, {}).then(() => 'answered', String)]).toEqual([name, 'answered']);
      expect(await act('triggers.list', {})).toMatchObject({ items: [{}, {}] });
    } finally {
      await scheduler.shutdown();
    }
  });
});
