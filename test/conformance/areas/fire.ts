import type { AcquiredTrigger } from '../../../src/domain/firing';
import { triggerKey } from '../../../src/domain/keys';
import type { StoreContext } from '../describe-job-store';
import { DAY, everyMinute, everyNoon, job, MINUTE, NOW, once, SECOND, without } from '../samples';
import { expectFired, namesOf } from '../store-driver';

/** From a reservation to a running job, in one step and in two. */
export function describeFiring(context: StoreContext): void {
  describe('firing', () => {
    describeFirings(context);
    describeFireDue(context);
    describeFencing(context);
    describeNonConcurrent(context);
  });
}

function describeFirings({ driver }: StoreContext): void {
  it('gives the job all fields of the firing, and moves the trigger to its next time', async () => {
    const detail = job('job', { data: { to: 'ops' }, requestsRecovery: true });
    await driver().schedule(detail, everyMinute('trigger', { data: { urgent: true } }));
    const first = expectFired((await driver().fire(await driver().acquireOne()))[0] as never);
    driver().now = NOW + MINUTE + 7;
    const acquired = await driver().acquireOne();
    const second = expectFired((await driver().fire(acquired))[0] as never);
    expect(first).toMatchObject({ scheduledFireTime: NOW, fireTime: NOW, previousFireTime: null });
    expect(second).toEqual({
      runId: acquired.runId,
      trigger: {
        ...everyMinute('trigger', { data: { urgent: true } }),
        previousFireTime: NOW + MINUTE,
        nextFireTime: NOW + 2 * MINUTE,
        timesTriggered: 2,
      },
      jobDetail: detail,
      calendar: null,
      scheduledFireTime: NOW + MINUTE,
      previousFireTime: NOW,
      fireTime: NOW + MINUTE + 7,
      recovering: false,
    });
    expect(await driver().find()).toEqual({ trigger: second.trigger, state: 'WAITING' });
  });

  it('completes a trigger at its last fire time, and keeps it until its job has ended', async () => {
    await driver().scheduleAll(once());
    const firing = await driver().fireOne();
    expect(firing.trigger.nextFireTime).toBeNull();
    expect(firing.trigger).toMatchObject({ previousFireTime: NOW, timesTriggered: 1 });
    expect(await driver().find()).toEqual({ trigger: firing.trigger, state: 'COMPLETE' });
    expect(await driver().complete(firing, 'DELETE_TRIGGER')).toMatchObject({ deletedTrigger: true, deletedJob: true });
  });

  it('fires each time once, in order, and follows the calendar of the trigger', async () => {
    const calendar = without('2026-01-02', '2026-01-04');
    await driver().applyOne({
      type: 'storeCalendar',
      name: 'holidays',
      calendar,
      ifExists: 'fail',
      updateTriggers: true,
    });
    await driver().scheduleAll(everyNoon('trigger', { calendarName: 'holidays' }));
    const times: number[] = [];
    for (let day = 0; day < 6; day++, driver().now += DAY) {
      for (const firing of await driver().fireDue()) {
        expect(firing.calendar).toEqual(calendar);
        times.push(firing.scheduledFireTime);
        await driver().complete(firing);
      }
    }
    expect(times).toEqual([0, 2, 4, 5].map((day) => NOW + day * DAY));
  });

  it('fires a trigger of a concurrent job again while the job still executes', async () => {
    await driver().scheduleAll(everyMinute());
    await driver().fireOne();
    driver().now = NOW + MINUTE;
    expect((await driver().fireOne()).scheduledFireTime).toBe(NOW + MINUTE);
  });

  it('runs the job as it is stored at the time of the firing', async () => {
    await driver().scheduleAll(everyMinute());
    const acquired = await driver().acquireOne();
    const changed = job('job', { data: { version: 2 } });
    await driver().applyOne({ type: 'storeJob', job: changed, ifExists: 'replace', requireTrigger: false });
    expect(await driver().fire(acquired)).toMatchObject([{ status: 'fired', firing: { jobDetail: changed } }]);
  });

  it('marks a trigger of the recovery group as recovering', async () => {
    await driver().scheduleAll(once('again', { key: triggerKey('again', 'RECOVERING_JOBS') }));
    expect((await driver().fireOne()).recovering).toBe(true);
  });

  it('announces nothing, because the firing node polls again by itself', async () => {
    await driver().scheduleAll(everyMinute());
    driver().announced = [];
    const acquired = await driver().acquireOne();
    await driver().store.releaseTriggers([acquired]);
    await driver().fireOne();
    expect(driver().announced).toEqual([]);
  });
}

function describeFireDue({ driver, capabilities }: StoreContext): void {
  it('fires due triggers at once if requested', async () => {
    await driver().scheduleAll(everyMinute('a'), everyMinute('b'));
    const result = await driver().store.acquireTriggers(driver().request({ fireWithin: 0 }));
    expect(result.acquired).toEqual([]);
    expect(result.fired.map(expectFired)).toHaveLength(2);
    expect((await driver().trigger('a')).nextFireTime).toBe(NOW + MINUTE);
  });

  it('fires no trigger before its time', async () => {
    await driver().scheduleAll(everyMinute('soon', { startTime: NOW + SECOND }));
    const request = driver().request({ fireWithin: 0, noLaterThan: NOW + MINUTE });
    const result = await driver().store.acquireTriggers(request);
    expect(result.fired).toEqual([]);
    expect([namesOf(result.acquired), result.pollAgainAt, await driver().state('soon')]).toEqual(
      capabilities.byTrains ? [[], NOW + SECOND, 'WAITING'] : [['soon'], undefined, 'ACQUIRED'],
    );
  });

  it('fires the whole batch if its first trigger is due', async () => {
    await driver().scheduleAll(everyMinute('due'), everyMinute('soon', { startTime: NOW + SECOND }));
    const fired = await driver().fireDue({ noLaterThan: NOW + MINUTE, timeWindow: SECOND });
    expect(fired.map(({ scheduledFireTime }) => scheduledFireTime)).toEqual([NOW, NOW + SECOND]);
  });

  it('returns an empty result if nothing is due', async () => {
    expect(await driver().store.acquireTriggers(driver().request({ fireWithin: 0 }))).toEqual({
      acquired: [],
      fired: [],
    });
  });
}

