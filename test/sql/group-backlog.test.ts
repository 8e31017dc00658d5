import { ManualClock } from '../../src/base/manual-clock';
import { jobKey } from '../../src/domain/keys';
import { GroupBacklog } from '../../src/store/sql/operations/group-backlog';
import { job, NOW, once, SECOND } from '../conformance/samples';
import { namesOf, StoreDriver, storing } from '../conformance/store-driver';
import { openSqliteStores, openStores, type StoreDatabase, storeOn, testNode } from '../support/database/sql-store';
import { createDatabase, describeOnServer, sharedServer, type TestDatabase } from '../support/database/test-database';

/** A clock by which everything takes as long as a test says. */
class SlowClock extends ManualClock {
  /** From one look at the clock to the next. Milliseconds. */
  tick = 0;
  #ticked = 0;

  override monotonic(): number {
    this.#ticked += this.tick;
    return super.monotonic() + this.#ticked;
  }
}

const BACKLOG = 1_000;
const OVERDUE = NOW - 40 * SECOND;
const FULL = { maxCount: 5, groupRoom: { reports: 0 } };

/** Many due triggers of a group that is full on this node stand before those of another. */
function describeBacklog(database: () => StoreDatabase) {
  let clock: SlowClock;
  let ours: StoreDriver;
  let other: StoreDriver;
  const free = (name: string, startTime: number) => storing(once(name, { startTime, jobKey: jobKey('free', 'free') }));
  const fired = async (fields: object = FULL) => namesOf(await ours.fireDue(fields));

  beforeEach(async () => {
    clock = new SlowClock(NOW);
    const { schedName } = testNode();
    ours = new StoreDriver(storeOn(database(), testNode({ schedName, clock, instanceId: 'ours' })));
    other = new StoreDriver(storeOn(database(), testNode({ schedName, instanceId: 'other' })));
    await ours.open();
    await other.open();
    const reports = Array.from({ length: BACKLOG }, (_, index) => once(`r${index}`, { startTime: OVERDUE + index }));
    await ours.schedule(job('job', { key: jobKey('job', 'reports') }), ...reports);
    await ours.schedule(job('free', { key: jobKey('free', 'free'), durable: true }));
    clock.tick = 50;
    expect(await fired()).toEqual([]); // took 50 ms at least
    clock.tick = 0;
  });

  afterEach(async () => {
    await ours.store.close();
    await other.store.close();
  });

  it('they are read again after twenty times as long as it took, and what others put among them is found then', async () => {
    await other.apply(free('among them', OVERDUE + 5));
    expect(await fired()).toEqual([]);
    clock.advanceBy(999);
    expect(await fired()).toEqual([]);
    clock.advanceBy(9 * SECOND);
    expect(await fired()).toEqual(['among them']);
  });

  it('what comes after those that were read is found at once, whoever schedules it', async () => {
    ours.now += SECOND;
    await other.apply(free('behind', NOW + 1));
    expect(await fired()).toEqual(['behind']);
    await other.apply(free('behind that', NOW + 2));
    expect(await fired()).toEqual(['behind that']);
  });

  it('what this node puts among them is found at once', async () => {
    await ours.apply(free('own', OVERDUE + 500));
    expect(await fired()).toEqual(['own']);
    await ours.apply(free('earlier', OVERDUE - 1));
    expect(await fired()).toEqual(['earlier']);
  });

  it('they are read as ever once there is room, and others with them', async () => {
    ours.now += SECOND;
    await other.apply(free('behind', NOW + 1));
    expect(await fired({ ...FULL, groupRoom: { reports: 2 } })).toEqual(['r0', 'r1', 'behind']);
    expect(await fired({ maxCount: 5 })).toEqual(['r2', 'r3', 'r4', 'r5', 'r6']);
  });

  it('they are read again where the node has learnt of other job types', async () => {
    const jobTypes = ['sample', 'more'];
    await other.apply(free('among them', OVERDUE + 5));
    expect(await fired({ ...FULL, jobTypes })).toEqual(['among them']);
  });
}

