import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SystemClock } from '../../../../src/base/clock';
import { systemRandom } from '../../../../src/base/ids';
import { ManualClock } from '../../../../src/base/manual-clock';
import type { TriggerFiring } from '../../../../src/domain/firing';
import { formatKey, keyText } from '../../../../src/domain/keys';
import type { NodeIdentity, NodeRecord } from '../../../../src/store/cluster-store';
import { newAcquireMemory } from '../../../../src/store/sql/operations/acquire-memory';
import { NodeTransactions } from '../../../../src/store/sql/rows/node-transaction';
import { LockedRows, RejectedTriggers } from '../../../../src/store/sql/rows/skipped-triggers';
import type { RowProblem, SqlNode } from '../../../../src/store/sql/rows/sql-node';
import type { IsolationLevel } from '../../../../src/store/sql/runtime/sql-driver';
import { Transactions } from '../../../../src/store/sql/runtime/transactions';
import { SqlClusterStore } from '../../../../src/store/sql/sql-cluster-store';
import { SqlJobStore } from '../../../../src/store/sql/sql-job-store';
import { loadSqlite } from '../../../../src/store/sql/sqlite/sqlite-module';
import { StoreDriver } from '../../../conformance/store-driver';
import { openStores, type StoreDatabase, testNode } from '../../../support/database/sql-store';
import { SteppedDriver } from '../../../support/database/stepped-driver';
import {
  createDatabase,
  describeOnAnyServer,
  describeOnOneServer,
  describeOnServer,
  sharedServer,
  type TestDatabase,
} from '../../../support/database/test-database';
import { FaultProxy } from '../../../support/fault-proxy';
import { IS_LONG } from '../../../support/long-forms';
import { memoryFolder } from '../../../support/memory-folder.cjs';

export const RECOVERY = { maxRecoveryAttempts: 3, maxHandOvers: 10 };

/** A clock that can be stopped, so that waiting for a lock takes no time and two runs can be compared. */
class StoppableClock extends SystemClock {
  #stoppedAt: number | null = null;

  override monotonic(): number {
    return this.#stoppedAt ?? super.monotonic();
  }

  stop(): void {
    this.#stoppedAt = super.monotonic();
  }
}

/** A node on separate connections that tests control step by step. */
export class DefectNode extends StoreDriver {
  readonly steps: SteppedDriver;
  readonly cluster: SqlClusterStore;
  readonly node: SqlNode;
  readonly identity: NodeIdentity;
  readonly clock: StoppableClock;
  /** Clock of the time for which the node skips refused rows. */
  readonly patience: ManualClock;
  readonly problems: readonly RowProblem[];

  constructor({ driver }: StoreDatabase, schedName: string, instanceId: string) {
    const steps = new SteppedDriver(driver);
    const problems: RowProblem[] = [];
    const patience = new ManualClock();
    const lockedRows = new LockedRows(patience);
    const own = {
      incarnation: { epoch: null, jobTypes: null, status: 'MEMBER' as const },
      rejectedTriggers: new RejectedTriggers(patience),
      lockedRows,
    };
    const clock = new StoppableClock();
    const node: SqlNode = { ...testNode({ schedName, instanceId, problems, clock }), ...own };
    const onLongWait = () => lockedRows.suspect();
    const transactions = new Transactions(steps, {
      schedName,
      clock: new SystemClock(),
      random: systemRandom,
      onLongWait,
    });
    const ofNode = new NodeTransactions(transactions, node);
    const memory = newAcquireMemory(ofNode);
    super(new SqlJobStore(ofNode, driver.dialect.name, memory));
    this.steps = steps;
    this.clock = clock;
    this.patience = patience;
    this.problems = problems;
    this.node = node;
    this.cluster = new SqlClusterStore(ofNode, memory);
    const pace = { checkInInterval: 1_000, checkInGrace: 2_000 };
    this.identity = { instanceId, epoch: instanceId, version: '1', host: 'h', processId: 1, ...pace };
  }

  async join(): Promise<void> {
    await this.open();
    await this.cluster.join(this.identity, null, RECOVERY);
  }

  /** Recovers another node as dead. */
  async recover(other: DefectNode) {
    return this.cluster.recoverInstance(await other.record(), RECOVERY);
  }

  async record(): Promise<NodeRecord> {
    const { nodes } = await this.cluster.readNodes();
    return nodes.find(({ instanceId }) => instanceId === this.identity.instanceId) as NodeRecord;
  }

  /** Number of fired triggers of all nodes, in every state. */
  async firedRows(): Promise<number> {
    const { schedName } = this.node;
    const counts = await Promise.all(
      ['a', 'b', 'c'].map((instanceId) =>
        this.steps.transaction('completions', (tx) =>
          tx.all('selectFiringsOf', { schedName, instanceId, limit: 1_000 }),
        ),
      ),
    );
    return counts.flat().length;
  }
}

/** Three nodes on one new schedule. */
export interface DefectNodes {
  readonly a: DefectNode;
  readonly b: DefectNode;
  readonly c: DefectNode;
}

/** Three nodes on one new schedule, with their database. */
export interface DefectCluster extends DefectNodes {
  /** Opens three nodes with the same ids on another schedule in the same tables. */
  another(): Promise<DefectNodes>;
  /** Null on SQLite, where no other session can act during a transaction. */
  readonly server: TestDatabase | null;
  /** Proxy between node `a` and the server; null on SQLite. */
  readonly proxy: FaultProxy | null;
  /** Runs a statement without the stores. */
  change(text: string): Promise<unknown>;
  /** Resolves when a node waits for a row of the table, by default a lock of the cluster; at once on SQLite, which has no queue. */
  untilWaiting(table?: string): Promise<void>;
}

