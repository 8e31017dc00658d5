import { join } from 'node:path';
import { types } from 'node:util';
import { newJob } from '../../src/api/builders/job-builder';
import { newTrigger } from '../../src/api/builders/trigger-builder';
import type { Job, JobExecutionContext } from '../../src/api/scheduler';
import type { JobSql } from '../../src/api/transactions';
import type { SchedulerEventOf } from '../../src/domain/scheduler-event';
import { createScheduler } from '../../src/scheduler/create-scheduler';
import { MysqlSession } from '../../src/store/sql/mysql/mysql-session';
import { SqlError } from '../../src/store/sql/runtime/sql-driver';
import { describeOnAnyServer, sharedServer } from '../support/database/test-database';
import { memoryFolder } from '../support/memory-folder.cjs';
import { LocalSchedulers } from './support/local-schedulers';
import { mysqlTables, readRestState, sqliteTables, type Tables } from './support/tables';

const INSERT = 'INSERT INTO ORDERS (ID, ATTEMPT) VALUES (?, ?)';

function describeTransactions(name: string, create: () => Promise<Tables>): void {
  describe(`the transaction of a job, ${name}`, () => {
    let tables: Tables;
    let local: LocalSchedulers;

    beforeAll(async () => {
      tables = await create();
      await tables.query('CREATE TABLE ORDERS (ID VARCHAR(95) PRIMARY KEY, ATTEMPT INTEGER)');
    });
    beforeEach(() => {
      local = new LocalSchedulers(tables);
    });
    afterEach(async () => {
      await local.shutdown();
      await tables.query('DELETE FROM ORDERS');
      await tables.query('DELETE FROM QRTZ_X_RUNS');
      expect(await readRestState(tables, 'local')).toMatchObject({ firedRows: 0, nodes: [] });
      expect(await tables.query("SELECT META_KEY FROM QRTZ_X_META WHERE META_KEY LIKE 'commit.%'")).toEqual([]);
    });
    afterAll(() => tables.drop());

    const orders = async () =>
      (await tables.query<{ ID: string }>('SELECT ID FROM ORDERS ORDER BY ID')).map(({ ID }) => ID);
    const firedRows = async () => (await tables.query('SELECT ENTRY_ID FROM QRTZ_FIRED_TRIGGERS')).length;

    /** Runs the job once in a new scheduler; resolves when its run has been published as completed. */
    async function run(work: Job, build = newJob('work').withIdentity('job').build(), jobStore: object = {}) {
      const made = await local.create('a', { jobs: { work }, jobStore });
      await made.scheduler.start();
      await made.scheduler.scheduleJob(build, newTrigger().withIdentity('once').startNow().build());
      const completed = (await made.seen('triggerCompleted')) as SchedulerEventOf<'triggerCompleted'>;
      const errors = made.events.filter(
        ({ type }) => type === 'schedulerError',
      ) as SchedulerEventOf<'schedulerError'>[];
      return { ...made, completed, errors };
    }

    it.each([
      true,
      false,
    ])('stores its rows and the end of the run atomically (storeThread: %s)', async (storeThread) => {
      let before = -1;
      let after = -1;
      const work = async (context: JobExecutionContext) => {
        const answer = await context.transaction(async (sql) => {
          expect(await sql.execute(INSERT, ['a', 1])).toEqual({ affectedRows: 1 });
          before = await firedRows();
          return sql.query<{ ATTEMPT: number }>('SELECT ATTEMPT FROM ORDERS WHERE ID = ?', ['a']);
        });
        expect(answer).toEqual([expect.objectContaining({ ATTEMPT: 1 })]);
        after = await firedRows();
      };
      const { completed, errors, scheduler } = await run(work, undefined, { storeThread });
      expect({ before, after }).toEqual({ before: 1, after: 0 });
      expect(completed).toMatchObject({ error: null, instruction: 'DELETE_TRIGGER' });
      expect(errors).toEqual([]);
      expect(await orders()).toEqual(['a']);
      expect(await scheduler.listJobs()).toMatchObject({ items: [] });
    });

    it('stores nothing if it fails, and rejects with the error', async () => {
      let found: unknown;
      const work = async (context: JobExecutionContext) => {
        const failing = context.transaction(async (sql) => {
          await sql.execute(INSERT, ['a', 1]);
          await sql.execute(INSERT, ['a', 2]);
        });
        await failing.catch((error: unknown) => {
          found = error;
        });
        expect(await firedRows()).toBe(1);
        await context.transaction((sql) => sql.execute(INSERT, ['b', 3]));
      };
      await run(work);
      expect(types.isNativeError(found)).toBe(true); // an error of the driver, possibly of another realm
      expect(await orders()).toEqual(['b']);
    });

    it('fails the run if its error is not caught', async () => {
      const work = (context: JobExecutionContext) =>
        context.transaction(async (sql) => {
          await sql.execute(INSERT, ['a', 1]);
          throw new Error('changed my mind');
        });
      const { completed } = await run(work);
      expect(completed.error?.message).toMatch(/changed my mind/);
      expect(await orders()).toEqual([]);
    });

    it('ends the run: a later error of the job is only reported, and a second transaction is refused', async () => {
      const work = async (context: JobExecutionContext) => {
        await context.transaction((sql) => sql.execute(INSERT, ['a', 1]));
        await expect(context.transaction(() => 1)).rejects.toMatchObject({ code: 'SCHEDULER_STATE' });
        throw new Error('too late');
      };
      const { completed, errors } = await run(work);
      expect(completed.error).toBeNull();
      expect(errors.map(({ during, error }) => [during, error.message])).toEqual([
        ["running job 'DEFAULT/job' after its transaction ended the run", 'too late'],
      ]);
      expect(await orders()).toEqual(['a']);
    });

    it('unblocks a non-concurrent job, and stores its returned data and its history', async () => {
      let runs = 0;
      const work = (context: JobExecutionContext) =>
        context.transaction(async (sql) => {
          await sql.execute(INSERT, [`run ${++runs}`, 1]);
          context.report({ summary: 'inserted' });
          return { runs: Number(context.data.runs ?? 0) + 1 };
        });
      const { scheduler } = await local.create('a', { jobs: { work } });
      await scheduler.start();
      const job = newJob('work').withIdentity('job').disallowConcurrentExecution().persistJobDataAfterExecution();
      const ends: string[] = [];
      const twice = new Promise<void>((resolve) => {
        scheduler.subscribe(() => ends.push('end') === 2 && resolve(), ['triggerCompleted']);
      });
      await scheduler.addJob(job.withHistory('all').storeDurably().build());
      await scheduler.triggerJob('job');
      await scheduler.triggerJob('job');
      await twice;
      expect(await orders()).toEqual(['run 1', 'run 2']);
      expect((await scheduler.getJobDetail('job'))?.data).toEqual({ runs: 2 });
      const { items } = await scheduler.listRuns({ job: 'job', outcome: 'succeeded' });
      expect(items.map(({ outcome, summary }) => [outcome, summary])).toEqual([
        ['succeeded', 'inserted'],
        ['succeeded', 'inserted'],
      ]);
      await scheduler.deleteJob('job');
    });

    it('stores nothing if another node has taken the run over', async () => {
      let found: unknown;
      const work = async (context: JobExecutionContext) => {
        await tables.query(`DELETE FROM QRTZ_FIRED_TRIGGERS WHERE ENTRY_ID = '${context.runId}'`);
        await context
          .transaction((sql) => sql.execute(INSERT, ['a', 1]))
          .catch((error: unknown) => {
            found = error;
          });
      };
      const { scheduler, seen } = await local.create('a', { jobs: { work } });
      await scheduler.start();
      await scheduler.scheduleJob(
        newJob('work').withIdentity('job').build(),
        newTrigger().withIdentity('t').startNow().build(),
      );
      await seen('completionFenced');
      expect(found).toMatchObject({ code: 'SCHEDULER_STATE', message: expect.stringMatching(/taken the run over/) });
      expect(await orders()).toEqual([]);
      await scheduler.clear();
    });

    it.each([
      ['COMMIT', (sql: JobSql) => sql.query('COMMIT')],
      ['ROLLBACK', (sql: JobSql) => sql.query('ROLLBACK')],
    ])('does not end the run after a %s of the job', async (_, end) => {
      let found: unknown;
      const work = (context: JobExecutionContext) =>
        context
          .transaction(async (sql) => {
            await sql.execute(INSERT, ['a', 1]);
            await end(sql);
          })
          .catch((error: unknown) => {
            found = error;
            throw error;
          });
      const { completed } = await run(work);
      expect(found).toMatchObject({
        code: 'SCHEDULER_STATE',
        message: expect.stringMatching(/transaction ended before/),
      });
      expect(completed.error).not.toBeNull();
    });

    it('includes triggers that the job schedules with its connection', async () => {
      const seen: number[] = [];
      const scheduling = async (context: JobExecutionContext) => {
        await context.transaction(async (sql) => {
          await context.scheduler.withConnection(sql.connection).triggerJob('next');
          seen.push((await context.scheduler.listTriggers()).items.length);
        });
        seen.push((await context.scheduler.listTriggers()).items.length);
      };
      const { scheduler } = await local.create('a', { jobs: { scheduling, next: () => {} } });
      const next = newJob('next').withIdentity('next').storeDurably().build();
      await scheduler.addJob(next);
      await scheduler.start();
      const done = new Promise<void>((resolve) => {
        scheduler.subscribe(
          (event) => {
            const { firing } = event as SchedulerEventOf<'triggerCompleted'>;
            if (firing.jobDetail.key.name === 'next') resolve();
          },
          ['triggerCompleted'],
        );
      });
      await scheduler.schedule('scheduling', { at: new Date() });
      await done;
      expect(seen[0]).toBe(1);
      await scheduler.clear();
    });
  });
}

