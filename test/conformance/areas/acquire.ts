import { jobKey, triggerKey } from '../../../src/domain/keys';
import { IS_LONG } from '../../support/long-forms';
import type { StoreContext } from '../describe-job-store';
import { everyMinute, HOUR, job, MINUTE, NOW, once, SECOND } from '../samples';
import { namesOf, storing } from '../store-driver';

/** Reservation of triggers: order, time window, and excluded triggers. */
export function describeAcquiring(context: StoreContext): void {
  describe('acquisition of triggers', () => {
    describeOrder(context);
    describeWindow(context);
    describeChoice(context);
    describeNonConcurrent(context);
    describeReleasing(context);
    describeManyTriggers(context);
  });
}

function describeOrder({ driver }: StoreContext): void {
  it('returns triggers by fire time, then by priority, then by key', async () => {
    await driver().scheduleAll(
      once('b', { key: triggerKey('b', 'y') }),
      once('a', { key: triggerKey('a', 'y') }),
      once('c', { key: triggerKey('c', 'x') }),
      once('urgent', { priority: 6 }),
      once('idle', { priority: -1 }),
      once('earlier', { startTime: NOW - SECOND, priority: 1 }),
      once('B', { key: triggerKey('B', 'y') }),
    );
    expect(namesOf(await driver().acquire())).toEqual(['earlier', 'urgent', 'c', 'B', 'a', 'b', 'idle']);
  });

  it('returns no trigger twice', async () => {
    await driver().scheduleAll(once('a'), once('b'), once('c'));
    expect(namesOf(await driver().acquire({ maxCount: 2 }))).toEqual(['a', 'b']);
    expect(namesOf(await driver().acquire({ maxCount: 2 }))).toEqual(['c']);
    expect(await driver().acquire()).toEqual([]);
    expect(await driver().state('a')).toBe('ACQUIRED');
  });

  it('gives every reservation a unique id', async () => {
    await driver().scheduleAll(...Array.from({ length: 50 }, (_, index) => once(`trigger ${index}`)));
    const acquired = await driver().acquire();
    expect(new Set(acquired.map(({ runId }) => runId)).size).toBe(50);
  });
}

function describeWindow({ driver }: StoreContext): void {
  it('returns triggers that are due by the requested time', async () => {
    await driver().scheduleAll(once('now'), once('later', { startTime: NOW + 1 }));
    expect(namesOf(await driver().acquire({ noLaterThan: NOW }))).toEqual(['now']);
    expect(await driver().acquire({ noLaterThan: NOW })).toEqual([]);
    expect(namesOf(await driver().acquire({ noLaterThan: NOW + 1 }))).toEqual(['later']);
  });

  it('returns only triggers within the time window of the first one', async () => {
    const at = (name: string, time: number) => once(name, { startTime: time });
    const inMinutes = (name: string, minutes: number) => at(name, NOW + minutes * MINUTE);
    await driver().scheduleAll(inMinutes('a', 10), inMinutes('b', 15), inMinutes('c', 16), inMinutes('d', 30));
    const ahead = { noLaterThan: NOW + HOUR };
    expect(namesOf(await driver().acquire({ ...ahead, timeWindow: 5 * MINUTE }))).toEqual(['a', 'b']);
    expect(namesOf(await driver().acquire({ ...ahead, timeWindow: 0 }))).toEqual(['c']);
    expect(namesOf(await driver().acquire({ ...ahead, timeWindow: 0 }))).toEqual(['d']);
  });

  it('opens the time window now if the first trigger is late', async () => {
    const at = (name: string, time: number) => once(name, { startTime: time });
    const soon = [at('soon', NOW + 5 * MINUTE), at('next', NOW + 10 * MINUTE)] as const;
    await driver().scheduleAll(at('late', NOW - SECOND), at('due', NOW), ...soon);
    const acquired = await driver().acquire({ noLaterThan: NOW + HOUR, timeWindow: 5 * MINUTE });
    expect(namesOf(acquired)).toEqual(['late', 'due', 'soon']);
  });

  it('returns at most the requested number of triggers, and none if that is zero', async () => {
    await driver().scheduleAll(once('a'), once('b'));
    expect(await driver().acquire({ maxCount: 0 })).toEqual([]);
    expect(await driver().acquire({ maxCount: 1 })).toHaveLength(1);
  });
}

