import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { findInBacklog } from '../../src/store/sql/operations/read-cluster';
import type { NodeReader } from '../../src/store/sql/rows/node-transaction';
import type { SqlNode } from '../../src/store/sql/rows/sql-node';
import type { SqlParams } from '../../src/store/sql/runtime/sql-driver';
import type { StatementName } from '../../src/store/sql/runtime/statement-names';
import { applyTokens, loadStatements } from '../../src/store/sql/runtime/statements';
import { report } from '../cluster/support/figures';
import { job, MINUTE, NOW, once, SECOND } from '../conformance/samples';
import { StoreDriver } from '../conformance/store-driver';
import { openSqliteStores, openStores, type StoreDatabase, storeOn, testNode } from '../support/database/sql-store';
import {
  createDatabase,
  describeOnAnyServer,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';

const REQUEST = {
  now: NOW,
  noLaterThan: NOW,
  maxCount: 25,
  timeWindow: 0,
  fireWithin: null,
  misfireThreshold: MINUTE,
  jobTypes: ['sample'],
};

/** Computes when the node may fire a trigger that prefers others, in a backlog of triggers that only others may fire. */
class Backlog {
  readonly node: SqlNode = testNode();
  readonly #stores: StoreDatabase;
  #driver: StoreDriver | null = null;

  constructor(stores: StoreDatabase) {
    this.#stores = stores;
  }

  /** Stores `count` triggers for other nodes, and one that prefers other nodes for 5 s and is `secondsAgo` late. */
  async store(count: number, secondsAgo: number): Promise<void> {
    const driver = new StoreDriver(storeOn(this.#stores, this.node));
    await driver.open();
    this.#driver = driver;
    const others = Array.from({ length: count }, (_, index) =>
      once(`tape ${index}`, { startTime: NOW - 20 * SECOND + (index % 1_000) }),
    );
    await driver.schedule(job('tape', { durable: true, policy: { runsOn: ['tape'] } }), ...others);
    const prefers = { labels: ['gpu'], fallbackAfter: 5 * SECOND };
    await driver.schedule(job('gpu', { policy: { prefers } }), once('gpu', { startTime: NOW - secondsAgo * SECOND }));
  }

  availableAt(reader: NodeReader = this.reader): Promise<number | null> {
    return findInBacklog(reader, REQUEST, NOW);
  }

  get reader(): NodeReader {
    return {
      node: this.node,
      all: (statement, params) => this.#stores.driver.select(statement, params as SqlParams, this.node.schedName),
    };
  }

  async close(): Promise<void> {
    await this.#driver?.store.close();
  }
}

function describePatience(stores: () => StoreDatabase): void {
  let backlog: Backlog;

  beforeEach(() => {
    backlog = new Backlog(stores());
  });

  afterEach(() => backlog.close());

  it('is exact if the backlog is small', async () => {
    await backlog.store(20, 3);
    await expect(backlog.availableAt()).resolves.toBe(NOW + 2 * SECOND);
  });

  it('is at most a second away if the backlog is large, so that the node checks again', async () => {
    await backlog.store(1_000, 3);
    await expect(backlog.availableAt()).resolves.toBe(NOW + SECOND);
  });

  it('is in the past for a trigger whose fallback time has passed, however large the backlog', async () => {
    await backlog.store(1_000, 5);
    await expect(backlog.availableAt()).resolves.toBe(NOW - 5 * SECOND);
  });
}

describe('the next fallback time of a node, on SQLite', () => {
  let stores: StoreDatabase;

  beforeAll(async () => {
    stores = await openSqliteStores();
  });

  describePatience(() => stores);

  afterAll(() => stores.close());
});

describeOnAnyServer('the next fallback time of a node, on a server', () => {
  let database: TestDatabase;
  let stores: StoreDatabase;

  beforeAll(async () => {
    database = await createDatabase(await sharedServer(), 'utf8mb4 COLLATE utf8mb4_bin');
    stores = await openStores(database.url);
  });

  describePatience(() => stores);

  it('reads the same number of rows, however many triggers wait for other labels', async () => {
    const read: number[] = [];
    for (const count of [200, 10_000]) {
      const backlog = new Backlog(stores);
      await backlog.store(count, 3);
      read.push(await rowsReadBy(database, 'selectNextFallback', backlog));
      await backlog.close();
    }
    report(
      `rows read for the next fallback of a node, beside 200 and 10,000 triggers for other labels: ${read.join(', ')}`,
    );
    expect(read[0]).toBeGreaterThan(0);
    expect(read[1]).toBe(read[0]);
  });

  afterAll(async () => {
    await stores.close();
    await database.drop();
  });
});

/** Counts every row and index entry that the statement reads, by the server's own counters. */
async function rowsReadBy({ url, query }: TestDatabase, name: StatementName, backlog: Backlog): Promise<number> {
  const [key] = await query<{ CHARSET: string; COLLATION: string }>(
    `SELECT CHARACTER_SET_NAME AS CHARSET, COLLATION_NAME AS COLLATION FROM information_schema.COLUMNS
     WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'QRTZ_TRIGGERS' AND COLUMN_NAME = 'TRIGGER_NAME'`,
  );
  const { text, parameters } = loadStatements('mysql', { tablePrefix: 'QRTZ_' }).get(name);
  const keyText = { characterSet: key?.CHARSET ?? '', collation: key?.COLLATION ?? '' };
  const counted = applyTokens(text, { tablePrefix: 'QRTZ_', keyText });
  const connection = await createConnection({ uri: url, charset: 'utf8mb4' });
  const total = async () => {
    const [rows] = await connection.query<RowDataPacket[]>("SHOW SESSION STATUS LIKE 'Handler_read%'");
    return rows.reduce((sum, { Value }) => sum + Number(Value), 0);
  };
  let read = 0;
  const reader: NodeReader = {
    node: backlog.node,
    async all<Row>(statement: StatementName, params: SqlParams) {
      if (statement !== name) return backlog.reader.all<Row>(statement, params);
      const idle = -(await total()) + (await total());
      const before = await total();
      const [rows] = await connection.query<RowDataPacket[]>(
        counted,
        parameters.map((each) => (each === 'schedName' ? backlog.node.schedName : params[each])),
      );
      read += (await total()) - before - idle;
      return rows as Row[];
    },
  };
  try {
    await backlog.availableAt(reader);
    return read;
  } finally {
    await connection.end();
  }
}