/**
 * Registers the tests for SQLite, and for a server with the isolation level that a store sets; in the long form also with the other level. Every
 * test has new nodes.
 */
export function describeOnSqlStores(title: string, tests: (cluster: DefectCluster) => void): void {
  describeOn(describeOnAnyServer, title, tests);
}

/** Like `describeOnSqlStores`, but on both servers, because they report these faults in different ways. */
export function describeOnBothServers(title: string, tests: (cluster: DefectCluster) => void): void {
  describeOn(describeOnServer, title, tests);
}

function describeOn(
  describeServers: typeof describeOnServer | typeof describeOnAnyServer,
  title: string,
  tests: (cluster: DefectCluster) => void,
): void {
  const onServer = (isolation: IsolationLevel) => () => {
    let server: TestDatabase;
    let proxy: FaultProxy;
    describeNodes(
      async () => {
        server = await createDatabase(await sharedServer());
        proxy = await FaultProxy.before(server.url);
        const nodes: StoreDatabase[] = [];
        for (const url of [proxy.url, server.url, server.url]) nodes.push(await openStores(url, { isolation }));
        return { nodes, server, proxy, change: (text) => server.query(text) };
      },
      async () => {
        await proxy.close();
        await server.drop();
      },
      tests,
    );
  };
  describeServers(`${title} (MySQL or MariaDB, READ COMMITTED)`, onServer('READ COMMITTED'));
  if (IS_LONG) describeOnOneServer(`${title} (MySQL or MariaDB, REPEATABLE READ)`, onServer('REPEATABLE READ'));

  describe(`${title} (SQLite)`, () => {
    const folder = memoryFolder('quartz-sqlite-');
    const path = join(folder, 'quartz.db');
    const open = async () => {
      const nodes: StoreDatabase[] = [];
      for (let index = 0; index < 3; index++) nodes.push(await openStores(`sqlite:${path}`));
      return { nodes, server: null, proxy: null, change: async (text: string) => changeFile(path, text) };
    };
    const close = async () => rmSync(folder, { recursive: true });
    describeNodes(open, close, tests);
  });
}

interface OpenNodes {
  readonly nodes: readonly StoreDatabase[];
  readonly server: TestDatabase | null;
  readonly proxy: FaultProxy | null;
  readonly change: DefectCluster['change'];
}

function describeNodes(
  open: () => Promise<OpenNodes>,
  close: () => Promise<void>,
  tests: (cluster: DefectCluster) => void,
): void {
  const cluster = {} as { -readonly [Name in keyof DefectCluster]: DefectCluster[Name] };
  let opened: OpenNodes;

  beforeAll(async () => {
    opened = await open();
  });

  beforeEach(async () => {
    const { nodes, ...rest } = opened;
    const another = () => joined(nodes);
    Object.assign(cluster, await another(), rest, { another });
    const { server } = rest;
    cluster.untilWaiting = (table = 'QRTZ_LOCKS') => untilWaiting(server, table);
  });

  afterEach(() => {
    for (const { steps } of [cluster.a, cluster.b, cluster.c]) steps.release();
  });

  afterAll(async () => {
    for (const database of opened.nodes) await database.close();
    await close();
  });

  tests(cluster);
}

function changeFile(path: string, text: string): void {
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA foreign_keys = ON; ${text}`);
  database.close();
}

async function joined(databases: readonly StoreDatabase[]): Promise<DefectNodes> {
  const { schedName } = testNode();
  const [a, b, c] = databases.map((database, at) => new DefectNode(database, schedName, 'abc'[at] as string));
  const nodes = { a, b, c } as DefectNodes;
  for (const node of Object.values(nodes)) await node.join();
  return nodes;
}

async function untilWaiting(server: TestDatabase | null, table: string): Promise<void> {
  if (server === null) return;
  const isWaiting = `DB = DATABASE() AND COMMAND = 'Execute' AND INFO LIKE '%${table}%'`;
  const text = `SELECT 1 FROM information_schema.PROCESSLIST WHERE ${isWaiting}`;
  for (const end = performance.now() + 5_000; (await server.query(text)).length === 0; await sleep(10)) {
    if (performance.now() > end) throw new Error(`Expected a node that waits for a row of ${table}, found none.`);
  }
}

/** Counts executions and errors. */
export class Executions {
  /** Number of further executions of a fire time. */
  duplicates = 0;
  /** Number of executions of non-concurrent jobs during another execution. */
  overlaps = 0;
  readonly #seen = new Set<string>();
  readonly #open = new Map<string, number>();

  get count(): number {
    return this.#seen.size;
  }

  begin(...firings: readonly TriggerFiring[]): void {
    for (const { trigger, scheduledFireTime, jobDetail } of firings) {
      const time = `${formatKey(trigger.key)} ${scheduledFireTime}`;
      if (this.#seen.has(time)) this.duplicates++;
      this.#seen.add(time);
      const job = keyText(jobDetail.key);
      const open = this.#open.get(job) ?? 0;
      if (jobDetail.disallowConcurrentExecution && open > 0) this.overlaps++;
      this.#open.set(job, open + 1);
    }
  }

  end({ jobDetail }: TriggerFiring): void {
    const job = keyText(jobDetail.key);
    this.#open.set(job, (this.#open.get(job) ?? 0) - 1);
  }
}
