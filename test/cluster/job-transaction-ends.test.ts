import { join } from 'node:path';
import { newJob } from '../../src/api/builders/job-builder';
import { newTrigger } from '../../src/api/builders/trigger-builder';
import type { JobExecutionContext } from '../../src/api/scheduler';
import { describeOnAnyServer, sharedServer } from '../support/database/test-database';
import { memoryFolder } from '../support/memory-folder.cjs';
import { LocalSchedulers } from './support/local-schedulers';
import { mysqlTables, readRestState, sqliteTables, type Tables } from './support/tables';

/* Chained jobs also start when the transaction of a run stores its end. */

const INSERT = 'INSERT INTO ORDERS (ID, ATTEMPT) VALUES (?, ?)';
const SHARDS = 3;

interface Engine {
  readonly create: () => Promise<Tables>;
  /** Maximum number of open transactions. */
  readonly atOnce: number;
}

function describeEnds(name: string, { create, atOnce }: Engine): void {
  describe(`the end of a run in a transaction of its job, ${name}`, () => {
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
    });
    afterAll(() => tables.drop());

    const orders = async () =>
      (await tables.query<{ ID: string }>('SELECT ID FROM ORDERS ORDER BY ID')).map(({ ID }) => ID);

    /** Returns a function that resolves when `count` callers wait. */
    function meeting(count: number): () => Promise<void> {
      let here = 0;
      let open = () => {};
      const all = new Promise<void>((resolve) => {
        open = resolve;
      });
      return () => {
        if (++here >= count) open();
        return all;
      };
    }

    it('ends a sharded occurrence once although its parts end at the same time, and starts chained jobs', async () => {
      const meet = meeting(Math.min(SHARDS, atOnce));
      const part = (context: JobExecutionContext) =>
        context.transaction(async (sql) => {
          await sql.query('SELECT ID FROM ORDERS'); // takes the snapshot of the transaction
          await sql.execute(INSERT, [`part ${context.shard?.index}`, context.attempt]);
          await meet();
        });
      const following = async (context: JobExecutionContext) => {
        const { outcome } = context.origin ?? {};
        await context.transaction((sql) => sql.execute(INSERT, [`then ${outcome}`, context.attempt]));
      };
      const { scheduler, seen, events } = await local.create('a', { jobs: { part, following, last: () => {} } });
      const follow = (job: string, parent: string) =>
        scheduler.scheduleJob(
          newJob(job).withIdentity(job).build(),
          newTrigger().withIdentity(job).afterAll([parent]).build(),
        );
      await follow('following', 'part');
      await follow('last', 'following');
      await scheduler.start();
      const lastRan = new Promise<void>((resolve) => {
        scheduler.subscribe(
          (event) => event.type === 'triggerCompleted' && event.firing.jobDetail.key.name === 'last' && resolve(),
        );
      });
      await scheduler.scheduleJob(
        newJob('part').withIdentity('part').withSpread({ shards: SHARDS }).build(),
        newTrigger().withIdentity('part').startNow().build(),
      );
      expect(await seen('occurrenceCompleted')).toMatchObject({ parts: SHARDS, failed: 0 });
      await lastRan;
      expect(await orders()).toEqual(['part 0', 'part 1', 'part 2', 'then succeeded']);
      expect(events.filter(({ type }) => type === 'occurrenceCompleted')).toHaveLength(1);
      expect(events.filter(({ type }) => type === 'schedulerError')).toEqual([]);
      expect(await scheduler.listOngoingOccurrences()).toEqual([]);
      expect(await tables.query('SELECT * FROM QRTZ_X_PARTS')).toEqual([]);
      await scheduler.clear();
    });
  });
}

describeEnds('SQLite', {
  create: async () => sqliteTables(join(memoryFolder('quartz-job-transaction-ends-'), 'quartz.db')),
  atOnce: 1,
});

describeOnAnyServer('on a server', () => {
  describeEnds('MySQL', { create: async () => mysqlTables(await sharedServer()), atOnce: SHARDS });
});