describeOnServer('a backlog of a full group on a real server', () => {
  let database: TestDatabase;
  let stores: StoreDatabase;

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
    stores = await openStores(database.url);
  });

  describeBacklog(() => stores);

  afterAll(async () => {
    await stores.close();
    await database.drop();
  });
});

describe('a backlog of a full group on SQLite', () => {
  let stores: StoreDatabase;

  beforeAll(async () => {
    stores = await openSqliteStores();
  });

  describeBacklog(() => stores);

  afterAll(() => stores.close());
});

describe('what is remembered of full groups', () => {
  const TYPES = { jobTypes: ['a'] };
  let clock: ManualClock;
  let backlog: GroupBacklog;

  beforeEach(() => {
    clock = new ManualClock(NOW);
    backlog = new GroupBacklog(testNode({ clock }));
  });

  /** A scan from 0 that found only these groups before `end`. */
  const scanned = (groups: readonly string[], end: number, tookMs = 50) =>
    backlog.record(groups, TYPES, backlog.behind(groups, 0, TYPES), { end, tookMs, changes: backlog.changes });
  const behind = (groups: readonly string[], from = 0) => backlog.behind(groups, from, TYPES).end;

  it('is true of more full groups too, not of fewer or others, and not of what comes before it', () => {
    scanned(['x', 'y'], 100);
    expect([behind(['x', 'y']), behind(['x', 'y', 'z']), behind(['x', 'y'], 50)]).toEqual([100, 100, 100]);
    expect([behind(['x']), behind(['x', 'z']), behind(['x', 'y'], -1), behind(['x', 'y'], 200)]).toEqual([
      0, 0, -1, 200,
    ]);
  });

  it('is shortened by what changes, and forgotten where that is not known, or comes first', () => {
    scanned(['x'], 100);
    backlog.reset(70);
    backlog.reset(90);
    expect(behind(['x'])).toBe(70);
    backlog.reset(0);
    expect(behind(['x'])).toBe(0);
    scanned(['x'], 100);
    backlog.reset(null);
    expect(behind(['x'])).toBe(0);
  });

  it('is shortened by what the change watch notices, once, and as often as reading that again was fast', () => {
    scanned(['x'], 100);
    const first = { fingerprint: 'first', earliest: 60 };
    const second = { fingerprint: 'second', earliest: 50 };
    backlog.noticed(first); // less than a second after it took 50 ms
    expect(behind(['x'])).toBe(100);
    clock.advanceBy(1_000);
    scanned(['x'], 100, 2);
    clock.advanceBy(39);
    backlog.noticed(first);
    expect(behind(['x'])).toBe(100);
    scanned(['x'], 100, 0);
    backlog.noticed(first);
    expect(behind(['x'])).toBe(60);
    scanned(['x'], 100, 0);
    backlog.noticed(first);
    backlog.noticed({ fingerprint: 'nothing is due', earliest: null });
    expect(behind(['x'])).toBe(100);
    backlog.noticed(second);
    expect(behind(['x'])).toBe(50);
  });

  it('is not what a scan found that began before a change', () => {
    const { changes } = backlog;
    backlog.reset(500);
    backlog.record(['x'], TYPES, backlog.behind(['x'], 0, TYPES), { end: 100, tookMs: 50, changes });
    expect(behind(['x'])).toBe(0);
  });

  it('goes on from what was passed over, without being relied upon for longer', () => {
    scanned(['x'], 100);
    clock.advanceBy(900);
    scanned(['x'], 200);
    expect(behind(['x'])).toBe(200);
    clock.advanceBy(100);
    expect(behind(['x'])).toBe(0);
  });

  it('is relied upon for ten seconds at most, however slow the database was', () => {
    scanned(['x'], 100, 60_000);
    clock.advanceBy(9_999);
    expect(behind(['x'])).toBe(100);
    clock.advanceBy(1);
    expect(behind(['x'])).toBe(0);
  });
});
