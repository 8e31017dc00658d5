import { existsSync } from 'node:fs';
import { type Configuration, newJob, newTrigger, type SchedulerEvent, simpleSchedule } from '../../../../src';
import { proves } from '../../../support/proves';
import { changeIn, rowsIn, tablesIn } from '../../../support/world/sqlite-file';
import { closeAll, codeOf, deleteFolders, endless, newFile, open, type World } from '../../../support/world/world';

const HOUR = 3_600_000;

const store = (keys: object, rest: object = {}): Configuration => ({ jobStore: keys, ...rest }) as Configuration;

const storeName = async (config: Configuration) => (await open(config)).scheduler.getMetaData().jobStore;

const warningsOf = (world: World) => world.heard('configurationWarning').map(({ message }) => message);

/** SQL triggers that make only acquiring or completing fail while they exist. Polling for changes still works. */
const FAULTS = {
  acquiring: 'CREATE TRIGGER fault BEFORE INSERT ON QRTZ_FIRED_TRIGGERS BEGIN INSERT INTO GONE VALUES (1); END',
  completing: 'CREATE TRIGGER fault BEFORE DELETE ON QRTZ_FIRED_TRIGGERS BEGIN INSERT INTO GONE VALUES (1); END',
} as const;

/** Time until a job completes after a fault of 15 s is fixed. */
async function recoveredAfter(fault: keyof typeof FAULTS, keys: object): Promise<number> {
  const path = newFile();
  const { jobStore = {}, scheduler = {} } = keys as { readonly jobStore?: object; readonly scheduler?: object };
  const config = store({ class: 'sqlite', path, misfireThreshold: 100 * HOUR, ...jobStore }, { scheduler });
  const world = await open(config, { random: { token: (length) => 'z'.repeat(length) } });
  await world.scheduler.start();
  await changeIn(path, FAULTS[fault]);
  await world.soon(world.scheduler.schedule('noop', { at: new Date(world.clock.now() + 1_000) }));
  await world.until(() => world.heard('schedulerError').length > 0);
  await world.pass(15_000); // the pauses have doubled seven times
  await changeIn(path, 'DROP TRIGGER fault');
  return world.until(() => world.heard('triggerCompleted').length > 0);
}

afterEach(closeAll);
afterAll(deleteFolders);