function describeChoice({ driver }: StoreContext): void {
  it('leaves misfired triggers to the misfire handler, unless they ignore misfires', async () => {
    await driver().scheduleAll(
      everyMinute('misfired', { startTime: NOW - MINUTE - 1 }),
      everyMinute('ignoring', { startTime: NOW - HOUR, misfireInstruction: 'IGNORE_MISFIRE_POLICY' }),
      everyMinute('late', { startTime: NOW - MINUTE }),
    );
    expect(namesOf(await driver().acquire())).toEqual(['ignoring', 'late']);
    expect(await driver().state('misfired')).toBe('WAITING');
  });

  it('uses the given time, even after a backward step', async () => {
    await driver().schedule(job(), once('a'), once('c', { startTime: NOW + 2 * MINUTE }));
    await driver().schedule(
      job('serial', { disallowConcurrentExecution: true }),
      once('b'),
      once('d', { startTime: NOW + 2 * MINUTE }),
    );
    driver().now = NOW + 2 * MINUTE;
    const ahead = await driver().acquire();
    expect(namesOf(ahead)).toEqual(['c', 'd']);
    await driver().store.releaseTriggers(ahead);
    driver().now = NOW + 30 * SECOND;
    expect(namesOf(await driver().acquire({ noLaterThan: NOW + HOUR }))).toEqual(['a', 'b']);
  });

  it('skips job types that this node cannot run, without delaying other triggers', async () => {
    await driver().schedule(job('foreign', { jobType: 'foreign' }), once('foreign', { priority: 9 }));
    await driver().scheduleAll(once('ours'));
    expect(await driver().acquire({ jobTypes: [] })).toEqual([]);
    expect(namesOf(await driver().acquire({ maxCount: 1 }))).toEqual(['ours']);
    expect(await driver().state('foreign')).toBe('WAITING');
    expect(namesOf(await driver().acquire({ jobTypes: ['sample', 'foreign'] }))).toEqual(['foreign']);
  });

  it('merges several job types in the order of their fire times', async () => {
    const types = ['x', 'y', 'z'];
    for (const [index, jobType] of types.entries()) {
      const triggers = [0, 1].map((turn) => once(`${turn}${jobType}`, { startTime: NOW - 10 + turn * 3 + index }));
      await driver().schedule(job(jobType, { jobType }), ...triggers);
    }
    const acquired = await driver().acquire({ jobTypes: ['z', 'unknown', 'x', 'y'] });
    expect(namesOf(acquired)).toEqual(['0x', '0y', '0z', '1x', '1y', '1z']);
  });
}

function describeNonConcurrent({ driver }: StoreContext): void {
  const serial = job('serial', { disallowConcurrentExecution: true });

  it('puts only the first trigger of a non-concurrent job into a batch', async () => {
    await driver().schedule(serial, once('b'), once('a'), once('c'));
    await driver().scheduleAll(once('d'), once('e'));
    expect(namesOf(await driver().acquire())).toEqual(['a', 'd', 'e']);
  });

  it('skips a non-concurrent job while it executes, and continues after its end', async () => {
    await driver().schedule(serial, once('a'), once('b'));
    const firing = await driver().fireOne();
    expect(await driver().acquire()).toEqual([]);
    expect(await driver().state('b')).toBe('BLOCKED');
    await driver().complete(firing, 'DELETE_TRIGGER');
    expect(namesOf(await driver().acquire())).toEqual(['b']);
  });

  it('returns a due trigger although another one of its non-concurrent job has misfired', async () => {
    await driver().schedule(serial, once('misfired', { startTime: NOW - HOUR }), once('due'));
    expect(namesOf(await driver().acquire())).toEqual(['due']);
  });

  it('returns the earliest trigger of a non-concurrent job, whether or not it ignores misfires', async () => {
    const ignoring = { misfireInstruction: 'IGNORE_MISFIRE_POLICY' } as const;
    await driver().schedule(
      serial,
      once('b', { startTime: NOW - 1 }),
      once('a', { startTime: NOW - HOUR, ...ignoring }),
    );
    for (const name of ['a', 'b']) {
      const firing = await driver().fireOne();
      expect(firing.trigger.key.name).toBe(name);
      await driver().complete(firing, 'DELETE_TRIGGER');
    }
  });
}

