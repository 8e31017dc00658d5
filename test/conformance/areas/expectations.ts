import type { TriggerFiring } from '../../../src/domain/firing';
import { jobKey, triggerKey } from '../../../src/domain/keys';
import { occurrenceOf } from '../../../src/domain/occurrence';
import type { StoreContext } from '../describe-job-store';
import { DAY, everyMinute, everyNoon, HOUR, job, MINUTE, NOW, once, SECOND } from '../samples';
import { type StoreDriver, storing } from '../store-driver';
import { retryOf } from './retries';

/** Jobs and triggers that must succeed within a time: when the time starts, which runs count, and who reports a lapse once. */
export function describeExpectations(context: StoreContext): void {
  describe('expectations of mustSucceedWithin', () => {
    describeCounting(context);
    describeMeeting(context);
    describeTelling(context);
    describeOwners(context);
  });
}

const within = (mustSucceedWithin: number) => ({ policy: { mustSucceedWithin } });

const OF_TRIGGER = { jobKey: jobKey('job'), triggerKey: triggerKey('trigger') };
const OF_JOB = { jobKey: jobKey('job'), triggerKey: null };

/** Ends a run as succeeded. */
function succeed(driver: StoreDriver, firing: TriggerFiring) {
  const end = { occurrence: occurrenceOf(firing), outcome: 'succeeded', isFinal: true, endTime: driver.now } as const;
  return driver.complete(firing, firing.trigger.nextFireTime === null ? 'DELETE_TRIGGER' : 'NOOP', { end });
}

function describeCounting({ driver }: StoreContext): void {
  it('start when they are stored, for a trigger and for a job', async () => {
    await driver().schedule(job('job', within(2 * HOUR)), everyMinute('trigger', within(HOUR)));
    expect(await driver().store.nextDueTime()).toBe(NOW + HOUR);
    expect(await driver().store.takeOverdue(NOW + HOUR - 1)).toEqual([]);
    const ofTrigger = { ...OF_TRIGGER, mustSucceedWithin: HOUR, since: NOW, lastSuccess: null };
    const ofJob = { ...OF_JOB, mustSucceedWithin: 2 * HOUR, since: NOW, lastSuccess: null };
    expect(await driver().store.takeOverdue(NOW + HOUR)).toEqual([ofTrigger]);
    expect(await driver().store.nextDueTime()).toBe(NOW + 2 * HOUR);
    expect(await driver().store.takeOverdue(NOW + DAY)).toEqual([ofJob]);
    expect(await driver().store.nextDueTime()).toBeNull();
  });

  it('start at the first fire time if that is later', async () => {
    await driver().schedule(
      job('job', within(HOUR)),
      everyNoon('trigger', { startTime: NOW + SECOND, ...within(HOUR) }),
    );
    expect(await driver().store.nextDueTime()).toBe(NOW + DAY + HOUR);
    const found = await driver().store.listOverdue(NOW + 2 * DAY, 100);
    expect(found.map(({ since }) => since)).toEqual([NOW + DAY, NOW + DAY]);
    expect(await driver().store.listOverdue(NOW + 2 * DAY, 1)).toEqual(found.slice(0, 1));
  });

  it('do not exist without the policy', async () => {
    await driver().schedule(job(), everyMinute());
    expect(await driver().store.nextDueTime()).toBeNull();
    expect(await driver().store.listOverdue(NOW + DAY, 100)).toEqual([]);
  });
}

