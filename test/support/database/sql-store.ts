import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../src/base/clock';
import { systemRandom } from '../../../src/base/ids';
import { DEFAULT_POLICY, type WholePolicy } from '../../../src/domain/execution-policy';
import { type NodeScope, scopeOfNode } from '../../../src/domain/placement';
import type { UnreadableRow } from '../../../src/domain/scheduler-event';
import type { FiringFence } from '../../../src/store/cluster-store';
import { openDatabase } from '../../../src/store/sql/open-database';
import { JavaNodes } from '../../../src/store/sql/rows/java-nodes';
import { NodeTransactions } from '../../../src/store/sql/rows/node-transaction';
import { LockedRows, RejectedTriggers } from '../../../src/store/sql/rows/skipped-triggers';
import type { RowProblem, SqlNode } from '../../../src/store/sql/rows/sql-node';
import { UnreadableRows } from '../../../src/store/sql/rows/unreadable-rows';
import { LimitWatch } from '../../../src/store/sql/runtime/limit-watch';
import type { IsolationLevel, SqlDriver } from '../../../src/store/sql/runtime/sql-driver';
import { Transactions } from '../../../src/store/sql/runtime/transactions';
import { TurnWatch } from '../../../src/store/sql/runtime/turn-watch';
import type { SchemaMode } from '../../../src/store/sql/schema/migrate';
import { SqlJobStore } from '../../../src/store/sql/sql-job-store';
import { memoryFolder } from '../memory-folder.cjs';
import { clock, databaseOptions } from './sql-fixture';

/** A database on which many stores are tested one after the other, each with its own scheduler name. */
export interface StoreDatabase {
  readonly driver: SqlDriver;
  close(): Promise<void>;
}

/** Creates the tables, and opens connections. */
export async function openStores(
  url: string,
  options: {
    readonly isolation?: IsolationLevel;
    readonly schema?: SchemaMode;
    readonly orderByPriority?: boolean;
  } = {},
): Promise<StoreDatabase> {
  const { driver } = await openDatabase({ ...databaseOptions(url), schema: 'create', ...options });
  return { driver, close: () => driver.close() };
}

/** A new SQLite file; closing deletes it. */
export async function openSqliteStores(options: { readonly orderByPriority?: boolean } = {}): Promise<StoreDatabase> {
  const [database] = await openSqliteNodes(1, options);
  return database as StoreDatabase;
}

/** Several nodes on one new SQLite file; closing the last deletes it. */
export async function openSqliteNodes(
  count: number,
  options: { readonly orderByPriority?: boolean } = {},
): Promise<StoreDatabase[]> {
  const folder = memoryFolder('quartz-sqlite-');
  const opened: StoreDatabase[] = [];
  let isOpen = count;
  for (let index = 0; index < count; index++) {
    const { driver, close } = await openStores(`sqlite:${join(folder, 'quartz.db')}`, options);
    const closeAll = async () => {
      await close();
      isOpen -= 1;
      if (isOpen === 0) rmSync(folder, { recursive: true });
    };
    opened.push({ driver, close: closeAll });
  }
  return opened;
}

export interface NodeOptions {
  readonly schedName?: string;
  readonly instanceId?: string;
  readonly clock?: Clock;
  readonly newDataForm?: SqlNode['newDataForm'];
  readonly problems?: RowProblem[];
  readonly fence?: FiringFence;
  readonly policy?: WholePolicy;
  readonly scope?: NodeScope;
  /** Collects the problems of unreadable rows. */
  readonly unreadable?: UnreadableRow[];
}

let count = 0;

/** A node on the tables. Default: a new scheduler name. */
export function testNode(options: NodeOptions = {}): SqlNode {
  const {
    schedName = `test ${randomBytes(6).toString('hex')}`,
    instanceId = 'node',
    scope = scopeOfNode(instanceId, { labels: ['eu', 'ssd'], priorities: { min: -1_000, max: 1_000 } }),
    problems = [],
    unreadable = [],
  } = options;
  const nodeClock = options.clock ?? clock;
  return {
    schedName,
    instanceId,
    newRunId: () => `${instanceId}.${++count}`,
    ...(options.fence === undefined ? {} : { fence: options.fence }),
    timeZone: 'UTC',
    newDataForm: options.newDataForm ?? 'json',
    javaNodes: new JavaNodes(nodeClock),
    clock: nodeClock,
    scope,
    policy: options.policy ?? { ...DEFAULT_POLICY, groupLimits: { limited: 2 } },
    rejectedTriggers: new RejectedTriggers(nodeClock),
    lockedRows: new LockedRows(nodeClock),
    turns: new TurnWatch(),
    limits: new LimitWatch(),
    unreadable: new UnreadableRows(nodeClock, (row) => unreadable.push(row)),
    onRowProblem: (problem) => problems.push(problem),
  };
}

/** The driver of one of several stores. Closing the store keeps the connections open for the next. */
export function keptOpen(driver: SqlDriver): SqlDriver {
  return {
    dialect: driver.dialect,
    transaction: (role, work, options) => driver.transaction(role, work, options),
    script: driver.script,
    select: (...args) => driver.select(...args),
    readActivity: () => driver.readActivity(),
    close: async () => undefined,
  };
}

/** The store of a node. Closing it keeps the connections open for the next. */
export function storeOn({ driver }: StoreDatabase, node: SqlNode = testNode()): SqlJobStore {
  const { schedName, clock, lockedRows } = node;
  const onLongWait = () => lockedRows.suspect();
  const transactions = new Transactions(keptOpen(driver), { schedName, clock, random: systemRandom, onLongWait });
  return new SqlJobStore(new NodeTransactions(transactions, node), driver.dialect.name);
}
