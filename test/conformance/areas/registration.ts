import { GroupMatcher, jobKey, triggerKey } from '../../../src/domain/keys';
import type { Trigger } from '../../../src/domain/trigger';
import type { StoreContext } from '../describe-job-store';
import { DAY, everyMinute, everyNoon, HOUR, job, MINUTE, NOW, once, SECOND, without } from '../samples';
import { namesOf, storing, storingCalendar } from '../store-driver';

/** Repeated registration of stored triggers. Every node does this at every start, and no time may fire twice or be lost. */
export function describeRegistration(context: StoreContext): void {
  describe('registration of a stored trigger', () => {
    describeUnchanged(context);
    describeChanged(context);
    describeStatesOf(context);
  });
  describe('rescheduling', () => describeRescheduling(context));
}

function describeUnchanged({ driver }: StoreContext): void {
  it('changes nothing if nothing differs', async () => {
    await driver().scheduleAll(everyMinute());
    await driver().complete(await driver().fireOne());
    const before = await driver().everything();
    expect(await driver().register(everyMinute())).toMatchObject({ status: 'unchanged', nextFireTime: NOW + MINUTE });
    expect(await driver().everything()).toEqual(before);
  });

  it('keeps fire times and counts if the schedule is unchanged', async () => {
    await driver().scheduleAll(everyMinute());
    await driver().complete(await driver().fireOne());
    driver().now = NOW + 20 * MINUTE;
    const outcome = await driver().register(
      everyMinute('trigger', { priority: 7, data: { to: 'ops' }, description: 'x' }),
    );
    expect(outcome).toMatchObject({ status: 'replaced', nextFireTime: NOW + MINUTE });
    expect(await driver().trigger()).toMatchObject({
      nextFireTime: NOW + MINUTE,
      previousFireTime: NOW,
      timesTriggered: 1,
      priority: 7,
      data: { to: 'ops' },
    });
  });

  it('keeps the stored start time if the caller gave none', async () => {
    await driver().scheduleAll(everyMinute());
    const outcome = await driver().register(everyMinute('trigger', { startTime: NOW + 30 * SECOND }), true);
    expect(outcome).toMatchObject({ status: 'unchanged', nextFireTime: NOW });
    expect((await driver().trigger()).startTime).toBe(NOW);
  });

  it('changes the trigger if the caller gave another start time', async () => {
    await driver().scheduleAll(everyMinute());
    const outcome = await driver().register(everyMinute('trigger', { startTime: NOW + HOUR }), false);
    expect(outcome).toMatchObject({ status: 'replaced', nextFireTime: NOW + HOUR });
  });

  it('fires no time twice although a cron trigger includes the second of its start', async () => {
    const everyFive = (startTime: number) => everyNoon('trigger', { cronExpression: '0/5 * * * * ?', startTime });
    await driver().scheduleAll(everyFive(NOW));
    await driver().complete(await driver().fireOne());
    // 400 ms after the firing, like an application that starts: with and without its own start time.
    await driver().register(everyFive(NOW + 400), true);
    expect((await driver().trigger()).nextFireTime).toBe(NOW + 5 * SECOND);
    await driver().register(everyFive(NOW + 400), false);
    expect((await driver().trigger()).nextFireTime).toBe(NOW + 5 * SECOND);
    driver().now = NOW + 400;
    expect(await driver().acquire()).toEqual([]);
  });
}

