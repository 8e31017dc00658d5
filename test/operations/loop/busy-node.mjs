import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fillConsole } from '../../../bench/lib/filled-console.mjs';
import { argumentsOf, settings } from '../../../bench/lib/options.mjs';
import { ourScheduler } from '../../../bench/lib/our-scheduler.mjs';
import { SqliteTables, TEMPLATE } from '../../../bench/lib/tables.mjs';
import { createConsole } from '../../../dist/console.mjs';
import { newJob, newTrigger } from '../../../dist/index.mjs';
import { FILLING_JOBS, fillMemory } from './filled-memory.mjs';

/*
 * A node with a console, a full store and a heartbeat of 10 ms on its loop. The parent sends `begin` and `end`. The answer to `end` is the largest
 * gap between two beats since `begin`. On Linux, a gap is the processor time of the loop's thread, so that other processes of a busy machine do
 * not count. On other systems, it is the elapsed time beyond the interval of the beat.
 */

const BEAT_MS = 10;
const OWN_THREAD = `/proc/self/task/${process.pid}/schedstat`;

const spent = (() => {
  try {
    const read = () => Number(readFileSync(OWN_THREAD, 'latin1').split(' ', 1)[0]) / 1e6;
    return Number.isFinite(read()) ? read : null;
  } catch {
    return null;
  }
})();

let gap = 0;
let before = 0;

const measured = spent ?? (() => performance.now());

function beat() {
  const now = measured();
  gap = Math.max(gap, now - before - (spent === null ? BEAT_MS : 0));
  before = now;
}

/** More triggers than a batch or a page may contain. */
const TRIGGERS = process.env.LONG_FORMS === undefined ? 1_100 : 4_000;

const stays = ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve));
const JOBS = { noop: async () => {}, seldom: async () => {}, stays };
const open = (values) =>
  ourScheduler(settings(argumentsOf({ id: 'busy', log: 'silent', threads: 50, ...values })), {
    ...JOBS,
    ...FILLING_JOBS,
  });

async function inMemory() {
  const scheduler = await open({});
  await fillMemory(scheduler);
  return { scheduler, drop: () => undefined };
}

async function inSqlite() {
  const tables = new SqliteTables();
  const scheduler = await open(tables.settings);
  const inAnHour = new Date(Date.now() + 3_600_000);
  await scheduler.scheduleJob(
    newJob('noop').withIdentity(TEMPLATE, TEMPLATE).storeDurably().build(),
    newTrigger().withIdentity(TEMPLATE, TEMPLATE).startAt(inAnHour).build(),
  );
  await fillConsole({ tables, scheduler, chosen: { n: TRIGGERS, runs: 6_000, overdue: 1_000 }, now: Date.now() });
  // A pause would wait for these nodes, which do not exist.
  await tables.query("DELETE FROM QRTZ_SCHEDULER_STATE WHERE INSTANCE_NAME <> 'busy'");
  await tables.query(
    "UPDATE QRTZ_X_RUNS SET OUTCOME = 'failed', IS_DEAD_LETTER = '1' WHERE JOB_NAME = 'j1' OR (JOB_NAME = 'j0' AND RUN_ID LIKE 'run1%')",
  );
  return { scheduler, drop: () => tables.drop() };
}

const { scheduler, drop } = await (process.argv[2] === 'memory' ? inMemory() : inSqlite());
const actor = { name: 'tester', role: 'admin', via: 'http', from: null };
const shown = createConsole(scheduler, { auth: { authenticate: async () => actor } });
const server = createServer(shown.listener);
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
await scheduler.start();
setInterval(beat, BEAT_MS);

process.on('message', (message) => {
  if (message === 'begin') {
    beat();
    gap = 0;
    return process.send({ begun: true });
  }
  if (message === 'spin') {
    const until = measured() + 200;
    while (measured() < until);
    return process.send({ spun: true });
  }
  // Two beats later, so that work after the response counts too.
  setTimeout(() => process.send({ gap }), 2 * BEAT_MS + 1);
});
process.on('disconnect', async () => {
  await shown.close();
  server.close();
  await scheduler.shutdown({ waitForJobs: false });
  await drop();
  process.exit(0);
});
process.send({ url: `http://127.0.0.1:${server.address().port}`, scheduler: 'bench' });
