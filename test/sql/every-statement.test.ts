import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ActionRecord } from '../../src/domain/action';
import type { ConsoleSession } from '../../src/domain/console-session';
import { jobKey, triggerKey } from '../../src/domain/keys';
import type { RunRecord } from '../../src/domain/run';
import { RERUN, RERUNNABLE } from '../../src/domain/run-detail';
import type { SqlValue } from '../../src/store/sql/runtime/sql-driver';
import { sqlFolder } from '../../src/store/sql/runtime/sql-files';
import { applyTokens, loadStatements, type Statement, type Statements } from '../../src/store/sql/runtime/statements';
import { loadPriorityIndex } from '../../src/store/sql/schema/schema-files';
import { everyMinute, everyNoon, HOUR, job, MINUTE, NOW, once, without } from '../conformance/samples';
import { StoreDriver, storing, storingCalendar } from '../conformance/store-driver';
import { JAVA_TABLES } from '../support/database/java-tables';
import { openStores, type StoreDatabase, storeOn, testNode } from '../support/database/sql-store';
import {
  type Bystander,
  createDatabase,
  describeOnServer,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';
import { DatabaseSync } from '../support/sqlite';

const SCHED_NAME = 'every statement';

/** Text about indexes in the comment above each statement, by statement name. */
function statedIndexes(dialect: 'mysql' | 'sqlite'): ReadonlyMap<string, string> {
  const text = readFileSync(join(sqlFolder(dialect), `../expanded/${dialect}.sql`), 'utf8');
  const blocks = text.split(/^-- name: /m).slice(1);
  return new Map(
    blocks.map((block) => {
      const comment = /^-- Index: (.*(?:\n-- .*)*)/m.exec(block)?.[1] ?? '';
      return [block.slice(0, block.indexOf('\n')), comment.replace(/ Locks: .*/s, '')];
    }),
  );
}

/** Rows of the form that the statement reads: texts, columns in order, or columns by name. */
function rowsFor(text: string): readonly unknown[] {
  const isText = /PATH '\$'\)|SELECT value FROM|SELECT :schedName AS sched_name,\s+value AS/.test(text);
  if (isText) return ['DEFAULT', 'sample', 'holidays'];
  if (text.includes('QRTZ_X_EXPECTATIONS'))
    return ['saving 7', 'saving 8'].map((name) => [name, 'DEFAULT', 'trigger', NOW]);
  if (text.includes('QRTZ_X_CHECKPOINTS')) return ['occurrence 7', 'occurrence 8'].map((id) => [id, -1, 'run 7', '1']);
  if (text.includes('QRTZ_X_RUNS')) return ['run 7', 'run 8'].map((runId) => [NOW, runId]);
  if (/'\$\[0\]'|value ->> 0/.test(text))
    return ['t7', 't8'].map((name) => [name, 'DEFAULT', name, 'DEFAULT', 5, 6, 7, 8]);
  const row = { triggerName: 't7', triggerGroup: 'DEFAULT', jobName: 'job', jobGroup: 'DEFAULT', entryId: 'node.1' };
  return [row, { ...row, triggerName: 't8' }];
}