function describeMeeting({ driver }: StoreContext): void {
  it('start again after each success, for a job whatever trigger fires it', async () => {
    await driver().schedule(job('job', within(HOUR)), everyMinute('trigger', within(HOUR)), once('other'));
    const firings = await driver().fireDue();
    driver().now += MINUTE;
    const other = firings.find(({ trigger }) => trigger.key.name === 'other') as TriggerFiring;
    await succeed(driver(), other);
    expect(await driver().store.listOverdue(NOW + DAY, 100)).toEqual([
      { ...OF_TRIGGER, mustSucceedWithin: HOUR, since: NOW, lastSuccess: null },
      { ...OF_JOB, mustSucceedWithin: HOUR, since: NOW + MINUTE, lastSuccess: NOW + MINUTE },
    ]);
    driver().now += MINUTE;
    const mine = firings.find(({ trigger }) => trigger.key.name === 'trigger') as TriggerFiring;
    await succeed(driver(), mine);
    const found = await driver().store.listOverdue(NOW + DAY, 100);
    expect(found.map(({ lastSuccess }) => lastSuccess)).toEqual([NOW + 2 * MINUTE, NOW + 2 * MINUTE]);
    expect(await driver().store.nextDueTime()).toBe(NOW + 2 * MINUTE + HOUR);
  });

  it('are not met by a failure, or by a success of a run that the node no longer owns', async () => {
    await driver().schedule(job(), everyMinute('trigger', within(HOUR)));
    const firing = await driver().fireOne();
    const end = { occurrence: occurrenceOf(firing), outcome: 'failed', isFinal: true, endTime: NOW + 1 } as const;
    await driver().complete(firing, 'NOOP', { end });
    driver().now += MINUTE;
    expect(await succeed(driver(), firing)).toMatchObject({ status: 'fenced' });
    expect(await driver().store.nextDueTime()).toBe(NOW + HOUR);
  });

  it('are not met by a skipped run', async () => {
    await driver().schedule(job('job', within(HOUR)), everyMinute('trigger', within(HOUR)));
    const firing = await driver().fireOne();
    driver().now += MINUTE;
    const end = { occurrence: occurrenceOf(firing), outcome: 'skipped', isFinal: true, endTime: driver().now } as const;
    await driver().complete(firing, 'NOOP', { end });
    const found = await driver().store.listOverdue(NOW + DAY, 100);
    expect(found.map(({ since, lastSuccess }) => [since, lastSuccess])).toEqual([
      [NOW, null],
      [NOW, null],
    ]);
  });

  it('are met by a retry, for the trigger that it retries', async () => {
    await driver().schedule(job(), everyMinute('trigger', within(HOUR)));
    const firing = await driver().fireOne();
    await driver().complete(firing, 'NOOP', { further: [retryOf(firing, NOW, SECOND)] });
    driver().now += SECOND;
    await succeed(driver(), await driver().fireOne({ maxCount: 100 }));
    expect(await driver().store.listOverdue(NOW + DAY, 100)).toEqual([
      { ...OF_TRIGGER, mustSucceedWithin: HOUR, since: NOW + SECOND, lastSuccess: NOW + SECOND },
    ]);
  });

  it('keep the latest success if runs end in another order', async () => {
    await driver().schedule(job('job', within(HOUR)), once('a'), once('b'), everyMinute('c'));
    const [first, second, third] = (await driver().fireDue()) as [TriggerFiring, TriggerFiring, TriggerFiring];
    const completion = (firing: TriggerFiring, endTime: number) => {
      const end = { occurrence: occurrenceOf(firing), outcome: 'succeeded', isFinal: true, endTime } as const;
      const instruction = firing.trigger.nextFireTime === null ? 'DELETE_TRIGGER' : 'NOOP';
      return { firing, instruction, end } as const;
    };
    await driver().store.completeTriggers([completion(first, NOW + 9), completion(second, NOW + 5)]);
    await driver().store.completeTriggers([completion(third, NOW + 7)]);
    expect((await driver().store.listOverdue(NOW + DAY, 100))[0]?.lastSuccess).toBe(NOW + 9);
  });
}

function describeTelling({ driver }: StoreContext): void {
  it('are reported once for each lapse, and listed as long as it lasts', async () => {
    await driver().schedule(job(), everyMinute('trigger', within(HOUR)));
    const firing = await driver().fireOne();
    expect(await driver().store.takeOverdue(NOW + HOUR)).toHaveLength(1);
    expect(await driver().store.takeOverdue(NOW + DAY)).toEqual([]);
    expect(await driver().store.listOverdue(NOW + DAY, 100)).toHaveLength(1);
    driver().now = NOW + 2 * HOUR;
    await succeed(driver(), firing);
    expect(await driver().store.listOverdue(driver().now, 100)).toEqual([]);
    expect(await driver().store.takeOverdue(NOW + 3 * HOUR)).toEqual([
      { ...OF_TRIGGER, mustSucceedWithin: HOUR, since: NOW + 2 * HOUR, lastSuccess: NOW + 2 * HOUR },
    ]);
  });

  it('are reported by only one of several concurrent callers', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `t${index}`);
    await driver().schedule(job(), ...names.map((name) => everyMinute(name, within(HOUR))));
    const answers = await Promise.all(Array.from({ length: 5 }, () => driver().store.takeOverdue(NOW + HOUR)));
    const told = answers.flat().map(({ triggerKey }) => triggerKey?.name ?? '');
    expect(told.sort()).toEqual([...names].sort());
  });

  it('are reported for a paused trigger, too', async () => {
    await driver().schedule(job(), everyMinute('trigger', within(HOUR)));
    await driver().store.pauseTriggers([triggerKey('trigger')]);
    expect(await driver().store.takeOverdue(NOW + HOUR)).toHaveLength(1);
  });

  it('are reported in portions of at most a hundred', async () => {
    const names = Array.from({ length: 120 }, (_, index) => `t${index}`);
    await driver().schedule(job(), ...names.map((name) => everyMinute(name, within(HOUR))));
    const counts = [];
    for (let look = 0; look < 3; look++) counts.push((await driver().store.takeOverdue(NOW + DAY)).length);
    expect(counts).toEqual([100, 20, 0]);
  });
}

