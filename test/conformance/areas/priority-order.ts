import { dueOrder } from '../../../src/domain/acquisition';
import type { SimpleTrigger } from '../../../src/domain/trigger';
import type { StoreContext } from '../describe-job-store';
import { HOUR, job, MINUTE, NOW, once, SECOND } from '../samples';
import { namesOf, type StoreDriver } from '../store-driver';

/** Waiting time after which a trigger counts as one priority higher in these tests. */
export const AGEING = 10 * SECOND;

/** Firing order by priority. The node accepts priorities from -1,000 to 1,000. */
export function describePriorityOrder({ driver }: Pick<StoreContext, 'driver'>): void {
  describe('order by priority', () => {
    describeOvertaking(driver);
    describeAgeing(driver);
    describeWhatItLeaves(driver);
    describeManyAtOnce(driver);
  });
}

const due = (name: string, secondsAgo: number, fields: Partial<SimpleTrigger> = {}) =>
  once(name, { startTime: NOW - secondsAgo * SECOND, ...fields });

function describeOvertaking(driver: () => StoreDriver): void {
  it('fires an urgent trigger before a backlog', async () => {
    const backlog = Array.from({ length: 40 }, (_, index) => due(`low ${index}`, 30 - index * 0.1, { priority: 1 }));
    await driver().schedule(job('job'), ...backlog, due('urgent', 0, { priority: 9 }));
    expect(namesOf(await driver().fireDue({ maxCount: 3 }))).toEqual(['urgent', 'low 0', 'low 1']);
  });

  it('takes due triggers first, by priority, then others by fire time', async () => {
    await driver().schedule(
      job('job'),
      due('soon', -2, { priority: 1 }),
      due('later', -3, { priority: 9 }),
      due('low', 5, { priority: 1 }),
      due('high', 0, { priority: 9 }),
    );
    const ahead = { noLaterThan: NOW + MINUTE, timeWindow: MINUTE };
    expect(namesOf(await driver().acquire(ahead))).toEqual(['high', 'low', 'soon', 'later']);
  });

  it('takes the earliest trigger if none is due', async () => {
    await driver().schedule(job('job'), due('late', -20, { priority: 9 }), due('early', -10, { priority: 1 }));
    const ahead = { noLaterThan: NOW + HOUR, timeWindow: 0 };
    expect(namesOf(await driver().acquire(ahead))).toEqual(['early']);
    expect(namesOf(await driver().acquire(ahead))).toEqual(['late']);
  });

  it('fires the most urgent due trigger of a non-concurrent job', async () => {
    const serial = job('serial', { disallowConcurrentExecution: true });
    await driver().schedule(serial, due('low', 5, { priority: 1 }), due('high', -1, { priority: 9 }));
    await driver().schedule(job('plain'), due('between', 5, { priority: 4 }));
    driver().now = NOW + SECOND;
    const fired = await driver().fireDue();
    expect(namesOf(fired)).toEqual(['high', 'between']);
    await driver().complete(fired[0] as (typeof fired)[0]);
    expect(namesOf(await driver().fireDue())).toEqual(['low']);
  });

  it('gives the capacity of a limit to the most urgent triggers', async () => {
    const limited = job('limited', { policy: { concurrency: { key: 'mail', limit: 2 } } });
    await driver().schedule(
      limited,
      due('a', 9, { priority: 1 }),
      due('b', 8, { priority: 1 }),
      due('c', 1, { priority: 7 }),
      due('d', 0, { priority: 8 }),
    );
    await driver().schedule(job('free'), due('free', 0, { priority: 1 }));
    const fired = await driver().fireDue();
    expect(namesOf(fired)).toEqual(['d', 'c', 'free']);
    await driver().complete(fired[0] as (typeof fired)[0]);
    expect(namesOf(await driver().fireDue())).toEqual(['a']);
  });
}