/** A value for every parameter. */
function valueFor(parameter: string, text: string): SqlValue {
  const values: Readonly<Record<string, SqlValue>> = {
    schedName: SCHED_NAME,
    instanceId: 'node',
    lockName: 'TRIGGER_ACCESS',
    limitKey: 'key 1',
    rows: JSON.stringify(rowsFor(text)),
    triggers: JSON.stringify([
      ['t7', 'DEFAULT'],
      ['t8', 'DEFAULT'],
    ]),
    jobs: JSON.stringify([
      ['job', 'DEFAULT'],
      ['t9', 'DEFAULT'],
    ]),
    from: 0,
    state: 'WAITING',
    time: 0,
    lastTime: NOW,
    before: NOW,
    noLaterThan: NOW,
    readUntil: NOW,
    lateBefore: NOW,
    ownFrom: NOW,
    train: 1,
    version: '1',
    misfireTime: NOW,
    dueBy: NOW,
    now: NOW,
    epoch: 'e',
    lookBack: NOW,
    isCounted: 1,
    end: NOW,
    afterName: 't1',
    waitsForName: 'j1',
    waitsForGroup: 'g',
    afterId: 'a',
    firstName: 't1',
    endName: 't2',
    afterGroup: 'DEFAULT',
    checkInInterval: 7500,
    tokenKey: 'commit.a',
    metaKey: 'timeZoneData',
    expected: '2025c',
    age: 1,
    number: 1,
    actionId: 'id 7',
    sessionHash: 'session 7',
    userKind: 'user',
    userName: 'ann',
    credentialHash: 'credential',
    actor: 'actor 7',
    operation: 'jobs.7',
    role: 'admin',
    via: 'http',
    subject: 'job',
    input: '{}',
    priority: 5,
    minPriority: -10,
    maxPriority: 10,
    maxFallbackAfter: NOW,
    limit: 100,
    skip: 0,
    take: 10,
    rateKey: 'rate 7',
    after: 0,
    sort: 'nextFireTime',
    direction: 1,
    descending: 0,
    jobName: 'job',
    jobGroup: 'DEFAULT',
    triggerName: 't7',
    triggerGroup: 'DEFAULT',
    outcome: 'failed',
    isDeadLetter: '0',
    rerunnable: RERUNNABLE,
    rerun: RERUN,
    since: 0,
    endTime: NOW + 1,
    runId: '',
    occurrenceId: 'occurrence 7',
    shard: -1,
    isNotified: '0',
    detailLength: 4_000,
    endGroup: 'DEFAULT',
    afterTarget: 'trigger',
    skipped: 10,
    most: 10,
    scanned: 10,
    prefix: 'deferred_',
    deferredGroup: 'DEFERRED_JOBS',
  };
  // Lists that begin at an index get a value for its first column.
  if (parameter === 'calendarName' && text.includes('IDX_QRTZ_T_C')) return 'calendar';
  if (parameter === 'group' && text.includes('IDX_QRTZ_T_G')) return 'DEFAULT';
  if (text.includes('IDX_QRTZ_T_J')) return values[parameter] ?? null;
  // Lists of jobs and triggers are read without a filter.
  if (/jobName|triggerName/.test(parameter) && /IS NULL OR/.test(text) && !text.includes('QRTZ_X_RUNS')) return null;
  return values[parameter] ?? null;
}

/** Fills the tables with so many rows of every kind, most of other schedulers, that a scan would not be chosen. */
async function fill(database: StoreDatabase): Promise<void> {
  for (const schedName of ['another', 'a third', 'a fourth', SCHED_NAME]) await fillOne(database, schedName);
}

