import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';
import type { Calendar } from '../../../src/domain/calendars/calendar';
import { GroupMatcher, jobKey, triggerKey } from '../../../src/domain/keys';
import { MemoryJobStore } from '../../../src/store/memory/memory-job-store';
import { MemoryTables } from '../../../src/store/memory/memory-tables';
import { everyMinute, everyNoon, HOUR, job, NOW, once, without } from '../../conformance/samples';
import { namesOf, StoreDriver, storing } from '../../conformance/store-driver';
import { allJobs } from '../../support/all-stored';

let tables: MemoryTables;
let driver: StoreDriver;

beforeEach(async () => {
  let count = 0;
  tables = new MemoryTables();
  driver = new StoreDriver(new MemoryJobStore(() => `id.${++count}`, { tables }));
  await driver.open();
});

describe('a trigger whose calendar throws', () => {
  /** Stores a healthy trigger and one whose calendar throws from then on. */
  const schedulePoisoned = async (startTime: number) => {
    const healthy: Calendar = { isIncluded: () => true, nextIncludedTime: (time) => time, toJSON: () => without() };
    tables.putCalendar('broken', { calendar: healthy, data: without() });
    await driver.scheduleAll(
      everyNoon('broken', { calendarName: 'broken', startTime, priority: 9, misfireInstruction: 'DO_NOTHING' }),
      everyMinute('healthy', { startTime }),
    );
    const failing: Calendar = {
      ...healthy,
      isIncluded: () => {
        throw new Error('broken');
      },
    };
    tables.putCalendar('broken', { calendar: failing, data: without() });
  };

  it('is set to ERROR while the rest of its batch fires', async () => {
    await schedulePoisoned(NOW);
    const { fired } = await driver.store.acquireTriggers(driver.request({ fireWithin: 0 }));
    expect(fired).toMatchObject([
      { status: 'notFired', reason: 'invalid', acquired: { trigger: { key: { name: 'broken' } } } },
      { status: 'fired', firing: { trigger: { key: { name: 'healthy' } } } },
    ]);
    expect(await driver.state('broken')).toBe('ERROR');
  });

  it('is set to ERROR while the other triggers are resumed', async () => {
    await schedulePoisoned(NOW);
    await driver.store.pauseTriggers(GroupMatcher.anyGroup());
    driver.now = NOW + HOUR;
    await driver.store.resumeTriggers(GroupMatcher.anyGroup(), driver.options);
    expect([await driver.state('broken'), await driver.state('healthy')]).toEqual(['ERROR', 'WAITING']);
  });

  it('is set to ERROR and not tried again, while other triggers recover from misfires', async () => {
    await schedulePoisoned(NOW);
    driver.now = NOW + HOUR + 1;
    const sweep = await driver.recoverMisfires();
    expect(sweep.misfired.map(({ key }) => key.name)).toEqual(['healthy']);
    expect(sweep.earliestNextFireTime).toBe((await driver.trigger('healthy')).nextFireTime);
    expect(await driver.state('broken')).toBe('ERROR');
    expect((await driver.recoverMisfires()).misfired).toEqual([]);
  });
});

describe('announcements of schedule changes', () => {
  it('end when the store is closed', async () => {
    await driver.store.close();
    await driver.scheduleAll(once());
    expect(driver.announced).toEqual([]);
  });

  it('are not made for a change that was undone', async () => {
    await driver.schedule(job('job', { durable: true }));
    await expect(driver.apply(storing(once()), storing(once('b', { jobKey: jobKey('no') })))).rejects.toThrow();
    driver.announced = [];
    await driver.applyOne({ type: 'deleteJob', key: jobKey('job') });
    expect(driver.announced).toEqual([]);
  });
});

const SAID = { reason: 'a move', by: null, since: NOW, until: null };