describe('the store setting', () => {
  it('jobStore.groupLimits limits concurrent jobs of a group in the cluster', async () => {
    proves('configuration', 'jobStore.groupLimits');
    for (const [limits, count] of [
      [{ reports: 1, mail: 2 }, 4],
      [{ reports: 3 }, 7],
    ] as const) {
      const world = await open({ jobStore: { groupLimits: limits } } as unknown as Configuration);
      const at = new Date(world.clock.now());
      for (const group of ['reports', 'mail'])
        for (let index = 0; index < 3; index++)
          await world.scheduler.schedule(`${group}${index}`, { at, group }, endless);
      await world.scheduler.schedule('other', { at, group: 'other' }, endless);
      await world.scheduler.start();
      await world.pass(30_000);
      expect(world.heard('jobStarted')).toHaveLength(count);
    }
  });

  it('jobStore.class selects the store and requires its database', async () => {
    proves('configuration', 'jobStore.class');
    const [memory, sqlite] = [
      await storeName(store({ class: 'memory' })),
      await storeName(store({ class: 'sqlite', path: newFile() })),
    ];
    expect([memory.persistent, sqlite.persistent]).toEqual([false, true]);
    const dataSource = { dataSource: { d: { URL: `sqlite:${newFile()}` } } };
    expect(await storeName(store({ class: 'sql', dataSource: 'd' }, dataSource))).toEqual(sqlite);
    expect(await codeOf(() => open(store({ class: 'mysql', dataSource: 'd' }, dataSource)))).toBe('CONFIGURATION');
    const server = { dataSource: { d: { URL: 'mysql://127.0.0.1:1/q' } } };
    expect(await codeOf(() => open(store({ class: 'mysql', dataSource: 'd' }, server)))).toBe('STORE_FAILURE');
  });

  it('jobStore.path sets the file of the SQLite store', async () => {
    proves('configuration', 'jobStore.path');
    const [one, two] = [newFile(), newFile()];
    await open(store({ class: 'sqlite', path: one }));
    expect([existsSync(one), existsSync(two)]).toEqual([true, false]);
    await open(store({ class: 'sqlite', path: two }));
    expect(existsSync(two)).toBe(true);
  });

  it('jobStore.dataSource selects one of several data sources', async () => {
    proves('configuration', 'jobStore.dataSource');
    const [one, two] = [newFile(), newFile()];
    const dataSource = { one: { URL: `sqlite:${one}` }, two: { URL: `sqlite:${two}` } };
    await open(store({ class: 'sqlite', dataSource: 'two' }, { dataSource }));
    expect([existsSync(one), existsSync(two)]).toEqual([false, true]);
  });

  it('dataSource.<name>.URL accepts SQLite, MySQL and MariaDB URLs, also with jdbc:', async () => {
    proves('configuration', 'dataSource.<name>.URL');
    for (const front of ['sqlite:', 'jdbc:sqlite:']) {
      const file = newFile();
      await open(store({ class: 'sql', dataSource: 'd' }, { dataSource: { d: { URL: `${front}${file}` } } }));
      expect(existsSync(file)).toBe(true);
    }
    for (const URL of ['mysql://127.0.0.1:1/q', 'mariadb://127.0.0.1:1/q']) {
      const config = store({ class: 'sql', dataSource: 'd' }, { dataSource: { d: { URL } } });
      expect(await codeOf(() => open(config))).toBe('STORE_FAILURE'); // no server listens there
    }
  });

  it('jobStore.tablePrefix is the prefix of all table names', async () => {
    proves('configuration', 'jobStore.tablePrefix');
    const path = newFile();
    await open(store({ class: 'sqlite', path, tablePrefix: 'APP_' }));
    expect(tablesIn(path)).toContain('APP_TRIGGERS');
    expect(tablesIn(path)).not.toContain('QRTZ_TRIGGERS');
  });

  it('jobStore.schema decides whether tables are validated, created, migrated or left unchecked', async () => {
    proves('configuration', 'jobStore.schema');
    const path = newFile();
    const opened = (schema: string) => codeOf(() => open(store({ class: 'sqlite', path, schema })));
    expect(await opened('validate')).toBe('SCHEMA_MISMATCH');
    expect(tablesIn(path)).toEqual([]);
    expect(await opened('create')).toBe('no error');
    expect(tablesIn(path)).toContain('QRTZ_TRIGGERS');
    await changeIn(path, "DELETE FROM QRTZ_X_META WHERE META_VALUE LIKE '0003%'"); // as an older version left it
    await changeIn(path, 'ALTER TABLE QRTZ_X_NODES DROP COLUMN PROCESS_SCOPE');
    expect(await opened('never')).toBe('no error');
    expect(await opened('validate')).toBe('SCHEMA_MISMATCH');
    expect(await opened('create')).toBe('SCHEMA_MISMATCH');
    expect(await opened('migrate')).toBe('no error');
    expect(await opened('validate')).toBe('no error');
  });

  it('jobStore.useProperties stores job data as Java properties', async () => {
    proves('configuration', 'jobStore.useProperties');
    for (const [useProperties, form] of [
      [false, '{"to":"ops"}'],
      [true, 'to=ops'],
    ] as const) {
      const path = newFile();
      const world = await open(store({ class: 'sqlite', path, useProperties }));
      await world.soon(world.scheduler.addJob(newJob('noop').storeDurably().usingJobData({ to: 'ops' }).build()));
      const [row] = rowsIn<{ data: Uint8Array }>(path, 'SELECT JOB_DATA AS data FROM QRTZ_JOB_DETAILS');
      expect(Buffer.from(row?.data ?? []).toString()).toContain(form);
    }
  });

  it('jobStore.isClustered false causes a warning', async () => {
    proves('configuration', 'jobStore.isClustered');
    const path = newFile();
    expect(warningsOf(await open(store({ class: 'sqlite', path, isClustered: true })))).toEqual([]);
    const warned = warningsOf(await open(store({ class: 'sqlite', path, isClustered: false })));
    expect(warned).toEqual([expect.stringContaining('jobStore.isClustered is false')]);
  });

  it('jobStore.maxMisfiresToHandleAtATime limits the misfires of a batch', async () => {
    proves('configuration', 'jobStore.maxMisfiresToHandleAtATime');
    for (const [most, leftAfterFirst] of [
      [2, 3],
      [100, 0],
    ]) {
      const path = newFile();
      const world = await open(store({ class: 'sqlite', path, maxMisfiresToHandleAtATime: most }));
      const from = world.clock.now();
      await world.soon(world.scheduler.addJob(newJob('noop').withIdentity('j').storeDurably().build()));
      const hourly = simpleSchedule()
        .withIntervalInHours(1)
        .repeatForever()
        .withMisfireHandlingInstructionNextWithExistingCount();
      for (const name of ['a', 'b', 'c', 'd', 'e']) {
        const trigger = newTrigger()
          .withIdentity(name)
          .forJob('j')
          .startAt(new Date(from + 1))
          .withSchedule(hourly);
        await world.soon(world.scheduler.scheduleJob(trigger.build()));
      }
      world.clock.advanceBy(10 * 60_000);
      const late = `SELECT COUNT(*) AS count FROM QRTZ_TRIGGERS WHERE NEXT_FIRE_TIME < ${world.clock.now()}`;
      const left: unknown[] = [];
      world.scheduler.subscribe(({ type }: SchedulerEvent) => {
        if (type === 'triggerMisfired') left.push(rowsIn(path, late)[0]?.count);
      });
      await world.soon(world.scheduler.start());
      await world.until(() => left.length === 5);
      expect(left[0]).toBe(leftAfterFirst);
    }
  });

  it('scheduler.dbFailureRetryInterval limits the pause between attempts to acquire', async () => {
    proves('configuration', 'scheduler.dbFailureRetryInterval');
    const outcomeOf = (interval: number) =>
      recoveredAfter('acquiring', { scheduler: { dbFailureRetryInterval: interval } });
    expect(await outcomeOf(1_000)).toBeLessThan(2_500);
    expect(await outcomeOf(HOUR)).toBeGreaterThan(5_000);
  });

  it('jobStore.dbRetryInterval limits the pause between attempts to complete', async () => {
    proves('configuration', 'jobStore.dbRetryInterval');
    const outcomeOf = (interval: number) => recoveredAfter('completing', { jobStore: { dbRetryInterval: interval } });
    expect(await outcomeOf(1_000)).toBeLessThan(2_500);
    expect(await outcomeOf(HOUR)).toBeGreaterThan(5_000);
  });

  it('jobStore.startTimeout sets how long a start waits for the database', async () => {
    proves('configuration', 'jobStore.startTimeout');
    const { ManualClock } = await import('../../../../src/testing');
    for (const startTimeout of [0, 20_000]) {
      const clock = new ManualClock(Date.now());
      const before = clock.now();
      const dataSource = { d: { URL: 'mysql://127.0.0.1:1/q' } };
      const config = store({ class: 'mysql', dataSource: 'd', startTimeout }, { dataSource });
      expect(await codeOf(() => open(config, { clock }))).toBe('STORE_FAILURE');
      if (startTimeout === 0) expect(clock.now() - before).toBeLessThan(20_000);
      else expect(clock.now() - before).toBeGreaterThanOrEqual(20_000);
    }
  });
});
