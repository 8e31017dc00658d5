import { join } from 'node:path';
import { createConnection, createPool } from 'mysql2';
import {
  type Connection,
  createConnection as createPromiseConnection,
  createPool as createPromisePool,
} from 'mysql2/promise';
import { newJob } from '../../src/api/builders/job-builder';
import { simpleSchedule } from '../../src/api/builders/simple-schedule-builder';
import { newTrigger } from '../../src/api/builders/trigger-builder';
import { JobExecutionException } from '../../src/api/job-execution-exception';
import type { Scheduler } from '../../src/api/scheduler';
import type { OpenConnection } from '../../src/api/transactions';
import { GroupMatcher } from '../../src/domain/keys';
import { loadSqlite } from '../../src/store/sql/sqlite/sqlite-module';
import { createDatabase, describeOnAnyServer, sharedServer } from '../support/database/test-database';
import { memoryFolder } from '../support/memory-folder.cjs';
import { LocalSchedulers } from './support/local-schedulers';
import { mysqlTables, readRestState, sqliteTables, type Tables } from './support/tables';

/** A connection of a program, and its statements. */
interface Caller {
  readonly connection: OpenConnection;
  run(text: string): Promise<unknown>;
  close(): Promise<void>;
}

const later = (name: string, group?: string) =>
  newTrigger()
    .withIdentity(name, group)
    .startAt(new Date(Date.now() + 3_600_000))
    .build();
const soon = (name: string) => newTrigger().withIdentity(name).startNow().build();
const job = (name: string) => newJob('work').withIdentity(name).build();