describeTransactions('SQLite', async () => sqliteTables(join(memoryFolder('quartz-job-transactions-'), 'quartz.db')));

describeOnAnyServer('on a server', () => {
  describeTransactions('MySQL', async () => mysqlTables(await sharedServer()));

  describe('a commit without a response', () => {
    let tables: Tables;
    let local: LocalSchedulers;

    beforeAll(async () => {
      tables = await mysqlTables(await sharedServer());
      await tables.query('CREATE TABLE ORDERS (ID VARCHAR(95), ATTEMPT INTEGER)');
      local = new LocalSchedulers(tables, true);
    });
    afterEach(async () => {
      jest.restoreAllMocks();
      await local.shutdown();
      await tables.query('DELETE FROM ORDERS');
    });
    afterAll(() => tables.drop());

    it.each([
      ['arrived', true],
      ['was lost', false],
    ])('is resolved correctly if it %s', async (_, arrived) => {
      const error = new SqlError({ kind: 'connectionLost', databaseCode: 'TEST', statement: null, message: 'gone' });
      const { commit } = MysqlSession.prototype;
      // This thread contains only the connections of jobs.
      jest.spyOn(MysqlSession.prototype, 'commit').mockImplementationOnce(async function (this: MysqlSession) {
        if (arrived) await commit.call(this);
        throw error;
      });
      const work = (context: JobExecutionContext) => context.transaction((sql) => sql.execute(INSERT, ['a', 1]));
      const { scheduler, seen } = await local.create('a', { jobs: { work } });
      await scheduler.start();
      await scheduler.schedule('work', { at: new Date() });
      const completed = (await seen('triggerCompleted')) as SchedulerEventOf<'triggerCompleted'>;
      expect(completed.error === null).toBe(arrived);
      expect(await tables.query('SELECT ID FROM ORDERS')).toHaveLength(arrived ? 1 : 0);
      await local.shutdown();
      expect(await readRestState(tables, 'local')).toMatchObject({ firedRows: 0, nodes: [], states: {} });
    });
  });
});

it('the transaction of a job is refused with the memory store', async () => {
  const found: unknown[] = [];
  const work = async (context: JobExecutionContext) => {
    await context.transaction(() => 1).catch((error: unknown) => found.push(error));
  };
  const scheduler = await createScheduler({}, { jobs: { work } });
  expect(() => scheduler.withConnection({})).toThrow(/job store in a database for withConnection/);
  const ended = new Promise<void>((resolve) => scheduler.subscribe(() => resolve(), ['triggerCompleted']));
  await scheduler.start();
  await scheduler.schedule('work', { at: new Date() });
  await ended;
  expect(found).toEqual([expect.objectContaining({ code: 'SCHEDULER_STATE' })]);
  await scheduler.shutdown();
});