function describeFencing({ driver }: StoreContext): void {
  it('fires a reservation once', async () => {
    await driver().scheduleAll(everyMinute());
    const acquired = await driver().acquireOne();
    const results = [...(await driver().fire(acquired, acquired)), ...(await driver().fire(acquired))];
    expect(results).toMatchObject([
      { status: 'fired' },
      { status: 'notFired', reason: 'lost' },
      { status: 'notFired', reason: 'lost' },
    ]);
    expect((await driver().trigger()).nextFireTime).toBe(NOW + MINUTE);
  });

  it('fires nothing for an old reservation of a trigger that is reserved again', async () => {
    await driver().scheduleAll(everyMinute());
    const old = await driver().acquireOne();
    await driver().store.releaseTriggers([old]);
    await driver().fireOne();
    const present = await driver().acquireOne();
    expect(await driver().fire(old)).toMatchObject([{ status: 'notFired', reason: 'lost' }]);
    expect(await driver().state()).toBe('ACQUIRED');
    expect(await driver().fire(present)).toMatchObject([{ firing: { scheduledFireTime: NOW + MINUTE } }]);
  });

  it('returns one result per reservation in their order, and fires the valid ones', async () => {
    await driver().scheduleAll(
      ...['deleted', 'paused', 'replaced', 'good', 'unscheduled'].map((name) => everyMinute(name)),
    );
    const acquired = await driver().acquire();
    await driver().apply(
      { type: 'deleteTrigger', key: triggerKey('deleted') },
      { type: 'deleteTrigger', key: triggerKey('unscheduled') },
    );
    await driver().register(everyMinute('unscheduled', { priority: 1 }));
    await driver().register(everyNoon('replaced'));
    await driver().store.pauseTriggers([triggerKey('paused')]);
    const results = await driver().fire(...acquired);
    expect(results.map((result) => (result.status === 'fired' ? 'fired' : result.reason))).toEqual([
      'deleted',
      'fired',
      'paused',
      'changed',
      'lost',
    ]);
    expect(results.filter((result) => result.status === 'notFired').map(({ acquired }) => acquired)).toEqual(
      acquired.filter((_, index) => index !== 1),
    );
  });

  it('accepts plain copies of reservations and firings, as another thread sends them', async () => {
    await driver().scheduleAll(once());
    const acquired = structuredClone(await driver().acquireOne()) as AcquiredTrigger;
    const firing = structuredClone(expectFired((await driver().fire(acquired))[0] as never));
    expect(await driver().complete(firing, 'DELETE_TRIGGER')).toMatchObject({ deletedTrigger: true });
  });
}

function describeNonConcurrent({ driver }: StoreContext): void {
  const serial = job('serial', { disallowConcurrentExecution: true });

  it('blocks all triggers of a non-concurrent job, including paused and reserved ones', async () => {
    await driver().schedule(serial, everyMinute('a'), everyMinute('b'), everyMinute('c'), everyMinute('d'));
    await driver().store.pauseTriggers([triggerKey('d')]);
    const first = await driver().acquireOne();
    const second = await driver().acquireOne();
    expect(namesOf([first, second])).toEqual(['a', 'b']);
    expect(await driver().fire(first, second)).toMatchObject([
      { status: 'fired' },
      { status: 'notFired', reason: 'blocked' },
    ]);
    const states = await Promise.all(['a', 'b', 'c', 'd'].map((name) => driver().state(name)));
    expect(states).toEqual(['BLOCKED', 'BLOCKED', 'BLOCKED', 'PAUSED_BLOCKED']);
    await driver().store.releaseTriggers([second]);
    expect(await driver().state('b')).toBe('BLOCKED');
    expect(await driver().acquire()).toEqual([]);
  });

  it('does not fire a blocked reservation after the execution has ended', async () => {
    await driver().schedule(serial, everyMinute('a'), everyMinute('b'));
    const first = await driver().acquireOne();
    const second = await driver().acquireOne();
    const firing = expectFired((await driver().fire(first))[0] as never);
    await driver().complete(firing);
    expect(await driver().state('b')).toBe('WAITING');
    expect(await driver().fire(second)).toMatchObject([{ status: 'notFired', reason: 'lost' }]);
    expect(namesOf(await driver().acquire())).toEqual(['b']);
  });

  it('blocks triggers that are stored while their non-concurrent job executes', async () => {
    await driver().schedule(serial, everyMinute('a'));
    await driver().fireOne();
    await driver().register(everyMinute('new', { jobKey: serial.key }));
    expect(await driver().state('new')).toBe('BLOCKED');
  });

  it('does not block other jobs', async () => {
    await driver().schedule(serial, everyMinute('a'));
    await driver().scheduleAll(everyMinute('b'));
    expect(await driver().fireDue()).toHaveLength(2);
    expect(await driver().state('b')).toBe('WAITING');
  });
}