function describeCallers(name: string, create: () => Promise<{ tables: Tables; open: () => Promise<Caller> }>): void {
  describe(`schedules in the transaction of a caller, ${name}`, () => {
    let tables: Tables;
    let open: () => Promise<Caller>;
    let local: LocalSchedulers;
    let scheduler: Scheduler;
    let caller: Caller;
    let ran: (name: string) => void = () => {};

    const work = ({ trigger }: { readonly trigger: { readonly key: { readonly name: string } } }) =>
      ran(trigger.key.name);

    /** Resolves with the sorted trigger names of the next `count` runs. */
    const nextRuns = (count: number) =>
      new Promise<string[]>((resolve) => {
        const names: string[] = [];
        ran = (each) => {
          names.push(each);
          if (names.length === count) resolve(names.sort());
        };
      });

    beforeAll(async () => {
      ({ tables, open } = await create());
      await tables.query('CREATE TABLE ORDERS (ID INTEGER PRIMARY KEY)');
    });

    beforeEach(async () => {
      local = new LocalSchedulers(tables);
      ({ scheduler } = await local.create('a', { jobs: { work } }));
      caller = await open();
    });

    afterEach(async () => {
      await caller.close();
      await scheduler.clear();
      await local.shutdown();
      await tables.query('DELETE FROM ORDERS');
      expect(await readRestState(tables, 'local')).toMatchObject({ firedRows: 0, nodes: [], states: {} });
    });

    afterAll(() => tables.drop());

    const orders = () => tables.query('SELECT ID FROM ORDERS');

    it('run on another node only after the caller has committed', async () => {
      // In a store thread, because SQLite would block this thread while it waits for the caller.
      const other = await local.create('b', { jobs: { work }, jobStore: { storeThread: true } });
      await other.scheduler.start();
      const runs = nextRuns(4);
      await caller.run('BEGIN');
      await caller.run('INSERT INTO ORDERS VALUES (1)');
      const within = scheduler.withConnection(caller.connection);
      await within.addJob(newJob('work').withIdentity('stored').storeDurably().build());
      expect(await within.scheduleJob(job('job'), soon('with its job'))).toBeInstanceOf(Date);
      await within.scheduleJob(newTrigger().withIdentity('alone').forJob('stored').startNow().build());
      await within.schedule('work', { every: '1h' });
      const triggered = await within.triggerJob('stored', { asked: true });
      expect(await scheduler.listTriggers()).toMatchObject({ items: [] });
      await caller.run('COMMIT');
      expect(await runs).toEqual([triggered.name, 'alone', 'with its job', 'work'].sort());
      expect(await orders()).toHaveLength(1);
    });

    it('are removed when the caller rolls back', async () => {
      await caller.run('BEGIN');
      await caller.run('INSERT INTO ORDERS VALUES (1)');
      await scheduler.withConnection(caller.connection).scheduleJob(job('job'), later('t'));
      await caller.run('ROLLBACK');
      expect(await orders()).toEqual([]);
      expect(await scheduler.listTriggers()).toMatchObject({ items: [] });
      expect(await scheduler.listJobs()).toMatchObject({ items: [] });
    });

    it('are refused if they exist already, and the transaction can continue', async () => {
      await scheduler.scheduleJob(job('first'), later('t'));
      await caller.run('BEGIN');
      await caller.run('INSERT INTO ORDERS VALUES (1)');
      const within = scheduler.withConnection(caller.connection);
      const taken = { code: 'OBJECT_ALREADY_EXISTS' };
      await expect(within.scheduleJob(job('second'), later('t'))).rejects.toMatchObject(taken);
      await expect(within.scheduleJob(job('first'), later('u'))).rejects.toMatchObject(taken);
      await expect(
        within.scheduleJob(newTrigger().withIdentity('v').forJob('none').startNow().build()),
      ).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' });
      await within.scheduleJob(job('third'), later('w'));
      await caller.run('COMMIT');
      expect(await orders()).toHaveLength(1);
      const { items } = await scheduler.listJobs();
      expect(items.map(({ key }) => key.name)).toEqual(['first', 'third']);
    });

    it('start paused if their group is paused', async () => {
      await scheduler.pauseTriggers(GroupMatcher.groupEquals('held'));
      await caller.run('BEGIN');
      const within = scheduler.withConnection(caller.connection);
      await Promise.all([
        within.scheduleJob(job('a'), later('a', 'held')),
        within.scheduleJob(job('b'), later('b', 'free')),
      ]);
      await caller.run('COMMIT');
      expect(await scheduler.getTriggerState({ name: 'a', group: 'held' })).toBe('PAUSED');
      expect(await scheduler.getTriggerState({ name: 'b', group: 'free' })).toBe('WAITING');
      await scheduler.resumeAll();
    });

    it('are refused for the same reasons as schedules outside a transaction', async () => {
      await caller.run('BEGIN');
      const within = scheduler.withConnection(caller.connection);
      await expect(within.scheduleJob(newJob('wrok').withIdentity('x').build(), later('x'))).rejects.toMatchObject({
        code: 'UNKNOWN_JOB_TYPE',
      });
      const unknown = newTrigger()
        .withIdentity('y')
        .modifiedByCalendar('none')
        .startAt(new Date(Date.now() + 9e6));
      await expect(within.scheduleJob(job('y'), unknown.build())).rejects.toMatchObject({ code: 'CALENDAR_NOT_FOUND' });
      const replacing = { replace: true } as object;
      await expect(within.scheduleJob(job('z'), later('z'), replacing)).rejects.toThrow(/no option 'replace'/);
      await caller.run('ROLLBACK');
    });

    it('are refused without an open transaction or a connection', async () => {
      const none = scheduler.withConnection(caller.connection).scheduleJob(job('job'), later('t'));
      await expect(none).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringMatching(/open transaction/),
      });
      await expect(scheduler.withConnection({}).triggerJob('x')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
      await expect(scheduler.withConnection(null as never).triggerJob('x')).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      });
      expect(await scheduler.listTriggers()).toMatchObject({ items: [] });
    });
  });
}

describeCallers('SQLite', async () => {
  const path = join(memoryFolder('quartz-callers-'), 'quartz.db');
  const open = async () => {
    const { DatabaseSync } = loadSqlite();
    const database = new DatabaseSync(path);
    database.exec('PRAGMA busy_timeout = 5000');
    const run = async (text: string) => database.exec(text.replace(/^BEGIN$/, 'BEGIN IMMEDIATE'));
    return { connection: database, run, close: async () => database.close() };
  };
  return { tables: sqliteTables(path), open };
});

/** Options that a program may set for its connection. */
const OPTIONS = { rowsAsArray: true, supportBigNumbers: true, bigNumberStrings: true, dateStrings: true } as const;

