import { GroupMatcher, jobKey } from '../../src/domain/keys';
import { BRIEF_LENGTH } from '../../src/domain/run';
import type { JobPageQuery, TriggerPageQuery } from '../../src/store/job-store';
import { MAX_READ } from '../../src/store/sql/operations/trigger-search';
import { job, NOW, once, ran } from '../conformance/samples';
import { StoreDriver } from '../conformance/store-driver';
import { openSqliteStores, openStores, type StoreDatabase, storeOn, testNode } from '../support/database/sql-store';
import { createDatabase, describeOnServer, sharedServer, type TestDatabase } from '../support/database/test-database';

const COUNT = MAX_READ + 200;
const name = (index: number) => `n${String(index).padStart(5, '0')}`;
const LAST = name(COUNT - 1);

/** More triggers and jobs than one page reads. The searched one is at the end. */
function describeParts(database: () => StoreDatabase) {
  let driver: StoreDriver;

  beforeAll(async () => {
    driver = new StoreDriver(storeOn(database(), testNode()));
    await driver.open();
    const numbers = Array.from({ length: COUNT }, (_, index) => index);
    await driver.schedule(
      job('many'),
      ...numbers.map((index) => once(name(index), { startTime: NOW + index * 1_000 })),
    );
    await driver.apply(
      ...numbers.map((index) => {
        const detail = job(name(index), { key: jobKey(name(index)), durable: true, jobType: `type ${index % 2}` });
        return { type: 'storeJob', job: detail, ifExists: 'fail', requireTrigger: false } as const;
      }),
    );
  });

  afterAll(() => driver.store.close());

  async function parts(query: Omit<TriggerPageQuery, 'take'>): Promise<string[][]> {
    const found: string[][] = [];
    for (let after: TriggerPageQuery['after']; ; ) {
      const page = await driver.store.pageTriggers({ ...query, ...(after && { after }), take: 100 });
      if (found.length === 0 && page.next !== null && page.items.length < 100) expect(page.total).toBeNull();
      found.push(page.items.map(({ trigger }) => trigger.key.name));
      if (page.next === null) return found;
      after = page.next;
    }
  }

  async function partsOfJobs(query: Omit<JobPageQuery, 'take'>): Promise<string[][]> {
    const found: string[][] = [];
    for (let after: JobPageQuery['after']; ; ) {
      const page = await driver.store.pageJobs({ ...query, ...(after && { after }), take: 100 });
      found.push(page.items.map(({ key }) => key.name));
      if (page.next === null) return found;
      after = page.next;
    }
  }

  it.each([
    ['all triggers', {}],
    ['the triggers of a job', { jobKey: jobKey('many') }],
    ['the triggers of a group', { group: GroupMatcher.groupEquals('DEFAULT') }],
    ['the triggers in some states', { states: ['WAITING', 'PAUSED'] }],
  ] as const)('a search among %s finds its trigger after empty parts, by name and by time', async (_, filter) => {
    for (const sort of ['key', 'nextFireTime'] as const) {
      const found = await parts({ ...filter, search: LAST, sort });
      expect(found.slice(0, -1).flat()).toEqual([]);
      expect(found.length).toBeGreaterThan(1);
      expect(found.at(-1)).toEqual([LAST]);
    }
  });

  it('a search that matches every trigger lists each once, in full pages', async () => {
    for (const sort of ['key', 'nextFireTime'] as const) {
      const found = await parts({ search: 'N', sort });
      expect(found.flat()).toEqual(Array.from({ length: COUNT }, (_, index) => name(index)));
      expect(found.filter((page) => page.length < 100).length).toBeLessThanOrEqual(2);
    }
  });

  it('a search by text or type finds a job in the second part', async () => {
    expect(await partsOfJobs({ search: LAST })).toEqual([[], [LAST]]);
    expect(await partsOfJobs({ jobType: 'no such type' })).toEqual([[], []]);
    expect((await partsOfJobs({ jobType: 'type 1' })).flat()).toHaveLength(COUNT / 2);
  });

  it('a brief list of runs includes the short fields of a long detail', async () => {
    const brief = { shard: { index: 1, count: 2, param: { metrics: 1, lines: '任务' } }, summary: 'a "b", "lines":' };
    const lines = [{ at: NOW, level: 'info', message: 'x'.repeat(BRIEF_LENGTH), data: null }];
    await driver.store.recordRuns([
      ran('long', { detail: JSON.stringify({ ...brief, metrics: { lines: 1 }, lines }) }),
      ran('short', { detail: JSON.stringify({ summary: 'all' }) }),
    ]);
    const { items } = await driver.store.listRuns({ take: 10, detail: 'brief' });
    const found = new Map(items.map(({ runId, detail }) => [runId, JSON.parse(detail ?? '{}')]));
    expect(found.get('long')).toEqual(brief);
    expect(found.get('short')).toEqual({ summary: 'all' });
  });
}

describeOnServer('lists that are searched in parts, on a server', () => {
  let database: TestDatabase;
  let stores: StoreDatabase;

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
    stores = await openStores(database.url);
  }, 60_000);

  describeParts(() => stores);

  afterAll(async () => {
    await stores.close();
    await database.drop();
  });
});

describe('lists that are searched in parts, on SQLite', () => {
  let stores: StoreDatabase;

  beforeAll(async () => {
    stores = await openSqliteStores();
  });

  describeParts(() => stores);

  afterAll(() => stores.close());
});
