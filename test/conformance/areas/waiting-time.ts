import { dueOrder } from '../../../src/domain/acquisition';
import { jobKey, triggerKey } from '../../../src/domain/keys';
import type { CalendarIntervalTrigger, DailyTimeIntervalTrigger, Trigger } from '../../../src/domain/trigger';
import type { StoreContext } from '../describe-job-store';
import { everyMinute, everyNoon, HOUR, job, MINUTE, NOW, once, SECOND } from '../samples';
import { namesOf, type StoreDriver } from '../store-driver';

const LOW = { priority: 1 };

const everyUnit = (fields: Partial<CalendarIntervalTrigger> = {}): Trigger => ({
  ...everyNoon('low', LOW),
  ...{ kind: 'CAL_INT', repeatInterval: 1, repeatIntervalUnit: 'MINUTE', timesTriggered: 0 },
  ...{ preserveHourOfDayAcrossDaylightSavings: false, skipDayIfHourDoesNotExist: false },
  ...fields,
});

const daily = (misfireInstruction: DailyTimeIntervalTrigger['misfireInstruction']): Trigger => ({
  ...everyNoon('low', LOW),
  ...{ kind: 'DAILY_I', repeatInterval: 1, repeatIntervalUnit: 'MINUTE', repeatCount: -1, timesTriggered: 0 },
  ...{ startTimeOfDay: { hour: 0, minute: 0, second: 0 }, endTimeOfDay: null, daysOfWeek: [1, 2, 3, 4, 5, 6, 7] },
  misfireInstruction,
});

const cron = (misfireInstruction: 'SMART_POLICY' | 'FIRE_ONCE_NOW' | 'DO_NOTHING' | 'IGNORE_MISFIRE_POLICY') =>
  everyNoon('low', { ...LOW, cronExpression: '0 * * * * ?', misfireInstruction });

/** A trigger of priority 1 that is first due now, for each kind of misfire rule. */
const RULES: Readonly<Record<string, Trigger>> = {
  'a one-shot that fires now': once('low', LOW),
  'a one-shot that ignores misfires': once('low', { ...LOW, misfireInstruction: 'IGNORE_MISFIRE_POLICY' }),
  'an interval, next with remaining count': everyMinute('low', LOW),
  'an interval, next with existing count': everyMinute('low', {
    ...LOW,
    misfireInstruction: 'RESCHEDULE_NEXT_WITH_EXISTING_COUNT',
  }),
  'an interval, now with existing count': everyMinute('low', { ...LOW, repeatCount: 500 }),
  'an interval, now with remaining count': everyMinute('low', {
    ...LOW,
    repeatCount: 500,
    misfireInstruction: 'RESCHEDULE_NOW_WITH_REMAINING_REPEAT_COUNT',
  }),
  'a cron by its default': cron('SMART_POLICY'),
  'a cron that fires now': cron('FIRE_ONCE_NOW'),
  'a cron that does nothing': cron('DO_NOTHING'),
  'a cron that ignores misfires': cron('IGNORE_MISFIRE_POLICY'),
  'a calendar interval that fires now': everyUnit(),
  'a calendar interval that does nothing': everyUnit({ misfireInstruction: 'DO_NOTHING' }),
  'a daily interval that fires now': daily('FIRE_ONCE_NOW'),
  'a daily interval that does nothing': daily('DO_NOTHING'),
  'a cron with startWithin': cronWithin(),
};

function cronWithin(): Trigger {
  return { ...cron('FIRE_ONCE_NOW'), policy: { startWithin: 30 * SECOND } };
}

/** Waiting time of triggers whose fire time has moved by misfires. It decides the order by priority, and the job can read it. */
export function describeWaitingTime({ driver }: Pick<StoreContext, 'driver'>, ageing: number): void {
  describe('the waiting time of a trigger', () => {
    describeRules(driver, ageing);
    describeEnds(driver, ageing);
    describeOrder(driver, ageing);
  });
}

/** Lets the trigger misfire `times` times, each a minute and a second after it was due. Ends when it is due after its last misfire. */
async function misfire(driver: StoreDriver, times: number, name = 'low'): Promise<void> {
  for (let time = 0; time < times; time++) {
    driver.now = ((await driver.trigger(name)).nextFireTime ?? 0) + MINUTE + SECOND;
    await driver.recoverMisfires();
    driver.now = Math.max(driver.now, (await driver.trigger(name)).nextFireTime ?? 0);
  }
}

