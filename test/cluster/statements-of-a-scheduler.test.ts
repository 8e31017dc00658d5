import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { newJob } from '../../src/api/builders/job-builder';
import { newTrigger } from '../../src/api/builders/trigger-builder';
import type { Trigger } from '../../src/api/trigger';
import type { JobDetail } from '../../src/domain/job-detail';
import {
  describeOnAnyServer,
  flavourOfTests,
  type PrivateServer,
  startServer,
} from '../support/database/test-database';
import { report } from './support/figures';
import { type Local, LocalSchedulers } from './support/local-schedulers';
import { mysqlTables, type Tables } from './support/tables';

const FIRINGS = 1_500;
const CONCURRENT = 25;

/** Load of a whole scheduler, including check-ins and polls, as counted by a private server. */
describeOnAnyServer('a scheduler that drains one-shot triggers', () => {
  let server: PrivateServer;
  let tables: Tables;
  let local: LocalSchedulers;
  let asking: Connection;

  beforeAll(async () => {
    server = await startServer();
    tables = await mysqlTables(server);
    asking = await createConnection(server.url);
    local = new LocalSchedulers(tables);
  });

  afterAll(async () => {
    await local.shutdown();
    await asking.end();
    await server.stop();
  });

  const COUNTED = ['Questions', 'Com_commit', 'Handler_commit', 'Com_stmt_execute'] as const;

  async function counters() {
    const [rows] = await asking.query<RowDataPacket[]>('SHOW GLOBAL STATUS');
    const values = new Map(rows.map(({ Variable_name, Value }) => [Variable_name, Number(Value)]));
    return COUNTED.map((name) => values.get(name) as number);
  }

  /** Counters per firing of one drain from its start, and its duration in milliseconds. */
  async function drain({ scheduler }: Local, round: number) {
    let completed = 0;
    const ended = { all: () => {} };
    const drained = new Promise<void>((resolve) => {
      ended.all = resolve;
    });
    const unsubscribe = scheduler.subscribe((event) => {
      if (event.type === 'triggerCompleted' && ++completed === FIRINGS) ended.all();
    });
    await scheduler.standby();
    const at = new Date();
    const jobs = new Map<JobDetail, readonly Trigger[]>();
    for (let index = 0; index < FIRINGS; index++) {
      const name = `${round} ${index}`;
      jobs.set(newJob('quick').withIdentity(name).build(), [newTrigger().withIdentity(name).startAt(at).build()]);
    }
    await scheduler.scheduleJobs(jobs, { replace: false });
    const before = await counters();
    const start = performance.now();
    await scheduler.start();
    await drained;
    const time = performance.now() - start;
    const after = await counters();
    unsubscribe();
    return { time, costs: COUNTED.map((_, i) => ((after[i] as number) - (before[i] as number)) / FIRINGS) };
  }

  it('needs at most 0.6 statements and 0.1 commits per firing with 25 workers', async () => {
    const node = await local.create('node', {
      threadPool: { threadCount: CONCURRENT },
      jobs: { quick: async () => undefined },
    });
    await node.scheduler.start();
    const rounds: Awaited<ReturnType<typeof drain>>[] = [];
    for (let round = 0; round < 3; round++) rounds.push(await drain(node, round));
    // Polls and check-ins depend on time, so they count more on a busy machine.
    const { costs, time } = rounds.sort((a, b) => (a.costs[0] ?? 0) - (b.costs[0] ?? 0))[0] as (typeof rounds)[number];
    report(
      COUNTED.map((name, i) => `${name} per firing: ${costs[i]?.toFixed(3)}`).join(', '),
      `${Math.round((FIRINGS / time) * 1_000)} firings a second`,
    );
    const [statements, commits, , prepared] = costs as [number, number, number, number];
    // MySQL counts each step of a script as a statement, and ends the script with three statements that cannot be prepared.
    const isMysql = flavourOfTests() === 'mysql';
    expect(statements).toBeLessThanOrEqual(isMysql ? 0.6 : 0.5);
    expect(commits).toBeLessThanOrEqual(0.1);
    // A prepared statement is a single statement, so none is hidden in a packet. The others are commits and the query of this test.
    expect(statements - commits - prepared).toBeLessThan(isMysql ? 0.06 : 0.02);
    const rows = await tables.query<{ count: number }>('SELECT COUNT(*) AS count FROM QRTZ_FIRED_TRIGGERS');
    expect(Number(rows[0]?.count)).toBe(0);
  });
});