function describeReleasing({ driver }: StoreContext): void {
  it('restores a trigger when its reservation is released', async () => {
    await driver().scheduleAll(everyMinute());
    const before = await driver().everything();
    await driver().store.releaseTriggers(await driver().acquire());
    expect(await driver().everything()).toEqual(before);
    expect(namesOf(await driver().acquire())).toEqual(['trigger']);
  });

  it('ignores the release of a reservation that another one has replaced', async () => {
    await driver().scheduleAll(everyMinute());
    const first = await driver().acquireOne();
    await driver().store.releaseTriggers([first]);
    const second = await driver().acquireOne();
    await driver().store.releaseTriggers([first]);
    expect(await driver().state()).toBe('ACQUIRED');
    expect(await driver().fire(first)).toEqual([{ status: 'notFired', acquired: first, reason: 'lost' }]);
    expect(await driver().fire(second)).toMatchObject([{ status: 'fired' }]);
    await driver().store.releaseTriggers([second]);
    expect((await driver().trigger()).nextFireTime).toBe(NOW + MINUTE);
  });

  it('does not restore a deleted trigger when its reservation is released', async () => {
    await driver().scheduleAll(everyMinute());
    const acquired = await driver().acquireOne();
    await driver().applyOne({ type: 'deleteTrigger', key: triggerKey('trigger') });
    await driver().store.releaseTriggers([acquired]);
    expect(await driver().find()).toBeNull();
  });

  it('can reserve a non-concurrent job again after its reservation is released', async () => {
    await driver().schedule(job('serial', { disallowConcurrentExecution: true }), once('a'), once('b'));
    await driver().store.releaseTriggers(await driver().acquire());
    expect(namesOf(await driver().acquire())).toEqual(['a']);
  });
}

/** Correctness with many triggers. The benchmarks measure the speed. */
function describeManyTriggers({ driver, capabilities }: StoreContext): void {
  const large = IS_LONG ? 10_000 : 2_000; // a turn of a non-concurrent job blocks and frees a tenth of them
  const many = capabilities.largeSchedules ? large : 200;
  const overdue = (count: number) =>
    Array.from({ length: count }, (_, index) => once(`old ${index}`, { startTime: NOW - HOUR + index }));

  it('finds a due trigger behind many misfired triggers and triggers of other job types', async () => {
    await driver().scheduleAll(...overdue(many));
    await driver().schedule(
      job('foreign', { jobType: 'foreign' }),
      ...overdue(many).map((trigger, index) => ({ ...trigger, key: triggerKey(`foreign ${index}`), startTime: NOW })),
    );
    await driver().schedule(job('due'), once('due'));
    expect(namesOf(await driver().acquire())).toEqual(['due']);
  });

  it('returns all triggers of a non-concurrent job, one after the other', async () => {
    const count = many / 10;
    const detail = job('serial', { disallowConcurrentExecution: true });
    await driver().schedule(detail, ...overdue(count).map((trigger) => ({ ...trigger, startTime: NOW })));
    await driver().apply(storing(once('last', { jobKey: jobKey('serial'), priority: 1 })));
    const names: string[] = [];
    for (let turn = 0; turn <= count; turn++) {
      const firing = await driver().fireOne({ maxCount: 100 });
      names.push(firing.trigger.key.name);
      await driver().complete(firing, 'DELETE_TRIGGER');
    }
    expect(new Set(names).size).toBe(count + 1);
    expect(names.at(-1)).toBe('last');
    expect(await driver().job('serial')).toBeNull();
  });
}
