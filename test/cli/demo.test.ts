import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadMigrations } from '../../src/store/sql/schema/schema-files';
import { startCli } from '../support/cli-process';
import {
  createDatabase,
  describeOnOneServer,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';
import { variablesOf } from '../support/folder-with-package';
import { freshDist } from '../support/fresh-dist';
import { IS_LONG } from '../support/long-forms';
import { proves } from '../support/proves';

const MINUTE = 60_000;

/** The guide that shows what the demo prints. */
const CLUSTER_GUIDE = readFileSync(join(__dirname, '../../docs/guides/cluster.md'), 'utf8');

/** Number of rows that record applied migrations. */
const MIGRATIONS = loadMigrations('mysql').length;

type Ask = (path: string) => Promise<{ readonly items: readonly Item[] }>;

/** Name of a node or run. */
interface Item {
  readonly instanceId: string;
  readonly outcome?: string;
}

const askWith =
  (url: string, token: string): Ask =>
  async (path) =>
    (await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })).json() as ReturnType<Ask>;

/** The nodes, and how their runs ended, until one of them is gone and its runs are recorded as lost. Rejects when the demo ends first. */
async function watchUntilRecovered(ask: Ask) {
  const nodes = new Set<string>();
  const outcomes = new Set<string>();
  for (let left = 3; left > 2 || !outcomes.has('lost') || !outcomes.has('succeeded'); ) {
    const { items } = await ask('api/schedulers/Demo/nodes');
    for (const { instanceId } of items) nodes.add(instanceId);
    left = nodes.size < 3 ? 3 : items.length;
    for (const { outcome } of (await ask('api/schedulers/Demo/runs?limit=1000')).items) outcomes.add(outcome ?? '');
    await sleep(500);
  }
  return nodes;
}