/** Stores a rival that is due now, with a priority that many higher than `low`. Returns both in the order in which they fire. */
async function raceAgainst(driver: StoreDriver, priorities: number): Promise<readonly string[]> {
  await driver.schedule(job('rivals'), once('rival', { startTime: driver.now, priority: 1 + priorities }));
  const fired = await driver.fireDue({ maxCount: 2 });
  return namesOf(fired);
}

function describeRules(driver: () => StoreDriver, ageing: number): void {
  it.each(
    Object.entries(RULES),
  )('starts at the first due time for %s, and is known to the job', async (_name, trigger) => {
    await driver().schedule(job('job', { durable: true }), trigger);
    await misfire(driver(), 2);
    const waited = Math.floor((driver().now - NOW) / ageing);
    const rival = { startTime: driver().now, jobKey: jobKey('rivals') };
    await driver().schedule(
      job('rivals'),
      once('more urgent', { ...rival, priority: waited + 2 }),
      once('less urgent', { ...rival, priority: waited }),
    );
    const [first, firing] = await driver().fireDue({ maxCount: 2 });
    expect([first?.trigger.key.name, firing?.trigger.key.name]).toEqual(['more urgent', 'low']);
    expect(firing?.firstDueTime ?? firing?.scheduledFireTime).toBe(NOW);
    await driver().complete(firing as NonNullable<typeof firing>);
    driver().now = (await driver().find('low'))?.trigger.nextFireTime ?? driver().now;
    for (const next of await driver().fireDue()) expect(next).not.toHaveProperty('firstDueTime');
  });

  it('is known when a reserved trigger fires, too', async () => {
    await driver().schedule(job(), once('low', LOW));
    await misfire(driver(), 1);
    const fired = await driver().fire(...(await driver().acquire()));
    expect(fired).toMatchObject([{ status: 'fired', firing: { firstDueTime: NOW, scheduledFireTime: driver().now } }]);
  });
}

function describeEnds(driver: () => StoreDriver, ageing: number): void {
  const lost = ['rival', 'low'];
  const stayed = ['low', 'rival'];

  /** A race that the trigger wins by the time since it was first due, and loses by the time since its last misfire. */
  const race = () => raceAgainst(driver(), Math.floor((driver().now - NOW) / ageing) - 1);

  it('does not include a pause', async () => {
    await driver().schedule(job(), once('low', LOW));
    await misfire(driver(), 2);
    await driver().store.pauseTriggers([triggerKey('low')]);
    await driver().store.resumeTriggers([triggerKey('low')], driver().options);
    expect(await race()).toEqual(lost);
  });

  it('does not include a pause during which the trigger misfires', async () => {
    await driver().schedule(job(), once('low', LOW));
    await driver().store.pauseTriggers([triggerKey('low')]);
    driver().now += HOUR;
    await driver().store.resumeTriggers([triggerKey('low')], driver().options);
    expect(await race()).toEqual(lost);
  });

  it('ends with a change that moves the fire time', async () => {
    await driver().schedule(job(), everyMinute('low', LOW));
    await misfire(driver(), 2);
    driver().now -= SECOND;
    await driver().register(everyMinute('low', { ...LOW, startTime: NOW, repeatInterval: SECOND }));
    driver().now += SECOND;
    expect(await race()).toEqual(lost);
  });

  it('continues through a change that keeps the fire time, with the new priority', async () => {
    await driver().schedule(job(), once('low', LOW));
    await misfire(driver(), 2);
    await driver().register(once('low', { priority: 0, description: 'changed' }));
    await driver().register(once('low', { priority: 2, description: 'changed again' }));
    expect((await driver().trigger('low')).nextFireTime).toBe(driver().now);
    // One priority more than the trigger had when it misfired.
    expect(await raceAgainst(driver(), Math.floor((driver().now - NOW) / ageing) + 1)).toEqual(stayed);
  });

  it.each([
    ['a deleted trigger', 'deleteTrigger'],
    ['a deleted job', 'deleteJob'],
    ['a cleared schedule', 'clear'],
  ] as const)('ends with %s, even if the same trigger is stored again', async (_name, type) => {
    await driver().schedule(job(), once('low', LOW));
    await misfire(driver(), 2);
    if (type === 'clear') await driver().apply({ type });
    else if (type === 'deleteJob') await driver().apply({ type, key: job().key });
    else await driver().apply({ type, key: triggerKey('low') });
    await driver().schedule(job(), once('low', { ...LOW, startTime: driver().now }));
    expect(await race()).toEqual(lost);
  });

  it('is not set for catch-up runs, whose fire times do not move', async () => {
    const policy = { catchUp: { max: 10, window: HOUR, pace: 0 } };
    await driver().schedule(job(), { ...cron('DO_NOTHING'), policy });
    await misfire(driver(), 1);
    const fired = await driver().fireDue();
    expect(fired.map(({ firstDueTime }) => firstDueTime)).toEqual(fired.map(() => undefined));
    expect(fired.length).toBeGreaterThan(1);
  });

  it('continues while the job runs and blocks its trigger', async () => {
    const serial = job('serial', { disallowConcurrentExecution: true, durable: true });
    await driver().schedule(serial, once('low', LOW), once('busy', { startTime: NOW, priority: 900 }));
    await misfire(driver(), 2);
    const [busy] = await driver().fireDue();
    expect(busy?.trigger.key.name).toBe('busy');
    await driver().complete(busy as NonNullable<typeof busy>);
    expect(await race()).toEqual(stayed);
  });
}

