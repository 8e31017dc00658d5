import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '../../src/base/clock';
import { sleepFor } from '../../src/base/sleep';
import { describeOnServer, sharedServer } from '../support/database/test-database';
import { checkHistory, describeVerdict, errorsIn } from './support/check-history';
import { Cluster } from './support/cluster';
import { mysqlTables, sqliteTables, type Tables } from './support/tables';
import { expectedTriggers, type Load, schedule } from './support/workload';

const LOADS: readonly Load[] = [
  {
    name: 'often',
    jobs: 40,
    triggers: 2,
    interval: 1_000,
    duration: 20,
    schedule: 'simple',
    exclusive: false,
    recovers: false,
  },
  {
    name: 'cron',
    jobs: 20,
    triggers: 1,
    interval: 2_000,
    duration: 50,
    schedule: 'cron',
    exclusive: false,
    recovers: false,
  },
  {
    name: 'alone',
    jobs: 6,
    triggers: 4,
    interval: 3_000,
    duration: 150,
    schedule: 'simple',
    exclusive: true,
    recovers: false,
  },
  {
    name: 'again',
    jobs: 10,
    triggers: 1,
    interval: 2_500,
    duration: 1_500,
    schedule: 'simple',
    exclusive: false,
    recovers: true,
  },
  {
    name: 'both',
    jobs: 4,
    triggers: 2,
    interval: 3_000,
    duration: 700,
    schedule: 'simple',
    exclusive: true,
    recovers: true,
  },
];

const clock = new SystemClock();
const pause = (duration: number) => sleepFor(clock, duration, new AbortController().signal);

/** Three nodes under load, of which two are killed and replaced. */
async function killAndReplace(tables: Tables) {
  const cluster = await Cluster.on(tables);
  try {
    const nodes = await Promise.all(['one', 'two', 'three'].map((name) => cluster.start(name)));
    const from = clock.now() + 500;
    const to = from + 9_000;
    const expected = expectedTriggers(LOADS, from, to);
    await cluster.withScheduler((scheduler) => schedule(scheduler, expected));
    for (const [index, replacement] of ['four', 'five'].entries()) {
      await pause(index === 0 ? 2_300 : 1_700);
      await cluster.kill(nodes[index] as (typeof nodes)[number]);
      await cluster.start(replacement);
    }
    await pause(to - clock.now() + 1_000);
    await untilQuiet(cluster);
    await cluster.shutdown();
    return { run: await cluster.run(expected), rest: await cluster.restState() };
  } finally {
    await cluster.dispose();
  }
}

async function untilQuiet(cluster: Cluster): Promise<void> {
  for (let looks = 0; looks < 100; looks++) {
    const { states, firedRows } = await cluster.restState();
    if (firedRows === 0 && Object.keys(states).length === 0) return;
    await pause(100);
  }
}

function judge({ run, rest }: Awaited<ReturnType<typeof killAndReplace>>): void {
  const verdict = checkHistory(run);
  process.stdout.write(`${expect.getState().currentTestName}: ${describeVerdict(verdict)}\n`);
  expect(verdict.violations).toEqual(Object.fromEntries(Object.keys(verdict.violations).map((name) => [name, []])));
  expect(verdict.counts.expected).toBeGreaterThan(900);
  expect(verdict.counts.interrupted).toBeGreaterThan(0);
  expect(verdict.counts.runAgain).toBeGreaterThan(0);
  expect(errorsIn(run.history)).toEqual([]);
  expect(rest).toEqual({ firedRows: 0, states: {}, nodes: [], locks: 2 });
}

it('kill -9 on SQLite: nothing twice, nothing lost but with its node, everything that asked for it run again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quartz-kill-'));
  try {
    judge(await killAndReplace(sqliteTables(join(folder, 'quartz.db'))));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 60_000);

describeOnServer('kill -9 on a server', () => {
  it('nothing twice, nothing lost but with its node, everything that asked for it run again', async () => {
    judge(await killAndReplace(await mysqlTables(await sharedServer())));
  }, 60_000);
});