async function fillOne(database: StoreDatabase, schedName: string): Promise<void> {
  const driver = new StoreDriver(storeOn(database, testNode({ schedName })));
  await driver.open();
  await driver.applyOne(storingCalendar(without('2026-12-25')));
  const keys = Array.from({ length: 300 }, (_, index) => `t${index}`);
  await driver.schedule(job(), ...keys.map((name) => everyMinute(name)));
  await driver.apply(...keys.map((name) => storing(everyNoon(`cron ${name}`, { calendarName: 'holidays' }))));
  for (const name of keys.slice(0, 100)) await driver.schedule(job(name));
  await driver.store.pauseTriggers({ operator: 'equals', value: 'paused' });
  await driver.fireDue({ maxCount: 50 });
  await driver.acquire({ maxCount: 50 });
  const limited = { policy: { concurrency: { key: 'key {data.n}', limit: 1 } } };
  const atOnce = Array.from({ length: 300 }, (_, index) => once(`limited ${index}`, { data: { n: index % 30 } }));
  await driver.schedule(job('limited', limited), ...atOnce);
  await driver.fireDue({ maxCount: 50 });
  const rate = { key: 'rate {data.n}', limit: 1, per: MINUTE, burst: 1 };
  const often = Array.from({ length: 300 }, (_, index) => once(`rated ${index}`, { data: { n: index } }));
  await driver.schedule(job('rated', { policy: { rate } }), ...often);
  await driver.fireDue({ maxCount: 300 });
  await saveCheckpoints(driver);
  for (let index = 0; index < 100; index++) await driver.store.recordAction(actionOf(index));
  for (let index = 0; index < 100; index++) await driver.store.beginSession(sessionOf(index), NOW);
  const queued = Array.from({ length: 100 }, (_, index) => once(`queued ${index}`));
  await driver.schedule(job('queued', { policy: { overlap: { queueAll: 1_000 } } }), ...queued);
  await driver.fireDue({ maxCount: 100 });
  await driver.store.recordRuns(Array.from({ length: 300 }, (_, index) => runOf(index)));
  const late = Array.from({ length: 100 }, (_, index) => once(`late ${index}`, { startTime: NOW - HOUR }));
  await driver.schedule(job('late'), ...late);
  await driver.recoverMisfires();
}

function actionOf(index: number): ActionRecord {
  const actor = { actor: `actor ${index % 10}`, role: 'admin', via: 'http', address: null };
  const what = { operation: `jobs.${index % 10}`, target: 'job', input: '{}', changes: null, error: null };
  return { time: NOW + index, id: `id ${index}`, ...actor, ...what };
}

function sessionOf(index: number): ConsoleSession {
  const account = { userKind: 'user', userName: 'ann', credentialHash: 'credential' };
  return { idHash: `session ${index}`, ...account, endTime: NOW + 1 + index * MINUTE };
}

/** Saves checkpoints of runs that are still executing. */
async function saveCheckpoints(driver: StoreDriver): Promise<void> {
  await driver.schedule(
    job('saving'),
    ...Array.from({ length: 100 }, (_, index) => once(`saving ${index}`, { policy: { mustSucceedWithin: 1 } })),
  );
  for (const [index, { runId }] of (await driver.fireDue({ maxCount: 100 })).entries()) {
    const key = { occurrenceId: `occurrence ${index}`, shard: null };
    await driver.store.saveCheckpoint({ ...key, runId, value: '1' }, NOW);
  }
}

/** One in ten failed, and half of these are dead letters. */
function runOf(index: number): RunRecord {
  return {
    runId: `run ${index}`,
    triggerKey: triggerKey(`t${index % 30}`),
    jobKey: jobKey(`t${index % 30}`),
    jobType: 'sample',
    instanceId: 'node',
    occurrenceId: `run ${index}`,
    scheduledTime: NOW,
    fireTime: NOW,
    endTime: NOW - Math.floor(index / 2),
    attempt: 1,
    outcome: index % 10 === 0 ? 'failed' : 'succeeded',
    isDeadLetter: index % 20 === 0,
    error: null,
    detail: null,
  };
}

/** Rows of the node itself. Without them a server detects before planning that there is nothing to read. */
const NODE_ROWS = [
  `INSERT INTO QRTZ_SCHEDULER_STATE VALUES ('${SCHED_NAME}', 'node', 1, 7500)`,
  `INSERT INTO QRTZ_X_NODES
     (SCHED_NAME, INSTANCE_NAME, EPOCH, PROTOCOL, VERSION, HOST, PROCESS_ID, STARTED_AT, CHECKIN_GRACE, CLOCK_OFFSET, STATUS,
      SIGNAL_NUMBER, SIGNAL_SEEN)
   VALUES ('${SCHED_NAME}', 'node', 'e', 1, '1', 'h', 1, 1, 7500, 0, 'started', 0, 0)`,
  ...['a', 'b', 'c'].map(
    (mark) => `INSERT INTO QRTZ_X_META VALUES ('${SCHED_NAME}', 'commit.${mark}', '1700000000000 1')`,
  ),
  `INSERT INTO QRTZ_X_META VALUES ('${SCHED_NAME}', 'versionKey', 'key')`,
  `INSERT INTO QRTZ_X_META VALUES ('${SCHED_NAME}', 'schedule.version', '1') ON DUPLICATE KEY UPDATE META_VALUE = '1'`,
  `INSERT INTO QRTZ_X_META VALUES ('${SCHED_NAME}', 'timeZoneData', '2025c')`,
  `INSERT INTO QRTZ_X_META VALUES ('${SCHED_NAME}', 'rules', '{"rules":"safe","clockChanges":"quartz"}')`,
];

