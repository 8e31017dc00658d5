import { jobKey, triggerKey } from '../../../src/domain/keys';
import type { SimpleTrigger } from '../../../src/domain/trigger';
import type { StoreContext } from '../describe-job-store';
import { everyMinute, job, MINUTE, NOW, once, SECOND } from '../samples';
import { namesOf } from '../store-driver';

/** Limits of concurrent runs: which triggers may start, which wait, and which are released. */
export function describeLimits(context: StoreContext): void {
  describe('concurrency limits', () => {
    describeWhoMayStart(context);
    describeWhoGoesOn(context);
    describeWhatWaits(context);
  });
}

const limited = (limit: number, key = 'mail') => ({ policy: { concurrency: { key, limit } } });

/** A trigger that became due that many seconds ago. */
function due(name: string, secondsAgo: number, fields: Partial<SimpleTrigger> = {}): SimpleTrigger {
  return once(name, { startTime: NOW - secondsAgo * SECOND, ...fields });
}

function describeWhoMayStart({ driver }: StoreContext): void {
  it('allow as many runs as the limit across jobs, the longest due first', async () => {
    await driver().schedule(job('a', limited(2)), due('a1', 5), due('a2', 3));
    await driver().schedule(job('b', limited(2)), due('b1', 4), due('b2', 2));
    expect(namesOf(await driver().fireDue())).toEqual(['a1', 'b1']);
    expect(namesOf(await driver().fireDue())).toEqual([]);
    expect([await driver().state('a2'), await driver().state('b2')]).toEqual(['BLOCKED', 'BLOCKED']);
  });

  it('read their key from the data of the trigger, then of the job', async () => {
    const policy = { concurrency: { key: 'customer-{data.customer.id}', limit: 1 } };
    const ofJob = { data: { customer: { id: 1 } }, policy };
    await driver().schedule(
      job('job', ofJob),
      due('a', 3),
      due('b', 2),
      due('c', 1, { data: { customer: { id: 2 } } }),
    );
    expect(namesOf(await driver().fireDue())).toEqual(['a', 'c']);
  });

  it('do not affect other jobs, whose triggers are found behind waiting ones', async () => {
    await driver().schedule(job('a', limited(1)), ...[9, 8, 7, 6].map((ago) => due(`a${ago}`, ago)));
    await driver().schedule(job('b'), due('b', 1));
    const fired = [...(await driver().fireDue({ maxCount: 2 })), ...(await driver().fireDue({ maxCount: 2 }))];
    expect(namesOf(fired)).toEqual(['a9', 'b']);
  });

  it('are checked again when a reservation fires', async () => {
    await driver().schedule(job('job', limited(1)), due('a', -1), due('b', -2));
    const acquired = await driver().acquire({ noLaterThan: NOW + MINUTE, timeWindow: MINUTE });
    expect(namesOf(acquired)).toEqual(['a', 'b']);
    driver().now = NOW + 3 * SECOND;
    const [first, second] = await driver().fire(...acquired);
    expect(first).toMatchObject({ status: 'fired' });
    expect(second).toMatchObject({ status: 'notFired', reason: 'blocked' });
    expect(await driver().state('b')).toBe('BLOCKED');
    if (first?.status === 'fired') await driver().complete(first.firing, 'DELETE_TRIGGER');
    expect(namesOf(await driver().fireDue())).toEqual(['b']);
  });

  it('keep later triggers out of a batch that fires at once', async () => {
    await driver().schedule(job('free'), due('free', 1));
    await driver().schedule(job('job', limited(1)), due('later', -1));
    const ahead = { timeWindow: MINUTE, noLaterThan: NOW + MINUTE };
    expect(namesOf(await driver().fireDue(ahead))).toEqual(['free']);
    expect(await driver().state('later')).toBe('WAITING');
  });

  it('are never exceeded by triggers that fire when they are stored', async () => {
    const store = { type: 'storeTrigger', ifExists: 'fail', startTimeDefaulted: false } as const;
    const detail = job('job', limited(1));
    const { fired } = await driver().store.applySchedule(
      [
        { type: 'storeJob', job: detail, ifExists: 'fail', requireTrigger: false },
        ...['a', 'b'].map((name) => ({ ...store, trigger: once(name) })),
      ],
      { ...driver().options, fireNow: { maxCount: 10, jobTypes: ['sample'] } },
    );
    expect(fired).toEqual([]);
    expect(namesOf(await driver().fireDue())).toEqual(['a']);
  });
}

