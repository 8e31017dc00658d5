import { GroupMatcher, jobKey, triggerKey } from '../../../src/domain/keys';
import { type JobPageQuery, MAX_COUNT, type StoredTrigger, type TriggerPageQuery } from '../../../src/store/job-store';
import type { StoreContext } from '../describe-job-store';
import { everyMinute, everyNoon, job, MINUTE, NOW, once, without } from '../samples';
import type { StoreDriver } from '../store-driver';
import { after } from './chains';

/** Lists in pages by key: all pages of every list are compared with the whole list. */
export function describePages(context: StoreContext): void {
  describe('pages by key', () => {
    describe('that list jobs', () => describeJobPages(context));
    describe('that list triggers', () => describeTriggerPages(context));
  });
}

type TriggerList = Omit<TriggerPageQuery, 'take' | 'after'>;
type JobList = Omit<JobPageQuery, 'take' | 'after'>;

const keyText = ({ key }: { readonly key: { readonly name: string; readonly group: string } }) =>
  `${key.name} ${key.group}`;

/** All pages of a list, each of `take` items. */
async function pagesOfTriggers({ store }: StoreDriver, query: TriggerList, take: number): Promise<string[][]> {
  const pages: string[][] = [];
  let last: TriggerPageQuery['after'];
  for (;;) {
    const page = await store.pageTriggers({ ...query, take, ...(last && { after: last }) });
    pages.push(page.items.map(({ trigger }) => keyText(trigger)));
    if (page.next === null) return pages;
    last = page.next;
  }
}

async function pagesOfJobs({ store }: StoreDriver, query: JobList, take: number): Promise<string[][]> {
  const pages: string[][] = [];
  let last: JobPageQuery['after'];
  for (;;) {
    const page = await store.pageJobs({ ...query, take, ...(last && { after: last }) });
    pages.push(page.items.map(keyText));
    if (page.next === null) return pages;
    last = page.next;
  }
}

function describeJobPages({ driver }: StoreContext): void {
  beforeEach(async () => {
    for (const name of ['b', 'a', 'C', 'ab']) {
      for (const group of ['g2', 'g1']) {
        await driver().schedule(job(name, { key: jobKey(name, group), durable: true, jobType: `type ${name}` }));
      }
    }
  });

  it('are sorted by name, then group, with each job once', async () => {
    const all = ['C g1', 'C g2', 'a g1', 'a g2', 'ab g1', 'ab g2', 'b g1', 'b g2'];
    for (const take of [1, 3, 8, 100]) expect((await pagesOfJobs(driver(), {}, take)).flat()).toEqual(all);
    expect(await pagesOfJobs(driver(), {}, 3)).toHaveLength(3);
    expect(await pagesOfJobs(driver(), {}, 4)).toEqual([all.slice(0, 4), all.slice(4)]);
  });

  it.each<[string, JobList, readonly string[]]>([
    ['a group', { group: GroupMatcher.groupEquals('g1') }, ['C g1', 'a g1', 'ab g1', 'b g1']],
    ['a job type', { jobType: 'type b' }, ['b g1', 'b g2']],
    ['part of a name, in any case', { search: 'A' }, ['a g1', 'a g2', 'ab g1', 'ab g2']],
    ['part of a group', { search: '2/' }, ['C g2', 'a g2', 'ab g2', 'b g2']],
    ['a key in its displayed form', { search: 'g1/b' }, ['b g1']],
    ['all of these filters', { group: GroupMatcher.groupEquals('g2'), jobType: 'type ab', search: 'b' }, ['ab g2']],
    ['groups by their end', { group: GroupMatcher.groupEndsWith('2'), search: 'b' }, ['ab g2', 'b g2']],
    ['an unknown group', { group: GroupMatcher.groupEquals('g3') }, []],
  ])('contain the jobs with %s', async (_, query, expected) => {
    for (const take of [1, 100]) expect((await pagesOfJobs(driver(), query, take)).flat()).toEqual(expected);
  });

  it('include the total count on the first page only', async () => {
    const { store } = driver();
    expect((await store.pageJobs({ take: 2 })).total).toEqual({ count: 8, isExact: true });
    expect((await store.pageJobs({ take: 2, search: 'zz' })).total).toEqual({ count: 0, isExact: true });
    expect((await store.pageJobs({ take: 2, after: jobKey('a', 'g1') })).total).toBeNull();
  });
}

