import { GroupMatcher, triggerKey } from '../../src/domain/keys';
import type { PauseExplanation } from '../../src/domain/pause';
import { everyMinute, HOUR, NOW } from '../conformance/samples';
import { StoreDriver } from '../conformance/store-driver';
import { allTriggers } from '../support/all-stored';
import { RecordingDriver } from '../support/database/recording-driver';
import { openSqliteStores, openStores, type StoreDatabase, storeOn } from '../support/database/sql-store';
import {
  createDatabase,
  describeOnAnyServer,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';

const COUNT = 1_200;
const untilOne: PauseExplanation = { reason: null, by: 'ops', since: NOW, until: NOW + HOUR };
const inGroup = (index: number) => everyMinute('trigger', { key: triggerKey(`t${index}`, 'many') });

/** Ends of very many pauses at once: in sets and portions, with the lock released in between. */
function describePauseEnds(open: () => Promise<StoreDatabase>) {
  let database: StoreDatabase;
  let recording: RecordingDriver;
  let driver: StoreDriver;

  beforeEach(async () => {
    database = await open();
    recording = new RecordingDriver(database.driver);
    driver = new StoreDriver(storeOn({ ...database, driver: recording }));
    await driver.open();
    await driver.scheduleAll(...Array.from({ length: COUNT }, (_, index) => inGroup(index)));
  });

  afterEach(() => database.close());

  /** Returns the statements of each transaction that ended pauses. */
  const endAll = async () => {
    recording.forget();
    driver.now = NOW + HOUR;
    const answer = await driver.store.endPauses(driver.options);
    const text = recording.steps.join(' ');
    const transactions = text.split(' commit').filter((each) => each !== '');
    return { answer, transactions: transactions.map((each) => each.trim().split(' ').slice(1)) };
  };
  const paused = async () => (await allTriggers(driver.store, { states: ['PAUSED'] })).total;

  it('end for single triggers in several transactions, with few statements for each portion', async () => {
    const keys = Array.from({ length: COUNT }, (_, index) => triggerKey(`t${index}`, 'many'));
    await driver.store.pauseTriggers(keys, untilOne);
    expect(await paused()).toBe(COUNT);
    const { answer, transactions } = await endAll();
    expect(answer.ended).toHaveLength(COUNT);
    expect(await paused()).toBe(0);
    expect(await driver.store.getPauses()).toEqual([]);
    expect(transactions.length).toBeGreaterThan(3);
    expect(Math.max(...transactions.map(({ length }) => length))).toBeLessThan(20);
  }, 60_000);

  it('resume the triggers of a group in several transactions, and end with the last one', async () => {
    await driver.store.pauseTriggers(GroupMatcher.groupEquals('many'), untilOne);
    const { answer, transactions } = await endAll();
    expect(answer.ended).toHaveLength(1);
    expect(await paused()).toBe(0);
    expect(await driver.store.getPausedTriggerGroups()).toEqual([]);
    expect(transactions.length).toBeGreaterThan(3);
    const ending = transactions.flatMap((steps, index) => (steps.includes('deletePauses') ? [index] : []));
    expect(ending).toEqual([transactions.length - 1]);
  }, 60_000);
}

describe('timed pauses in a file', () => {
  describePauseEnds(openSqliteStores);
});

describeOnAnyServer('timed pauses on a server', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
  });
  afterAll(() => database.drop());

  describePauseEnds(() => openStores(database.url));
});