function describeWhoGoesOn({ driver }: StoreContext): void {
  it('release the trigger that has waited longest when a run ends, and announce it', async () => {
    await driver().schedule(job('job', limited(1)), due('c', 1), due('a', 3), due('b', 2));
    for (const name of ['a', 'b', 'c']) {
      const firing = await driver().fireOne();
      expect(firing.trigger.key.name).toBe(name);
      expect(await driver().fireDue()).toEqual([]);
      driver().announced = [];
      await driver().complete(firing, 'DELETE_TRIGGER');
      const next = { a: [NOW - 2 * SECOND], b: [NOW - SECOND], c: [] }[name];
      expect(driver().announced).toEqual(next);
    }
  });

  it('release as many triggers as runs end together', async () => {
    await driver().schedule(job('job', limited(3)), ...[9, 8, 7, 6, 5, 4, 3].map((ago) => due(`t${ago}`, ago)));
    const first = await driver().fireDue();
    expect(first).toHaveLength(3);
    await driver().fireDue();
    await driver().store.completeTriggers(
      first.slice(0, 2).map((firing) => ({ firing, instruction: 'DELETE_TRIGGER' })),
    );
    expect(namesOf(await driver().fireDue())).toEqual(['t6', 't5']);
    expect(namesOf(await driver().fireDue())).toEqual([]);
  });

  it('count a run until it ends, and only once if it ends twice', async () => {
    await driver().schedule(job('job', limited(1)), due('a', 3), due('b', 2), due('c', 1));
    const a = await driver().fireOne();
    await driver().fireDue();
    await driver().complete(a, 'DELETE_TRIGGER');
    expect((await driver().complete(a, 'DELETE_TRIGGER')).status).toBe('fenced');
    expect(namesOf(await driver().fireDue())).toEqual(['b']);
    expect(namesOf(await driver().fireDue())).toEqual([]);
  });

  it('count a run whose trigger is due again', async () => {
    await driver().schedule(job('job', limited(1)), everyMinute('a'));
    const firing = await driver().fireOne();
    driver().now = NOW + MINUTE;
    expect(await driver().fireDue()).toEqual([]);
    await driver().complete(firing);
    expect((await driver().fireOne()).scheduledFireTime).toBe(NOW + MINUTE);
  });
}

function describeWhatWaits({ driver }: StoreContext): void {
  it('allow a waiting trigger to be paused and resumed', async () => {
    await driver().schedule(job('job', limited(1)), due('a', 2), due('b', 1));
    const a = await driver().fireOne();
    await driver().fireDue();
    await driver().store.pauseTriggers([triggerKey('b')]);
    await driver().complete(a, 'DELETE_TRIGGER');
    expect(await driver().fireDue()).toEqual([]);
    await driver().store.resumeTriggers([triggerKey('b')], driver().options);
    expect(namesOf(await driver().fireDue())).toEqual(['b']);
  });

  it('do not wait for a deleted trigger', async () => {
    await driver().schedule(job('job', limited(1)), due('a', 3), due('b', 2), due('c', 1));
    const a = await driver().fireOne();
    await driver().fireDue();
    await driver().apply({ type: 'deleteTrigger', key: triggerKey('b') });
    await driver().complete(a, 'DELETE_TRIGGER');
    expect(namesOf(await driver().fireDue())).toEqual(['c']);
  });

  it('make a trigger of a non-concurrent job wait for the limit and for the job', async () => {
    const policy = { concurrency: { key: 'mail', limit: 1 } };
    await driver().schedule(job('other', { policy }), due('other', 9));
    await driver().schedule(job('job', { policy, disallowConcurrentExecution: true }), due('a', 2), due('b', 1));
    const other = await driver().fireOne();
    expect(await driver().fireDue()).toEqual([]);
    await driver().complete(other, 'DELETE_TRIGGER');
    const a = await driver().fireOne();
    expect(a.trigger.key.name).toBe('a');
    expect(await driver().fireDue()).toEqual([]);
    await driver().complete(a, 'DELETE_TRIGGER');
    expect(namesOf(await driver().fireDue())).toEqual(['b']);
  });

  it('forget the waiting triggers of a deleted job, but count its run until it ends', async () => {
    await driver().schedule(job('job', limited(1)), due('a', 2), due('b', 1));
    const a = await driver().fireOne();
    await driver().fireDue();
    await driver().apply({ type: 'deleteJob', key: jobKey('job') });
    await driver().schedule(job('job', limited(1)), due('c', 1));
    expect(await driver().fireDue()).toEqual([]); // what runs still counts
    await driver().complete(a, 'DELETE_TRIGGER');
    expect(namesOf(await driver().fireDue())).toEqual(['c']);
  });
}