const LATER = NOW + 10 * MINUTE;

/** Triggers of two jobs, with equal times, priorities and names, an ended trigger, and one that waits for a job. */
async function scheduleSome(driver: StoreDriver): Promise<void> {
  const calendar = without();
  await driver.applyOne({ type: 'storeCalendar', name: 'none', calendar, ifExists: 'fail', updateTriggers: false });
  await driver.schedule(
    job('one', { durable: true }),
    once('done', { startTime: NOW }),
    everyNoon('noon', { key: triggerKey('noon', 'g1'), startTime: NOW + MINUTE }),
    once('late', { startTime: NOW + 20 * MINUTE }),
    once('low', { startTime: LATER, priority: 1 }),
  );
  await driver.schedule(
    job('two', { durable: true }),
    everyNoon('noon', { key: triggerKey('noon', 'g2'), startTime: NOW + MINUTE, calendarName: 'none' }),
    once('high', { startTime: LATER, priority: 9 }),
    once('Middle', { startTime: LATER, calendarName: 'none' }),
    once('equal', { startTime: LATER, key: triggerKey('equal', 'g1') }),
    everyMinute('minute', { startTime: NOW + MINUTE }),
    after('follows', ['one']),
  );
  await driver.fireDue();
  await driver.store.pauseTriggers([triggerKey('equal', 'g1'), triggerKey('minute')]);
}

const BY_KEY = ['Middle DEFAULT', 'done DEFAULT', 'equal g1', 'follows DEFAULT', 'high DEFAULT', 'late DEFAULT'].concat(
  ['low DEFAULT', 'minute DEFAULT', 'noon g1', 'noon g2'],
);
/** First triggers that will fire, then paused ones (`minute` and `equal`), then ended ones. */
const BY_TIME = ['high DEFAULT', 'Middle DEFAULT', 'low DEFAULT', 'late DEFAULT', 'noon g1', 'noon g2'].concat([
  'follows DEFAULT',
  'minute DEFAULT',
  'equal g1',
  'done DEFAULT',
]);

const ofName = (order: readonly string[], ...names: readonly string[]) =>
  order.filter((text) => names.includes(text) || names.includes(text.split(' ')[0] ?? ''));

