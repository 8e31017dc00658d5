import { GroupMatcher, triggerKey } from '../../src/domain/keys';
import type { PauseExplanation } from '../../src/domain/pause';
import { everyMinute, NOW } from '../conformance/samples';
import { StoreDriver, storing } from '../conformance/store-driver';
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
const MANY = GroupMatcher.groupEquals('many');
const said: PauseExplanation = { reason: 'maintenance', by: 'ops', since: NOW, until: null };
const inGroup = (index: number) => everyMinute('trigger', { key: triggerKey(`t${index}`, 'many') });

/** Pauses of very many triggers at once: in portions, with the lock released in between. */
function describePausePortions(open: () => Promise<StoreDatabase>) {
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

  /** Returns the statements of each transaction that changes triggers. */
  const moving = async (change: () => Promise<unknown>) => {
    recording.forget();
    await change();
    const transactions = recording.steps.join(' ').split(' commit');
    return transactions.filter((text) => /setTriggerStates|advanceTriggers/.test(text));
  };
  const paused = async () => (await allTriggers(driver.store, { states: ['PAUSED'] })).total;
  const job = () => inGroup(0).jobKey;

  it.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
    ['a group', () => driver.store.pauseTriggers(MANY, said), () => driver.store.resumeTriggers(MANY, driver.options)],
    [
      'all groups',
      () => driver.store.pauseTriggers(GroupMatcher.anyGroup(), said),
      () => driver.store.resumeTriggers(GroupMatcher.anyGroup(), driver.options),
    ],
    ['a job', () => driver.store.pauseJobs([job()], said), () => driver.store.resumeJobs([job()], driver.options)],
    [
      'a group of jobs',
      () => driver.store.pauseJobs(GroupMatcher.groupEquals(job().group), said),
      () => driver.store.resumeJobs(GroupMatcher.groupEquals(job().group), driver.options),
    ],
  ])(
    '%s is paused and resumed in several transactions',
    async (_, pauses, resumes) => {
      expect((await moving(pauses)).length).toBeGreaterThan(1);
      expect(await paused()).toBe(COUNT);
      expect(await driver.store.getPauses()).toMatchObject([{ reason: 'maintenance' }]);
      expect((await moving(resumes)).length).toBeGreaterThan(1);
      expect(await paused()).toBe(0);
      expect(await driver.store.getPauses()).toEqual([]);
      expect(await driver.store.getPausedTriggerGroups()).toEqual([]);
    },
    60_000,
  );

  it('one group is resumed while future groups stay paused', async () => {
    await driver.store.pauseTriggers(GroupMatcher.anyGroup(), said);
    await driver.store.resumeTriggers(MANY, driver.options);
    expect(await paused()).toBe(0);
    await driver.apply(storing(everyMinute('later', { key: triggerKey('later', 'another') })));
    expect(await driver.state({ name: 'later', group: 'another' })).toBe('PAUSED');
  }, 60_000);

  it('a trigger that is added while its group is paused in portions starts paused', async () => {
    const begun = recording.next('commit');
    const pausing = driver.store.pauseTriggers(MANY);
    await begun;
    await driver.apply(storing(inGroup(COUNT)));
    await pausing;
    expect(await driver.state({ name: `t${COUNT}`, group: 'many' })).toBe('PAUSED');
    expect(await paused()).toBe(COUNT + 1);
  }, 60_000);

  it('a group that is resumed during its pause in portions stays resumed', async () => {
    const begun = recording.next('commit');
    const pausing = driver.store.pauseTriggers(MANY, said);
    await begun;
    await driver.store.resumeTriggers(MANY, driver.options);
    await pausing;
    expect(await paused()).toBe(0);
    expect(await driver.store.getPauses()).toEqual([]);
  }, 60_000);

  it('a trigger is resumed by key without reading all other pauses', async () => {
    await driver.store.pauseTriggers([triggerKey('t1', 'many')], said);
    recording.forget();
    await driver.store.resumeTriggers([triggerKey('t1', 'many')], driver.options);
    expect(recording.steps.join(' ')).toContain('selectPausesOfKeys');
    expect(recording.steps.join(' ')).not.toMatch(/selectPauses\b/);
    expect(await driver.store.getPauses()).toEqual([]);
  });
}

describe('pauses of very many triggers, in a file', () => {
  describePausePortions(openSqliteStores);
});

describeOnAnyServer('pauses of very many triggers, on a server', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
  });
  afterAll(() => database.drop());

  describePausePortions(() => openStores(database.url));
});