function describeChanged({ driver }: StoreContext): void {
  it('computes new fire times for a changed schedule', async () => {
    await driver().scheduleAll(everyMinute());
    const outcome = await driver().register(everyNoon('trigger', { startTime: NOW + MINUTE }), true);
    expect(outcome).toMatchObject({ status: 'replaced', nextFireTime: NOW + DAY });
    expect(await driver().trigger()).toMatchObject({ kind: 'CRON', startTime: NOW + MINUTE });
  });

  it('never returns to the last fire time or before', async () => {
    await driver().scheduleAll(everyMinute());
    for (let count = 0; count < 3; count++, driver().now += MINUTE) await driver().complete(await driver().fireOne());
    // Its own start, and with it its first fire time, is three firings back.
    const outcome = await driver().register(everyMinute('trigger', { repeatInterval: 2 * MINUTE }));
    expect(outcome.nextFireTime).toBe(NOW + 4 * MINUTE);
    expect((await driver().trigger()).previousFireTime).toBe(NOW + 2 * MINUTE);
  });

  it('skips excluded times when it continues after the last fire time', async () => {
    await driver().applyOne({
      type: 'storeCalendar',
      name: 'holidays',
      calendar: without('2026-01-02'),
      ifExists: 'fail',
      updateTriggers: false,
    });
    await driver().scheduleAll(everyNoon());
    await driver().complete(await driver().fireOne());
    const outcome = await driver().register(everyNoon('trigger', { calendarName: 'holidays' }));
    expect(outcome.nextFireTime).toBe(NOW + 2 * DAY);
  });

  const inMinutes = (fields: object) => everyMinute('trigger', { calendarName: 'holidays', ...fields });
  it.each([
    ['an edit of its calendar', null],
    ['another priority', inMinutes({ priority: 7 })],
    ['another interval', inMinutes({ repeatInterval: MINUTE / 2 })],
  ])('fires no time twice after %s that was requested before the firing and stored after it', async (_, trigger) => {
    const calendar = without('1999-01-01');
    await driver().applyOne(storingCalendar(calendar));
    await driver().scheduleAll(inMinutes({}));
    for (const early of [1, 50]) {
      const { scheduledFireTime } = await driver().fireOne();
      const edit = storingCalendar({ ...calendar, description: `edit ${early}` }, 'replace');
      const change = trigger === null ? edit : ({ ...storing(trigger), ifExists: 'replace' } as const);
      await driver().store.applySchedule([change], { ...driver().options, now: driver().now - early });
      expect((await driver().trigger()).nextFireTime).toBeGreaterThan(scheduledFireTime);
      driver().now += MINUTE;
    }
  });

  it('completes the trigger if the changed schedule has no time after the last fire time', async () => {
    await driver().scheduleAll(everyMinute());
    await driver().complete(await driver().fireOne());
    expect(await driver().register(once())).toMatchObject({ status: 'replaced', nextFireTime: null });
    expect(await driver().state()).toBe('COMPLETE');
  });

  it('ends a reservation of the old schedule, which can no longer fire', async () => {
    await driver().scheduleAll(everyMinute());
    const acquired = await driver().acquireOne();
    await driver().register(everyMinute('trigger', { startTime: NOW + HOUR }));
    expect(await driver().state()).toBe('WAITING');
    expect(await driver().fire(acquired)).toEqual([{ status: 'notFired', acquired, reason: 'changed' }]);
    await driver().store.releaseTriggers([acquired]);
    expect(await driver().trigger()).toMatchObject({ nextFireTime: NOW + HOUR, previousFireTime: null });
  });

  it('does not affect the completion of an executing run', async () => {
    await driver().schedule(job('job', { disallowConcurrentExecution: true }), everyMinute());
    const firing = await driver().fireOne();
    await driver().register(everyMinute('trigger', { repeatInterval: HOUR }));
    expect(await driver().state()).toBe('BLOCKED');
    expect(await driver().complete(firing)).toMatchObject({ status: 'completed' });
    expect(await driver().state()).toBe('WAITING');
  });

  it('can move a trigger to another job, and keeps the old job', async () => {
    await driver().schedule(job('other', { durable: true }));
    await driver().scheduleAll(everyMinute());
    await driver().register(everyMinute('trigger', { jobKey: jobKey('other') }));
    expect((await driver().fireOne()).jobDetail.key).toEqual(jobKey('other'));
    expect(await driver().job()).not.toBeNull();
    await driver().applyOne({ type: 'deleteJob', key: jobKey('job') });
    expect(await driver().find()).not.toBeNull();
  });

  it('changes nothing if the new schedule never fires', async () => {
    await driver().scheduleAll(everyMinute());
    const never = everyNoon('trigger', { cronExpression: '0 0 12 1 1 ? 2020' });
    await expect(driver().register(never)).rejects.toMatchObject({ code: 'INVALID_TRIGGER' });
    expect((await driver().trigger()).kind).toBe('SIMPLE');
  });
}

function describeStatesOf({ driver }: StoreContext): void {
  it('leaves a paused trigger paused, changed or not', async () => {
    await driver().scheduleAll(everyMinute());
    await driver().store.pauseTriggers([triggerKey('trigger')]);
    await driver().register(everyMinute('trigger', { priority: 1 }));
    expect(await driver().state()).toBe('PAUSED');
    await driver().register(everyNoon());
    expect(await driver().state()).toBe('PAUSED');
  });

  it('keeps an unchanged trigger in ERROR, and restarts it with another definition', async () => {
    await driver().scheduleAll(everyMinute());
    await driver().complete(await driver().fireOne(), 'SET_TRIGGER_ERROR');
    expect(await driver().register(everyMinute())).toMatchObject({ status: 'unchanged', nextFireTime: NOW + MINUTE });
    expect(await driver().state()).toBe('ERROR');
    expect(await driver().register(everyMinute('trigger', { priority: 1 }))).toMatchObject({
      status: 'replaced',
      nextFireTime: NOW + MINUTE,
    });
    expect(await driver().state()).toBe('WAITING');
  });

  it('plans a change of an executing non-concurrent job without writing', async () => {
    const alone = { ...job(), disallowConcurrentExecution: true };
    await driver().schedule(alone, everyMinute());
    await driver().fireOne();
    const change = { type: 'storeJob', job: { ...alone, description: 'new' }, ifExists: 'replace' } as const;
    expect(await driver().store.planSchedule([{ ...change, requireTrigger: true }], driver().options)).toMatchObject([
      { action: 'replace', what: 'job', fields: [{ field: 'description', after: 'new' }] },
    ]);
  });

  it('restarts a complete trigger after its last fire time', async () => {
    await driver().scheduleAll(everyMinute());
    await driver().complete(await driver().fireOne(), 'SET_TRIGGER_COMPLETE');
    expect(await driver().register(everyMinute())).toMatchObject({ status: 'replaced', nextFireTime: NOW + MINUTE });
    expect(await driver().state()).toBe('WAITING');
  });

  it('does not fire a finished one-shot again at the same time', async () => {
    await driver().scheduleAll(once());
    const firing = await driver().fireOne();
    expect(await driver().register(once())).toMatchObject({ status: 'unchanged', nextFireTime: null });
    expect(await driver().state()).toBe('COMPLETE');
    expect(await driver().complete(firing, 'DELETE_TRIGGER')).toMatchObject({ deletedTrigger: true });
  });

  it('keeps a one-shot that got a new time while its last firing executed', async () => {
    await driver().scheduleAll(once());
    const firing = await driver().fireOne();
    await driver().register(once('trigger', { startTime: NOW + HOUR }), true);
    expect(await driver().complete(firing, 'DELETE_TRIGGER')).toMatchObject({ deletedTrigger: false });
    expect(await driver().trigger()).toMatchObject({ nextFireTime: NOW + HOUR });
    expect(await driver().state()).toBe('WAITING');
  });
}