describeOnAnyServer('on a server', () => {
  const url = (tables: Tables) => (tables.config as { dataSource: { d: { URL: string } } }).dataSource.d.URL;

  describeCallers('a connection with promises', async () => {
    const tables = await mysqlTables(await sharedServer());
    const open = async (): Promise<Caller> => {
      const connection = await createPromiseConnection({ uri: url(tables), ...OPTIONS });
      return { connection, run: (text) => connection.query(text), close: () => connection.end() };
    };
    return { tables, open };
  });

  describeCallers('a connection with callbacks', async () => {
    const tables = await mysqlTables(await sharedServer());
    const open = async (): Promise<Caller> => {
      const connection = createConnection(url(tables));
      const run = (text: string) => connection.promise().query(text);
      return { connection, run, close: () => connection.promise().end() };
    };
    return { tables, open };
  });

  describe('the transaction of a caller', () => {
    let tables: Tables;
    let local: LocalSchedulers;
    let scheduler: Scheduler;
    let connection: Connection;

    beforeAll(async () => {
      tables = await mysqlTables(await sharedServer());
      local = new LocalSchedulers(tables);
      ({ scheduler } = await local.create('a', { jobs: { work: () => {} } }));
    });
    beforeEach(async () => {
      connection = await createPromiseConnection(url(tables));
    });
    afterEach(async () => {
      await connection.end();
      await scheduler.clear();
    });
    afterAll(async () => {
      await local.shutdown();
      await tables.drop();
    });

    it('detects rows that were stored after its snapshot', async () => {
      await connection.beginTransaction();
      await connection.query('SELECT * FROM QRTZ_TRIGGERS');
      await scheduler.scheduleJob(job('job'), later('t'));
      await scheduler.pauseTriggers(GroupMatcher.groupEquals('held'));
      const within = scheduler.withConnection(connection);
      const taken = { code: 'OBJECT_ALREADY_EXISTS' };
      await expect(within.scheduleJob(job('job'), later('new'))).rejects.toMatchObject(taken);
      await expect(within.scheduleJob(job('new'), later('t'))).rejects.toMatchObject(taken);
      await within.scheduleJob(job('new'), later('new', 'held'));
      await connection.commit();
      expect(await scheduler.getTriggerState({ name: 'new', group: 'held' })).toBe('PAUSED');
      await scheduler.resumeAll();
    });

    it('is open without BEGIN if autocommit is off', async () => {
      await connection.query('SET autocommit = 0');
      await scheduler.withConnection(connection).scheduleJob(job('job'), later('t'));
      expect(await scheduler.listTriggers()).toMatchObject({ items: [] });
      await connection.commit();
      expect((await scheduler.listTriggers()).items).toHaveLength(1);
    });

    it('detects a job that was deleted after its snapshot', async () => {
      await scheduler.addJob(newJob('work').withIdentity('gone').storeDurably().build());
      await connection.beginTransaction();
      await connection.query('SELECT * FROM QRTZ_JOB_DETAILS');
      await scheduler.deleteJob('gone');
      const trigger = newTrigger().withIdentity('t').forJob('gone').startNow().build();
      await expect(scheduler.withConnection(connection).scheduleJob(trigger)).rejects.toMatchObject({
        code: 'JOB_NOT_FOUND',
      });
      await connection.rollback();
    });

    it('does not block other nodes from scheduling, firing and completing', async () => {
      const other = await local.create('b', { jobs: { work: () => {} } });
      await other.scheduler.start();
      await connection.beginTransaction();
      await scheduler.withConnection(connection).scheduleJob(job('held back'), soon('held back'));
      const completed = other.seen('triggerCompleted');
      await other.scheduler.scheduleJob(job('free'), soon('free'));
      await completed;
      await connection.rollback();
    });

    it.each([
      ['REPEATABLE READ', 'plain'],
      ['READ COMMITTED', 'plain'],
      ['READ COMMITTED', 'persisting its data'],
    ])('that adds a trigger to a job does not block other triggers of the job (%s, %s)', async (level, kind) => {
      const names: string[] = [];
      const waiting: { readonly isDone: () => boolean; readonly done: () => void }[] = [];
      const until = (isDone: () => boolean) => new Promise<void>((done) => waiting.push({ isDone, done }));
      let [running, most] = [0, 0];
      const serial = async ({ trigger }: { readonly trigger: { readonly key: { readonly name: string } } }) => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 20));
        running--;
        names.push(trigger.key.name);
        for (const each of waiting) if (each.isDone()) each.done();
      };
      const instanceId = `${level} ${kind}`;
      const other = await local.create(instanceId, { jobs: { serial } });
      const detail = newJob('serial').withIdentity('serial').disallowConcurrentExecution();
      const often = newTrigger()
        .withIdentity('often')
        .withSchedule(simpleSchedule().withIntervalInMilliseconds(50).repeatForever());
      await other.scheduler.scheduleJob(
        (kind === 'plain' ? detail : detail.persistJobDataAfterExecution()).build(),
        often.build(),
      );
      await other.scheduler.start();
      await until(() => names.length > 1);
      await connection.query(`SET SESSION TRANSACTION ISOLATION LEVEL ${level}`);
      await connection.beginTransaction();
      const added = newTrigger().withIdentity('added').forJob('serial').startNow().build();
      await scheduler.withConnection(connection).scheduleJob(added);
      const before = names.length;
      if (kind === 'plain') await until(() => names.length > before + 5);
      await connection.commit();
      await until(() => names.includes('added'));
      await until(() => names.lastIndexOf('often') > names.indexOf('added'));
      expect(most).toBe(1);
      await other.scheduler.standby();
    });

    it('that locks a trigger delays the end of the triggers of its job until the transaction ends', async () => {
      let locked = () => {};
      const holding = new Promise<void>((resolve) => {
        locked = resolve;
      });
      const stops = async () => {
        await connection.beginTransaction();
        const sibling = "SCHED_NAME = 'local' AND TRIGGER_NAME = 'sibling' AND TRIGGER_GROUP = 'DEFAULT'";
        await connection.query(`SELECT * FROM QRTZ_TRIGGERS WHERE ${sibling} FOR UPDATE`);
        locked();
        throw new JobExecutionException('no more', { unscheduleAllTriggers: true });
      };
      const other = await local.create('ends', { jobs: { stops } });
      const detail = newJob('stops').withIdentity('stops').storeDurably().build();
      await other.scheduler.scheduleJobs(new Map([[detail, [soon('first'), later('sibling')]]]));
      await other.scheduler.start();
      await holding;
      const free = other.scheduler.schedule('free', { job: 'stops', at: new Date(Date.now() + 3_600_000) });
      await expect(free).resolves.toBeDefined();
      expect(await scheduler.getTriggerState('sibling')).toBe('WAITING');
      await connection.rollback();
      await other.seen('triggerCompleted');
      expect(await scheduler.getTriggerState('sibling')).toBe('COMPLETE');
    });

    it('works with a connection of a pool, and refuses the pool itself', async () => {
      const pool = createPool(url(tables));
      const promises = createPromisePool(url(tables));
      const taken = await promises.getConnection();
      try {
        await taken.beginTransaction();
        await scheduler.withConnection(taken).scheduleJob(job('job'), later('t'));
        await taken.rollback();
        for (const whole of [pool, promises]) {
          const refused = scheduler.withConnection(whole as never).scheduleJob(job('job'), later('t'));
          await expect(refused).rejects.toMatchObject({
            code: 'INVALID_ARGUMENT',
            message: expect.stringMatching(/a pool/),
          });
        }
      } finally {
        taken.release();
        await Promise.all([pool.promise().end(), promises.end()]);
      }
    });

    it('must be in the database of the scheduler', async () => {
      const empty = await createDatabase(await sharedServer());
      const elsewhere = await createPromiseConnection(empty.url);
      try {
        await elsewhere.beginTransaction();
        const refused = scheduler.withConnection(elsewhere).scheduleJob(job('job'), later('t'));
        await expect(refused).rejects.toMatchObject({
          code: 'INVALID_ARGUMENT',
          message: expect.stringMatching(
            /a connection to the database of this scheduler, found one to a database where the tables QRTZ_/,
          ),
        });
      } finally {
        await elsewhere.end();
        await empty.drop();
      }
    });

    it('must use the character set utf8mb4', async () => {
      const narrow = await createPromiseConnection({ uri: url(tables), charset: 'latin1' });
      try {
        await narrow.beginTransaction();
        await expect(scheduler.withConnection(narrow).triggerJob('x')).rejects.toThrow(/utf8mb4, found latin1/);
      } finally {
        await narrow.end();
      }
    });
  });
});