interface ExplainRow {
  readonly table: string | null;
  readonly type: string | null;
  readonly key: string | null;
  readonly key_len: string | null;
  readonly Extra: string | null;
}

/** Length in bytes of the scheduler's name alone: a key of this length reads all rows of the scheduler. */
const ONE_COLUMN = '482';

describeOnServer.each(['made by quartz-ts', 'made by Java, with all its indexes'] as const)(
  'every statement on MySQL or MariaDB, on tables that are %s,',
  (tables) => {
    const stated = statedIndexes('mysql');
    const statements: Statements = loadStatements('mysql', { tablePrefix: 'QRTZ_' });
    let server: TestDatabase;
    let planning: Bystander;
    let stores: StoreDatabase;
    let keyText: { characterSet: string; collation: string };

    beforeAll(async () => {
      server = await createDatabase(await sharedServer(), 'utf8mb4 COLLATE utf8mb4_bin');
      if (tables !== 'made by quartz-ts') for (const text of JAVA_TABLES) await server.query(text);
      stores = await openStores(server.url, { orderByPriority: true });
      await fill(stores);
      for (const text of NODE_ROWS) await server.query(text);
      const [column] = await server.query<{ c: string }>(
        `SELECT COLLATION_NAME AS c FROM information_schema.COLUMNS
       WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'QRTZ_TRIGGERS' AND COLUMN_NAME = 'TRIGGER_NAME'`,
      );
      keyText = { characterSet: 'utf8mb4', collation: column?.c as string };
      planning = await server.connect();
    });

    afterAll(async () => {
      await planning.close();
      await stores.close();
      await server.drop();
    });

    const explain = (statement: Statement) => {
      const values = statement.parameters.map((parameter) => valueFor(parameter, statement.text));
      const text = applyTokens(statement.text, { tablePrefix: 'QRTZ_', keyText });
      // MySQL 9 by itself answers with a tree.
      return planning.query<ExplainRow>(`EXPLAIN FORMAT=TRADITIONAL ${text}`, values);
    };

    it.each(statements.names)('%s uses the indexes that its comment names, and scans no table', async (name) => {
      const comment = stated.get(name) ?? '';
      const statement = statements.get(name);
      const plan = (await explain(statement)).filter(({ table }) => table !== null && /^[a-z]$|^QRTZ_/.test(table));
      const own = plan.filter(({ table }) => table !== 'r');
      const target = /^INSERT (?:IGNORE )?INTO (QRTZ_\w+)/.exec(statement.text)?.[1];
      const read = own.filter(({ table }) => table !== target);
      expect(read.filter(({ type, key }) => type === 'ALL' || key === null)).toEqual([]);
      const wide = read.filter(({ type, key_len }) => type === 'ref' && key_len === ONE_COLUMN);
      if (!/first column|jumping|optimizer/.test(comment)) expect(wide).toEqual([]);
      if (comment.includes('backwards')) expect(own.map(({ Extra }) => Extra).join()).not.toMatch(/filesort|temporary/);
      if (target === undefined && statement.text.includes('QRTZ_')) expect(own.length).toBeGreaterThan(0);
      if (statement.text.includes('QRTZ_')) expect(comment).not.toBe('');
      if (tables !== 'made by quartz-ts') return; // with Java's indexes the optimizer may choose another one
      const used = new Set(own.map(({ key }) => key).filter((key) => key !== null));
      for (const index of comment.match(/IDX_QRTZ_\w+/g) ?? []) expect([...used]).toContain(index);
      const isChosenByServer = comment.includes('what the optimizer finds'); // MySQL and MariaDB find different ones
      if (!isChosenByServer) for (const index of used) expect(comment).toContain(index);
    });
  },
);