function describeTriggerPages({ driver }: StoreContext): void {
  it.each<[string, Omit<TriggerList, 'sort'>, readonly string[]]>([
    ['all triggers', {}, ['Middle', 'done', 'equal', 'follows', 'high', 'late', 'low', 'minute', 'noon']],
    [
      'triggers of a group',
      { group: GroupMatcher.groupEquals('DEFAULT') },
      ['Middle', 'done', 'follows', 'high', 'late', 'low', 'minute'],
    ],
    ['triggers of a job', { jobKey: jobKey('one') }, ['done', 'late', 'low', 'noon g1']],
    ['triggers of a job and group', { jobKey: jobKey('two'), group: GroupMatcher.groupEquals('g1') }, ['equal']],
    ['triggers in some states', { states: ['PAUSED', 'COMPLETE'] }, ['done', 'equal', 'minute']],
    ['triggers in no state', { states: [] }, []],
    ['triggers of a job in a state', { jobKey: jobKey('two'), states: ['PAUSED'] }, ['equal', 'minute']],
    ['triggers with part of a name', { search: 'LO' }, ['follows', 'low']],
    ['triggers of a job with part of a name', { jobKey: jobKey('one'), search: 'lo' }, ['low']],
    ['triggers with a key in its displayed form', { search: 'G1/noon' }, ['noon g1']],
    ['triggers with part of a group', { search: 'g2' }, ['noon g2']],
    ['triggers with part of a group in a state', { search: 'g1', states: ['PAUSED'] }, ['equal']],
    ['triggers of groups by their beginning', { group: GroupMatcher.groupStartsWith('g') }, ['equal', 'noon']],
    ['triggers of any group', { group: GroupMatcher.anyGroup(), search: 'LO' }, ['follows', 'low']],
    ['triggers of groups and of a job', { group: GroupMatcher.groupEndsWith('1'), jobKey: jobKey('two') }, ['equal']],
    ['triggers that wait for a job', { waitsFor: jobKey('one') }, ['follows']],
    ['triggers that wait for a job, in a state', { waitsFor: jobKey('one'), states: ['PAUSED'] }, []],
    ['no triggers', { group: GroupMatcher.groupEquals('nothing') }, []],
  ])('are sorted by name and group, or by next fire time: %s', async (_, query, names) => {
    await scheduleSome(driver());
    for (const take of [1, 2, 3, 100]) {
      const pages = async (sort: TriggerList['sort']) =>
        (await pagesOfTriggers(driver(), { ...query, sort }, take)).flat();
      expect(await pages('key')).toEqual(ofName(BY_KEY, ...names));
      expect(await pages('nextFireTime')).toEqual(ofName(BY_TIME, ...names));
    }
  });

  it('contain the triggers of a calendar', async () => {
    await scheduleSome(driver());
    for (const take of [1, 100]) {
      const pages = async (sort: TriggerList['sort']) =>
        (await pagesOfTriggers(driver(), { calendarName: 'none', sort }, take)).flat();
      expect(await pages('key')).toEqual(['Middle DEFAULT', 'noon g2']);
      expect(await pages('nextFireTime')).toEqual(['Middle DEFAULT', 'noon g2']);
    }
  });

  it('continue after a trigger that was deleted', async () => {
    await scheduleSome(driver());
    const { store } = driver();
    const { items } = await store.pageTriggers({ sort: 'key', take: 3 });
    const last = items.at(-1) as StoredTrigger;
    await driver().applyOne({ type: 'deleteTrigger', key: last.trigger.key });
    const next = await store.pageTriggers({ sort: 'key', take: 2, after: { ...last.trigger, isDormant: false } });
    expect(next.items.map(({ trigger }) => keyText(trigger))).toEqual(BY_KEY.slice(3, 5));
  });

  it('contain each trigger once if many fire at the same time', async () => {
    await driver().scheduleAll(...Array.from({ length: 50 }, (_, index) => once(`t${index}`, { startTime: LATER })));
    const found = (await pagesOfTriggers(driver(), { sort: 'nextFireTime' }, 7)).flat();
    expect(new Set(found).size).toBe(50);
    expect(found).toHaveLength(50);
  });

  it('count triggers up to a maximum only', async () => {
    await driver().scheduleAll(...Array.from({ length: MAX_COUNT + 1 }, (_, index) => once(`t${index}`)));
    const { store } = driver();
    for (const sort of ['key', 'nextFireTime'] as const) {
      const total = async (query: Partial<TriggerPageQuery>) =>
        (await store.pageTriggers({ sort, take: 2, ...query })).total;
      expect(await total({})).toEqual({ count: MAX_COUNT, isExact: false });
      expect(await total({ search: 't100' })).toEqual({ count: 2, isExact: true });
      expect(await total({ after: { ...once('t5', { nextFireTime: NOW }), isDormant: false } })).toBeNull();
      expect(await total({ omitTotal: true })).toBeNull();
      expect((await store.pageTriggers({ sort, take: 2, omitTotal: true })).next).not.toBeNull();
    }
  });
}