/** Sizes at which a quadratic algorithm would take minutes. */
describe('large schedules', () => {
  const MANY = 20_000;
  const names = Array.from({ length: MANY }, (_, index) => `t${index}`);

  const drain = async () => {
    let count = 0;
    for (let fired = await driver.fireDue(); fired.length > 0; fired = await driver.fireDue()) {
      count += fired.length;
      await driver.store.completeTriggers(fired.map((firing) => ({ firing, instruction: 'DELETE_TRIGGER' })));
    }
    return count;
  };

  it.each([
    true,
    false,
  ])('fire and complete all triggers of one job (non-concurrent: %s)', async (disallowConcurrentExecution) => {
    await driver.schedule(job('job', { disallowConcurrentExecution }), ...names.map((name) => once(name)));
    expect(await drain()).toBe(MANY);
    expect((await allJobs(driver.store)).total).toBe(0);
  });

  it('are paused, resumed and deleted as a group, and group by group', async () => {
    const byGroup = names.map((name, index) => once(name, { key: triggerKey(name, index % 10 === 0 ? name : 'big') }));
    await driver.scheduleAll(...byGroup);
    await driver.store.pauseTriggers(GroupMatcher.groupEquals('big'));
    for (const name of names.filter((_, index) => index % 10 === 0)) {
      await driver.store.pauseTriggers(GroupMatcher.groupEquals(name));
    }
    expect(await driver.acquire()).toEqual([]);
    await driver.store.resumeTriggers(GroupMatcher.anyGroup(), driver.options);
    expect(await driver.acquire()).toHaveLength(100);
    await driver.applyOne({ type: 'deleteJob', key: jobKey('job') });
    expect(await driver.store.getTriggerGroupNames()).toEqual([]);
  });

  /** Number of triggers. Each of them takes a step of its own. */
  const STEPS = 1_000;

  /** A filled store that yields to the event loop after each step. */
  async function filledInSlices(): Promise<StoreDriver> {
    let elapsed = 0;
    const clock = { monotonic: () => (elapsed += 1_000) };
    driver = new StoreDriver(new MemoryJobStore(() => 'x', { tables, clock }));
    await driver.schedule(job('job'), ...names.slice(0, STEPS).map((name) => once(name)));
    return driver;
  }

  it.each([
    'group',
    'job',
  ] as const)('are paused and resumed by their %s in steps, and apply changes made between two steps', async (by) => {
    const { store } = await filledInSlices();
    const which = { operator: 'any', value: '' } as const;
    const [pause, resume] =
      by === 'group'
        ? [() => store.pauseTriggers(which, SAID), () => store.resumeTriggers(which, driver.options)]
        : [() => store.pauseJobs(which, SAID), () => store.resumeJobs(which, driver.options)];
    const paused = () => [...tables.triggers.values()].filter(({ state }) => state === 'PAUSED').length;

    const pausing = pause();
    while (paused() === 0) await yieldToEventLoop();
    expect(paused()).toBeLessThan(STEPS);
    await pausing;
    expect(paused()).toBe(STEPS);

    const resuming = resume();
    while (paused() === STEPS) await yieldToEventLoop();
    expect(paused()).toBeGreaterThan(0);
    await resuming;
    expect([paused(), tables.pauses.size, tables.pausedGroups.size]).toEqual([0, 0, 0]);
  });

  it('are not paused in a group that was resumed before the pause reached it', async () => {
    const { store } = await filledInSlices();
    await driver.apply(storing(once('late', { key: triggerKey('late', 'zz') })));
    const pausing = store.pauseTriggers({ operator: 'startsWith', value: '' });
    while (tables.pausedGroups.size === 0) await yieldToEventLoop();
    await store.resumeTriggers(GroupMatcher.groupEquals('zz'), driver.options);
    await pausing;
    const states = [...tables.triggers.values()].map(({ trigger, state }) => `${trigger.key.group}: ${state}`);
    expect(new Set(states)).toEqual(new Set([`${once('t0').key.group}: PAUSED`, 'zz: WAITING']));
  });

  it('end in the state of the last request if they are paused and resumed at the same time', async () => {
    const { store } = await filledInSlices();
    const which = GroupMatcher.anyGroup();
    const states = () => [...new Set([...tables.triggers.values()].map(({ state }) => state))];

    const pausing = store.pauseTriggers(which);
    while (states().length < 2) await yieldToEventLoop();
    await Promise.all([pausing, store.resumeTriggers(which, driver.options)]);
    expect(states()).toEqual(['WAITING']);

    await store.pauseTriggers(which);
    const resuming = store.resumeTriggers(which, driver.options);
    while (states().length < 2) await yieldToEventLoop();
    await Promise.all([resuming, store.pauseTriggers(which)]);
    expect(states()).toEqual(['PAUSED']);
  });

  it('with unknown job types do not slow down the search for due triggers', async () => {
    await driver.schedule(
      job('foreign', { jobType: 'foreign' }),
      ...names.map((name) => once(name, { startTime: NOW - 1 })),
    );
    await driver.schedule(job('ours'), ...names.slice(0, 2000).map((name) => once(`our-${name}`)));
    const taken: string[] = [];
    for (let turn = 0; turn < 2000; turn++) taken.push(...namesOf(await driver.acquire({ maxCount: 1 })));
    expect(taken).toHaveLength(2000);
  });

  it('with misfired triggers slow down neither the search for due triggers nor for misfires', async () => {
    await driver.schedule(job('late'), ...names.map((name, index) => once(name, { startTime: NOW - HOUR - index })));
    await driver.schedule(job('due'), ...names.slice(0, 2000).map((name) => once(`due-${name}`)));
    for (let turn = 0; turn < 2000; turn++) {
      expect(await driver.acquire({ maxCount: 1 })).toHaveLength(1);
      expect((await driver.recoverMisfires(1)).more).toBe(true);
    }
  });

  it('are blocked and unblocked by a single job without an update of each trigger', async () => {
    const detail = job('job', { disallowConcurrentExecution: true });
    await driver.schedule(detail, everyMinute('first', { startTime: NOW - 1 }), ...names.map((name) => once(name)));
    for (let turn = 0; turn < 2000; turn++) {
      const firing = await driver.fireOne();
      expect(await driver.state(names.at(-1))).toBe('BLOCKED');
      await driver.complete(firing);
    }
    expect(await driver.state(names.at(-1))).toBe('WAITING');
  });
});