/** SQLite cannot be told to use the primary key, and takes an index that begins like it. */
const INSTEAD_OF_PRIMARY: Readonly<Record<string, readonly string[]>> = {
  deleteTriggers: ['IDX_QRTZ_T_G'],
  countPartsLeft: ['IDX_QRTZ_T_G'],
};

describe('every statement on SQLite', () => {
  const stated = statedIndexes('sqlite');
  const statements = loadStatements('sqlite', { tablePrefix: 'QRTZ_' });
  const plain = new DatabaseSync(':memory:');
  const byPriority = new DatabaseSync(':memory:');

  beforeAll(() => {
    for (const database of [plain, byPriority]) {
      // Without foreign keys, whose checks have plans of their own.
      database.exec('PRAGMA foreign_keys = OFF');
      database.exec(readFileSync(join(sqlFolder('sqlite'), 'schema.sql'), 'utf8'));
    }
    byPriority.exec(loadPriorityIndex('sqlite').text);
  });

  afterAll(() => {
    plain.close();
    byPriority.close();
  });

  const explain = (statement: Statement) => {
    const values = statement.parameters.map((parameter) => valueFor(parameter, statement.text));
    // The index of the order by priority is there only where that is asked for.
    const database = statement.text.includes(loadPriorityIndex('sqlite').name) ? byPriority : plain;
    const rows = database.prepare(`EXPLAIN QUERY PLAN ${statement.text}`).all(...(values as never[]));
    return (rows as { detail: string }[]).map(({ detail }) => detail);
  };

  it.each(statements.names)('%s uses the indexes that its comment names, and scans no table', (name) => {
    const comment = stated.get(name) ?? '';
    const { text } = statements.get(name);
    const plan = explain(statements.get(name));
    const used = plan.flatMap((detail) => /USING (?:COVERING )?INDEX (IDX_QRTZ_\w+)/.exec(detail)?.[1] ?? []);
    const temporary = plan.flatMap((detail) => /^(?:MATERIALIZE|CO-ROUTINE) (\w+)$/.exec(detail)?.[1] ?? []);
    const isOfTable = (detail: string) =>
      !temporary.some((alias) => [`SCAN ${alias}`, `SCAN ${alias} LEFT-JOIN`].includes(detail)) &&
      !/json_each|VIRTUAL TABLE|CONSTANT ROW|VALUES CLAUSE/.test(detail);
    expect(plan.filter((detail) => detail.startsWith('SCAN ') && isOfTable(detail))).toEqual([]);
    if (text.includes('QRTZ_')) expect(comment).not.toBe('');
    if (comment.includes('backwards')) expect(plan.join()).not.toContain('TEMP B-TREE');
    if (comment.includes('optimizer')) return;
    for (const index of comment.match(/IDX_QRTZ_\w+/g) ?? []) expect(used).toContain(index);
    const instead = INSTEAD_OF_PRIMARY[name] ?? (comment.includes('first column') ? used : []);
    for (const index of used) if (!instead.includes(index)) expect(comment).toContain(index);
    // By the scheduler's name alone: only where the comment says that all its rows are read.
    const wide = plan.filter((detail) => / \(SCHED_NAME=\?\)/.test(detail));
    if (!/first column|jumping/.test(comment)) expect(wide).toEqual([]);
  });
});