/** The words of a line of the demo, whatever its figures. */
const wordsOf = (line: string) =>
  [
    ...new Set(
      line
        .replace(/^(node-\d+ +\d+ +\w+).*/, '$1')
        .replace(/#token=.*/, '#token')
        .match(/[a-z]{2,}/gi),
    ),
  ].join(' ');

describe('quartz demo, without a terminal', () => {
  let folder: string;
  beforeAll(() => {
    freshDist();
    folder = mkdtempSync(join(tmpdir(), 'quartz-ts-demo-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it(
    'runs every firing once, recovers the runs of the killed node, and prints the output of the cluster guide',
    async () => {
      proves('command-line', 'demo');
      const startedAt = performance.now();
      const demo = startCli(IS_LONG ? ['demo'] : ['demo', '--for', '15s'], folder);
      await demo.seen('#token=');
      const [, url = '', token = ''] = /^Console: (\S+)#token=(\w+)$/m.exec(demo.output()) ?? [];
      const ask = askWith(url, token);
      expect(await (await fetch(url)).text()).toContain('<div id="app">');
      expect(await ask('api/session')).toMatchObject({ schedulers: ['Demo'], isReadOnly: true });
      const events = fetch(`${url}api/schedulers/Demo/events`, { headers: { authorization: `Bearer ${token}` } });
      const nodes = await watchUntilRecovered(ask);
      const { code, stdout, stderr } = await demo.ended;
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const seconds = (performance.now() - startedAt) / 1_000;
      const usual = IS_LONG ? 30 : 15;
      expect(seconds).toBeGreaterThan(usual - 5);
      expect(seconds).toBeLessThan(usual + 15);
      expect([...nodes].sort()).toEqual(['node-1', 'node-2', 'node-3']);
      expect(await (await events).text()).toContain('event: changed');
      await expect(fetch(url)).rejects.toThrow();
      expect(stdout).not.toContain('\u001b');
      const printed = stdout.split('\n').map(wordsOf);
      const shown = (/```text\n(Console: [\s\S]*?)```/.exec(CLUSTER_GUIDE)?.[1] ?? '').trim().split('\n').map(wordsOf);
      expect(shown.length).toBeGreaterThan(10);
      expect(shown.filter((line) => !printed.includes(line))).toEqual([]);
      expect(readdirSync(folder)).toEqual([]);
    },
    2 * MINUTE,
  );

  it(
    'prints its nodes as lines, and stops all its processes on a signal',
    async () => {
      proves('command-line', 'demo --nodes', 'demo --for', 'demo --http');
      const demo = startCli(['demo', '--nodes', '2', '--for', '1m'], folder);
      await demo.seen('node-2 is running as process');
      demo.child.kill('SIGINT');
      const { code, stdout } = await demo.ended;
      expect(code).not.toBe(0);
      const processes = [...stdout.matchAll(/is running as process (\d+)/g)].map(([, id]) => Number(id));
      expect(processes).toHaveLength(2);
      for (const id of processes) expect(() => process.kill(id, 0)).toThrow('ESRCH');
      expect(stdout).not.toContain('\u001b[');
      expect(stdout).toMatch(/^Console: http:\/\/127\.0\.0\.1:\d+\/#token=\w+$/m);
    },
    MINUTE,
  );
});

/** Every table that has rows of schedulers. */
const TABLES = [
  'FIRED_TRIGGERS SIMPLE_TRIGGERS CRON_TRIGGERS SIMPROP_TRIGGERS BLOB_TRIGGERS TRIGGERS JOB_DETAILS CALENDARS',
  'PAUSED_TRIGGER_GRPS SCHEDULER_STATE X_RUNS X_NODES X_META LOCKS',
].flatMap((names) => names.split(' '));

describeOnOneServer('quartz demo on a database', () => {
  let folder: string;
  let database: TestDatabase;
  let args: readonly string[];
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    freshDist();
    folder = mkdtempSync(join(tmpdir(), 'quartz-ts-demo-'));
    database = await createDatabase(await sharedServer());
    env = variablesOf(database.url);
    args = ['demo', '--url', env.QUARTZ_DB_URL ?? ''];
  });
  afterAll(async () => {
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Rows of each scheduler that has any; those that concern all have the name ''. */
  async function rowsBySchedule(): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const table of TABLES) {
      const text = `SELECT SCHED_NAME AS name, COUNT(*) AS count FROM QRTZ_${table} GROUP BY SCHED_NAME`;
      for (const { name, count } of await database.query<{ name: string; count: number }>(text))
        counts[name] = (counts[name] ?? 0) + Number(count);
    }
    return counts;
  }

  const writtenBefore = async () => {
    await database.query("INSERT INTO QRTZ_LOCKS VALUES ('Somebody', 'TRIGGER_ACCESS')");
    await database.query("INSERT INTO QRTZ_SCHEDULER_STATE VALUES ('Somebody', 'java', 1, 7500)");
    await database.query(
      "INSERT INTO QRTZ_JOB_DETAILS VALUES ('Somebody', 'job', 'demo', NULL, 'tick', '1', '0', '0', '0', NULL)",
    );
  };

  it(
    'creates the tables, runs every firing once, and deletes its rows but not the tables',
    async () => {
      proves('command-line', 'demo --config', 'demo --json');
      const config = join(__dirname, '../../config/cluster.yaml');
      const demo = startCli(['demo', '--config', config, '--for', '15s', '--json'], folder, env);
      const { code, stdout, stderr } = await demo.ended;
      const [first, summary, ...others] = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect({ code, stderr, others }).toEqual({
        code: 0,
        stderr: expect.not.stringContaining('could not'),
        others: [],
      });
      expect(first).toMatchObject({ type: 'console', pageUrl: `${first.url}#token=${first.token}` });
      expect(summary).toMatchObject({ type: 'summary', nodes: 3, firedTwice: 0, missing: 0, unexpected: 0 });
      expect(summary.firedOnce + summary.lostWithNode).toBe(summary.expected);
      expect(summary.recovered).toBe(summary.interrupted);
      expect(summary.interrupted).toBeGreaterThan(0);
      expect(await rowsBySchedule()).toEqual({ '': MIGRATIONS }); // which ones made them
    },
    MINUTE,
  );

  it(
    'deletes its own rows, but no others, when it is interrupted',
    async () => {
      proves('command-line', 'demo --url');
      await writtenBefore();
      const demo = startCli([...args, '--nodes', '2', '--for', '1m'], folder, env);
      await demo.seen('node-2 is running as process');
      const isFiring = "SELECT 1 FROM QRTZ_FIRED_TRIGGERS WHERE STATE = 'EXECUTING'";
      while ((await database.query(isFiring)).length === 0) await sleep(20);
      demo.child.kill('SIGINT');
      const { code, stderr } = await demo.ended;
      expect({ code, stderr }).toMatchObject({ code: 130, stderr: expect.stringContaining('was interrupted') });
      expect(await rowsBySchedule()).toEqual({ '': MIGRATIONS, Somebody: 3 });
    },
    MINUTE,
  );

  it(
    'reports the scheduler whose rows it cannot delete',
    async () => {
      const demo = startCli([...args, '--nodes', '2', '--for', '1m'], folder, env);
      for (const name of ['node-1', 'node-2']) await demo.seen(`${name} is running as process`);
      await database.query('RENAME TABLE QRTZ_LOCKS TO QRTZ_LOCKS_AWAY');
      demo.child.kill('SIGINT');
      const { code, stderr } = await demo.ended;
      await database.query('RENAME TABLE QRTZ_LOCKS_AWAY TO QRTZ_LOCKS');
      expect({ code, stderr }).toMatchObject({ code: 130, stderr: expect.stringMatching(/SCHED_NAME 'Demo-\w+'/) });
    },
    MINUTE,
  );
});