function describeOrder(driver: () => StoreDriver, ageing: number): void {
  it('lets a low trigger fire in time, however many more urgent ones come', async () => {
    const rivals = Array.from({ length: 20 }, (_, index) =>
      once(`high ${index}`, { startTime: NOW + index * 10 * SECOND, priority: 10 }),
    );
    await driver().schedule(job('job'), once('low', LOW), ...rivals);
    const fired: string[] = [];
    for (let index = 0; index < 20; index++) {
      driver().now = NOW + index * 10 * SECOND;
      await driver().recoverMisfires();
      fired.push(...namesOf(await driver().fireDue({ maxCount: 1 })));
    }
    // Nine priorities behind: level after nine times the ageing, and then the earlier one goes first.
    expect(fired.indexOf('low')).toBe((9 * ageing) / (10 * SECOND));
  });

  it('has no effect before the trigger is due', async () => {
    const serial = job('serial', { disallowConcurrentExecution: true });
    await driver().schedule(job(), cron('DO_NOTHING'));
    await driver().schedule(serial, { ...cron('DO_NOTHING'), key: triggerKey('serial') });
    driver().now = NOW + 90 * SECOND;
    await driver().recoverMisfires();
    await driver().schedule(job('other'), once('now', { startTime: driver().now, priority: 0 }));
    expect(namesOf(await driver().fireDue())).toEqual(['now']);
    driver().now = NOW + 2 * MINUTE;
    await driver().schedule(job('rivals'), once('rival', { startTime: driver().now, priority: 10 }));
    expect(namesOf(await driver().fireDue())).toEqual(['low', 'serial', 'rival']);
  });

  it('selects the longest waiting trigger of a non-concurrent job', async () => {
    const serial = job('serial', { disallowConcurrentExecution: true });
    const plain = once('plain', { startTime: NOW + 70 * SECOND, ...LOW });
    const late = once('late', { startTime: NOW + 30 * SECOND, ...LOW });
    await driver().schedule(serial, plain, late, once('low', LOW));
    driver().now = NOW + 2 * MINUTE;
    await driver().recoverMisfires();
    const [first, ...others] = await driver().fireDue();
    expect(first?.trigger.key.name).toBe('low');
    expect(others).toEqual([]);
  });

  it.each([1, 2])('gives the sorted order of all triggers (%s)', async (seed) => {
    const random = numbers(seed);
    const triggers = Array.from({ length: 80 }, (_, index) => {
      const startTime = NOW - Math.floor(random() * 200) * SECOND;
      return once(`t${index}`, { startTime, priority: Math.floor(random() * 9) - 2 });
    });
    await driver().schedule(job('job'), ...triggers);
    for (const seconds of [0, 40, 80]) {
      driver().now = NOW + seconds * SECOND;
      await driver().recoverMisfires();
    }
    const waiting = await Promise.all(
      triggers.map(async ({ key, startTime }) => ({ trigger: await driver().trigger(key), firstDueTime: startTime })),
    );
    const expected = waiting.sort(dueOrder(ageing, driver().now)).map(({ trigger }) => trigger.key.name);
    const fired: string[] = [];
    for (let count = 1; fired.length < 80; count = 1 + Math.floor(random() * 12))
      fired.push(...namesOf(await driver().fireDue({ maxCount: count })));
    expect(fired).toEqual(expected);
  });
}

/** Returns a generator of numbers from 0 to 1, the same for the same seed. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