function describeOwners({ driver }: StoreContext): void {
  const restore = (mustSucceedWithin: number | null) =>
    driver().register(everyMinute('trigger', { ...(mustSucceedWithin === null ? {} : within(mustSucceedWithin)) }));

  it('are kept if they are stored unchanged or if only the schedule changes', async () => {
    await driver().schedule(job(), everyMinute('trigger', within(HOUR)));
    driver().now += MINUTE;
    await restore(HOUR);
    await driver().register(everyMinute('trigger', { repeatInterval: HOUR, ...within(HOUR) }));
    expect(await driver().store.nextDueTime()).toBe(NOW + HOUR);
  });

  it('keep their start when their duration changes, and are reported again', async () => {
    await driver().schedule(job('job', { durable: true, ...within(HOUR) }), everyMinute('trigger', within(HOUR)));
    expect(await driver().store.takeOverdue(NOW + HOUR)).toHaveLength(2);
    driver().now = NOW + HOUR;
    await restore(3 * HOUR);
    const detail = job('job', { durable: true, ...within(2 * HOUR) });
    await driver().apply({ type: 'storeJob', job: detail, ifExists: 'replace', requireTrigger: false });
    expect(await driver().store.listOverdue(driver().now, 100)).toEqual([]);
    const found = await driver().store.takeOverdue(NOW + DAY);
    expect(found.map(({ since, mustSucceedWithin }) => [since, mustSucceedWithin])).toEqual([
      [NOW, 2 * HOUR],
      [NOW, 3 * HOUR],
    ]);
  });

  it('end when the policy is removed, and start again when it is added', async () => {
    await driver().schedule(job(), everyMinute('trigger', within(HOUR)));
    await restore(null);
    expect(await driver().store.listOverdue(NOW + DAY, 100)).toEqual([]);
    expect(await driver().store.takeOverdue(NOW + DAY)).toEqual([]);
    driver().now += MINUTE;
    await restore(HOUR);
    expect(await driver().store.nextDueTime()).toBe(NOW + MINUTE + HOUR);
  });

  it('are deleted with their job and trigger, and start again when these are stored again', async () => {
    await driver().schedule(job('job', within(HOUR)), everyMinute('trigger', within(HOUR)));
    await driver().apply({ type: 'deleteJob', key: jobKey('job') });
    expect(await driver().store.listOverdue(NOW + DAY, 100)).toEqual([]);
    driver().now += MINUTE;
    await driver().schedule(job(), everyMinute('trigger'));
    expect(await driver().store.takeOverdue(NOW + DAY)).toEqual([]); // the job has no such policy now
    expect(await driver().store.nextDueTime()).toBeNull();
    await driver().apply({ type: 'deleteTrigger', key: triggerKey('trigger') });
    await driver().schedule(job(), everyMinute('trigger', { ...within(HOUR), startTime: driver().now }));
    expect(await driver().store.takeOverdue(driver().now + HOUR)).toEqual([
      { ...OF_TRIGGER, mustSucceedWithin: HOUR, since: driver().now, lastSuccess: null },
    ]);
  });

  it('are deleted with a trigger after its last firing', async () => {
    await driver().schedule(job(), once('trigger', within(HOUR)));
    await succeed(driver(), await driver().fireOne());
    expect(await driver().store.takeOverdue(NOW + DAY)).toEqual([]);
    expect(await driver().store.nextDueTime()).toBeNull();
  });

  it('do not exist for a retry that is stored again', async () => {
    await driver().schedule(job(), everyMinute('trigger', within(HOUR)));
    const firing = await driver().fireOne();
    const retry = retryOf(firing, NOW, MINUTE);
    await driver().complete(firing, 'NOOP', { further: [retry] });
    await driver().apply({ ...storing(retry), ifExists: 'replace' } as ReturnType<typeof storing>);
    const found = await driver().store.listOverdue(NOW + DAY, 100);
    expect(found.map(({ triggerKey }) => triggerKey?.name)).toEqual(['trigger']);
  });
}