function describeAgeing(driver: () => StoreDriver): void {
  // The low one is two priorities behind. It makes up for that by waiting 20 s longer than its rival.
  it.each([
    [19, ['high', 'low']],
    [21, ['low', 'high']],
  ])('lets a long wait outweigh a higher priority only after the computed time: %s s', async (seconds, order) => {
    const rival = once('high', { startTime: NOW + seconds * SECOND, priority: 3 });
    await driver().schedule(job('job'), due('low', 0, { priority: 1 }), rival);
    driver().now = NOW + seconds * SECOND;
    expect(namesOf(await driver().fireDue({ maxCount: 1 }))).toEqual(order.slice(0, 1));
    expect(namesOf(await driver().fireDue({ maxCount: 1 }))).toEqual(order.slice(1));
  });

  it('fires a low trigger in time although more urgent ones keep coming', async () => {
    const rivals = Array.from({ length: 30 }, (_, second) =>
      once(`high ${second}`, { startTime: NOW + second * SECOND, priority: 3 }),
    );
    await driver().schedule(job('job'), due('low', 0, { priority: 1 }), ...rivals);
    const fired: string[] = [];
    for (let second = 0; second < 30; second++) {
      driver().now = NOW + second * SECOND;
      fired.push(...namesOf(await driver().fireDue({ maxCount: 1 })));
    }
    // At 20 s both are level, and the earlier one goes first.
    expect(fired.indexOf('low')).toBe(20);
  });
}

function describeWhatItLeaves(driver: () => StoreDriver): void {
  it('leaves misfired triggers to their instructions, and other priorities to other nodes', async () => {
    await driver().schedule(
      job('job'),
      due('misfired', 120, { priority: 9 }),
      due('ignoring', 120, { priority: 8, misfireInstruction: 'IGNORE_MISFIRE_POLICY' }),
      due('too urgent', 1, { priority: 1_001 }),
      due('too idle', 1, { priority: -1_001 }),
      due('plain', 1, { priority: 2 }),
    );
    expect(namesOf(await driver().fireDue())).toEqual(['ignoring', 'plain']);
    await driver().store.recoverMisfires({ ...driver().options, maxCount: 10 });
    expect(namesOf(await driver().fireDue())).toEqual(['misfired']);
  });

  it('is not delayed by urgent triggers that this node cannot run', async () => {
    const foreign = job('foreign', { jobType: 'elsewhere' });
    const backlog = [20, 19, 18, 17, 16, 15, 14, 13, 12, 11].flatMap((priority) =>
      [5, 4, 3].map((ago) => due(`${priority} ${ago}`, ago, { priority })),
    );
    await driver().schedule(foreign, ...backlog);
    await driver().schedule(job('job'), due('runs', 0, { priority: 1 }));
    expect(namesOf(await driver().fireDue({ maxCount: 2 }))).toEqual(['runs']);
  });
}

function describeManyAtOnce(driver: () => StoreDriver): void {
  it.each([1, 2, 3, 4])('equals the sorted order of all triggers (%s)', async (seed) => {
    const random = numbers(seed);
    const triggers = Array.from({ length: 150 }, (_, index) => {
      const startTime = NOW - Math.floor(random() * 50) * SECOND;
      return once(`t${index}`, { startTime, priority: Math.floor(random() * 12 * seed) - 4 });
    });
    await driver().schedule(job('job'), ...triggers);
    const order = dueOrder(AGEING, NOW);
    const expected = [...triggers]
      .map((trigger) => ({ trigger: { ...trigger, nextFireTime: trigger.startTime } }))
      .sort(order)
      .map(({ trigger: { key } }) => key.name);
    const fired: string[] = [];
    for (let count = 1; fired.length < 150; count = 1 + Math.floor(random() * 20)) {
      const batch = namesOf(await driver().fireDue({ maxCount: count }));
      expect(batch).toHaveLength(Math.min(count, 150 - fired.length));
      fired.push(...batch);
    }
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
