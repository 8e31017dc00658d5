import { join } from 'node:path';
import { newJob } from '../../src/api/builders/job-builder';
import { simpleSchedule } from '../../src/api/builders/simple-schedule-builder';
import { newTrigger } from '../../src/api/builders/trigger-builder';
import { IS_LONG } from '../support/long-forms';
import type { Cluster } from './support/cluster';
import { QUICK } from './support/cluster';
import { describeOnServerFirst } from './support/engines';
import type { NodeProcess } from './support/node-process';
import { expectRest, inCluster } from './support/proof';
import type { Tables } from './support/tables';
import { pause } from './support/time';

/*
 * Nodes are killed while their jobs store a row for each occurrence in one transaction with the end of the run. In the end there is exactly one row
 * for each occurrence, although the table has no unique key.
 */

const TRIGGERS = 5;
const TIMES = IS_LONG ? 30 : 20;
const INTERVAL = 200;
const KILLS = IS_LONG ? 4 : 2;
const PATIENCE = 100_000;

interface Row {
  readonly NAME: string;
  readonly SCHEDULED_TIME: number | string;
}

const start = (cluster: Cluster, name: string) =>
  cluster.launch({ name, moreJobs: join(__dirname, 'support/insert-once.cjs') });

/** All expected occurrences, in order. */
function expectedRows(begin: number): readonly string[] {
  const times = Array.from({ length: TIMES }, (_, index) => begin + index * INTERVAL);
  return Array.from({ length: TRIGGERS }, (_, trigger) => times.map((time) => `t${trigger} ${time}`))
    .flat()
    .sort();
}

async function schedule(cluster: Cluster, begin: number): Promise<void> {
  await cluster.withScheduler(async (scheduler) => {
    for (let index = 0; index < TRIGGERS; index++) {
      const job = newJob('insert')
        .withIdentity(`j${index}`)
        .usingJobData({ pause: 5 * index })
        .requestRecovery();
      const every = simpleSchedule()
        .withIntervalInMilliseconds(INTERVAL)
        .withRepeatCount(TIMES - 1);
      const trigger = newTrigger().withIdentity(`t${index}`).startAt(new Date(begin)).withSchedule(every).build();
      await scheduler.scheduleJob(job.withRetry({ max: 5, delay: 100 }).build(), trigger, { registeredLater: true });
    }
  });
}

async function rowsOf(tables: Tables): Promise<readonly string[]> {
  const rows = await tables.query<Row>('SELECT NAME, SCHEDULED_TIME FROM ROWS_OF_RUNS');
  return rows.map(({ NAME, SCHEDULED_TIME }) => `${NAME} ${Number(SCHEDULED_TIME)}`).sort();
}

async function prove(cluster: Cluster): Promise<void> {
  await cluster.tables.query(
    'CREATE TABLE ROWS_OF_RUNS (NAME VARCHAR(190), SCHEDULED_TIME BIGINT, RUN_ID VARCHAR(95))',
  );
  const living: NodeProcess[] = await Promise.all(['n1', 'n2', 'n3'].map((name) => start(cluster, name)));
  const begin = Date.now() + 1_500;
  await schedule(cluster, begin);
  for (let kill = 0; kill < KILLS; kill++) {
    await pause(Math.max(0, begin - Date.now()) + (TIMES * INTERVAL) / (KILLS + 1));
    const victim = living.shift() as NodeProcess;
    await cluster.kill(victim);
    living.push(await start(cluster, `after-${kill}`));
  }
  const expected = expectedRows(begin);
  for (
    const end = Date.now() + PATIENCE / 3;
    (await rowsOf(cluster.tables)).length < expected.length;
    await pause(100)
  ) {
    if (Date.now() > end) break;
  }
  await expectRest(cluster, living);
  expect(await rowsOf(cluster.tables)).toEqual(expected);
  const stored = await cluster.tables.query<{ id: string }>('SELECT RUN_ID AS id FROM ROWS_OF_RUNS');
  expect(new Set(stored.map(({ id }) => id)).size).toBe(expected.length);
}

describeOnServerFirst((newTables) => {
  it(
    'jobs store one row for each occurrence although nodes are killed while they store it',
    async () => inCluster(await newTables(), QUICK, prove, PATIENCE),
    PATIENCE + 20_000,
  );
});