function describeRescheduling({ driver }: StoreContext): void {
  const reschedule = (trigger: Trigger = everyNoon(), key = triggerKey('trigger')) =>
    driver().applyOne({ type: 'replaceTrigger', key, trigger, startTimeDefaulted: false });

  it('stores another schedule under the same key, for the same job', async () => {
    await driver().scheduleAll(everyMinute());
    const outcome = await reschedule(everyNoon('trigger', { jobKey: jobKey('not this one') }));
    expect(outcome).toMatchObject({ status: 'replaced', nextFireTime: NOW, deletedTriggers: [] });
    expect(await driver().trigger()).toMatchObject({ kind: 'CRON', jobKey: jobKey('job') });
  });

  it('refuses a schedule without further fire times, and keeps the old one', async () => {
    await driver().scheduleAll(everyMinute());
    await driver().complete(await driver().fireOne());
    const before = await driver().trigger();
    await expect(reschedule(once('trigger', { startTime: NOW - HOUR }))).rejects.toMatchObject({
      code: 'INVALID_TRIGGER',
    });
    expect(await driver().trigger()).toEqual(before);
  });

  it('replaces a trigger by one with another key, and keeps the job', async () => {
    await driver().scheduleAll(everyMinute());
    const outcome = await reschedule(everyNoon('new'));
    expect(outcome).toMatchObject({ status: 'replaced', deletedTriggers: [triggerKey('trigger')], deletedJobs: [] });
    expect(await driver().find('trigger')).toBeNull();
    expect(namesOf(await driver().acquire())).toEqual(['new']);
    expect(await driver().job()).not.toBeNull();
  });

  it('refuses a new key that exists already', async () => {
    await driver().scheduleAll(everyMinute(), everyMinute('taken'));
    await expect(reschedule(everyNoon('taken'))).rejects.toMatchObject({ code: 'OBJECT_ALREADY_EXISTS' });
    expect(await driver().find('trigger')).not.toBeNull();
  });

  it('never fires a time again that the old schedule fired', async () => {
    await driver().scheduleAll(everyMinute());
    await driver().complete(await driver().fireOne());
    expect((await reschedule()).nextFireTime).toBe(NOW + DAY);
  });

  it('ends no pause of the trigger or of its group', async () => {
    await driver().scheduleAll(everyMinute());
    await driver().store.pauseTriggers([triggerKey('trigger')]);
    await reschedule();
    expect(await driver().state()).toBe('PAUSED');
    await driver().store.resumeTriggers([triggerKey('trigger')], driver().options);
    await driver().store.pauseTriggers(GroupMatcher.groupEquals('DEFAULT'));
    await reschedule(everyMinute());
    expect(await driver().state()).toBe('PAUSED');
  });

  it('keeps a trigger blocked while its job executes', async () => {
    await driver().schedule(job('job', { disallowConcurrentExecution: true }), everyMinute());
    const firing = await driver().fireOne();
    await reschedule(everyNoon('new'));
    expect(await driver().state('new')).toBe('BLOCKED');
    await driver().complete(firing);
    expect(await driver().state('new')).toBe('WAITING');
  });

  it('is rolled back with the rest of its change set', async () => {
    await driver().scheduleAll(everyMinute());
    const change = { type: 'replaceTrigger', key: triggerKey('trigger'), trigger: everyNoon('new') } as const;
    const set = driver().apply({ ...change, startTimeDefaulted: false }, storing(everyNoon('new')));
    await expect(set).rejects.toMatchObject({ code: 'OBJECT_ALREADY_EXISTS' });
    expect(namesOf(await driver().acquire())).toEqual(['trigger']);
  });
}
