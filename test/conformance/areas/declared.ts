import { GroupMatcher, jobKey, triggerKey } from '../../../src/domain/keys';
import type { ScheduleChange, ScheduleOutcome } from '../../../src/domain/schedule-change';
import type { Trigger } from '../../../src/domain/trigger';
import type { StoreContext } from '../describe-job-store';
import { DAY, everyMinute, everyNoon, HOUR, job, MINUTE, NOW, once } from '../samples';

type StoreTrigger = ScheduleChange & { readonly type: 'storeTrigger' };

/** Declared schedules. Every node declares them at every start, which must not restart a finished schedule. */
export function describeDeclared(context: StoreContext): void {
  describe('a declared schedule', () => {
    describeFinished(context);
    describeForgotten(context);
    describeChangedByHand(context);
    describeSets(context);
    describeZones(context);
  });
}

function declaring(trigger: Trigger, more: Partial<StoreTrigger> = {}): readonly ScheduleChange[] {
  return [
    { type: 'storeJob', job: job(trigger.jobKey.name), ifExists: 'replace', requireTrigger: true },
    {
      type: 'storeTrigger',
      trigger,
      ifExists: 'replace',
      startTimeDefaulted: false,
      declared: { set: null },
      ...more,
    },
  ];
}

function tools({ driver }: StoreContext) {
  const declare = (trigger: Trigger, more?: Partial<StoreTrigger>) => driver().apply(...declaring(trigger, more));
  const fireToTheEnd = async () => driver().complete(await driver().fireOne(), 'DELETE_TRIGGER');
  const statuses = (outcomes: readonly ScheduleOutcome[]) => outcomes.map(({ status }) => status);
  return { declare, fireToTheEnd, statuses };
}

function describeFinished(context: StoreContext): void {
  const { driver } = context;
  const { declare, fireToTheEnd, statuses } = tools(context);

  it('that has fired once stays finished when it is declared again', async () => {
    expect(statuses(await declare(once()))).toEqual(['created', 'created']);
    await fireToTheEnd();
    const before = await driver().everything();
    for (const day of [1, 2]) {
      driver().now = NOW + day * DAY;
      expect(statuses(await declare(once()))).toEqual(['finished', 'finished']);
    }
    expect(await driver().everything()).toEqual(before);
    expect(await driver().fireDue()).toEqual([]);
  });

  it('is not started again while its last firing executes', async () => {
    await declare(once());
    const firing = await driver().fireOne();
    expect((await declare(once()))[1]).toMatchObject({ status: 'finished', nextFireTime: null });
    expect(await driver().fireDue()).toEqual([]);
    expect(await driver().complete(firing, 'DELETE_TRIGGER')).toMatchObject({ deletedTrigger: true, deletedJob: true });
  });

  it.each<[string, Trigger]>([
    ['a count', once('trigger', { repeatCount: 1, repeatInterval: MINUTE })],
    ['an end time', everyMinute('trigger', { endTime: NOW + MINUTE + 1 })],
    ['the years of a cron expression', everyNoon('trigger', { cronExpression: '0 0-1 12 1 1 ? 2026' })],
  ])('that ends by %s stays finished', async (_, trigger) => {
    await declare(trigger);
    await driver().complete(await driver().fireOne());
    driver().now = NOW + MINUTE;
    await fireToTheEnd();
    expect(statuses(await declare(trigger))).toEqual(['finished', 'finished']);
    expect(await driver().find()).toBeNull();
  });

  it('is scheduled again if it is declared for another time', async () => {
    await declare(once());
    await fireToTheEnd();
    driver().now = NOW + HOUR;
    const later = once('trigger', { startTime: NOW + HOUR });
    expect((await declare(later))[1]).toMatchObject({ status: 'created', nextFireTime: NOW + HOUR });
    await fireToTheEnd();
    expect(statuses(await declare(later))).toEqual(['finished', 'finished']);
  });

  it('without a start time stays finished when it is declared again later', async () => {
    await declare(once(), { startTimeDefaulted: true });
    await fireToTheEnd();
    const again = await declare(once('trigger', { startTime: NOW + HOUR }), { startTimeDefaulted: true });
    expect(statuses(again)).toEqual(['finished', 'finished']);
  });

  it('stays finished with other data, description or priority', async () => {
    await declare(once());
    await fireToTheEnd();
    const again = await declare(once('trigger', { priority: 9, description: 'x', data: { a: 1 } }));
    expect(statuses(again)).toEqual(['finished', 'finished']);
  });

  it('that stays finished does not change its job or other triggers', async () => {
    const [storeJob, first] = declaring(once('first')) as [ScheduleChange, ScheduleChange];
    const second = declaring(everyMinute('second', { startTime: NOW + DAY }))[1] as ScheduleChange;
    await driver().apply(storeJob, first, second);
    await fireToTheEnd();
    const again = await driver().apply(storeJob, first, second);
    expect(statuses(again)).toEqual(['unchanged', 'finished', 'unchanged']);
    expect(await driver().job()).not.toBeNull();
  });

  it('without an end starts again after its job has completed it', async () => {
    await declare(everyMinute());
    await driver().complete(await driver().fireOne(), 'SET_TRIGGER_COMPLETE');
    expect(statuses(await declare(everyMinute()))).toEqual(['unchanged', 'replaced']);
  });
}

function describeForgotten(context: StoreContext): void {
  const { driver } = context;
  const { declare, fireToTheEnd, statuses } = tools(context);

  it.each<[string, ScheduleChange]>([
    ['its trigger', { type: 'deleteTrigger', key: triggerKey('trigger') }],
    ['its job', { type: 'deleteJob', key: jobKey('job') }],
    ['the group of its trigger', { type: 'deleteTriggersInGroup', group: GroupMatcher.anyGroup(), exceptGroups: [] }],
    [
      'the group of its job',
      { type: 'deleteJobsInGroup', group: GroupMatcher.groupEquals('DEFAULT'), exceptGroups: [] },
    ],
    ['everything', { type: 'clear' }],
  ])('starts again after the deletion of %s, before or after it fired', async (_, deletion) => {
    await declare(once());
    await driver().apply(deletion);
    expect(statuses(await declare(once()))).toEqual(['created', 'created']);
    await fireToTheEnd();
    await driver().apply(deletion);
    expect(statuses(await declare(once()))).toEqual(['created', 'created']);
  });

  it('stays finished when other triggers and jobs are deleted', async () => {
    await declare(once());
    await fireToTheEnd();
    await driver().apply(
      { type: 'deleteTrigger', key: triggerKey('trigger', 'other') },
      { type: 'deleteJob', key: jobKey('other') },
      { type: 'deleteJobsInGroup', group: GroupMatcher.anyGroup(), exceptGroups: ['DEFAULT'] },
      { type: 'deleteTriggersInGroup', group: GroupMatcher.groupStartsWith('x'), exceptGroups: [] },
    );
    expect(statuses(await declare(once()))).toEqual(['finished', 'finished']);
  });

  it('stays finished after a refused change set', async () => {
    await declare(once());
    await fireToTheEnd();
    const orphan: ScheduleChange = { type: 'storeJob', job: job('orphan'), ifExists: 'fail', requireTrigger: true };
    await expect(driver().apply({ type: 'clear' }, orphan)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(statuses(await declare(once()))).toEqual(['finished', 'finished']);
  });
}

function describeChangedByHand(context: StoreContext): void {
  const { driver } = context;
  const { declare } = tools(context);

  it('does not undo a manual reschedule', async () => {
    await declare(once());
    const trigger = once('trigger', { startTime: NOW + DAY });
    await driver().apply({ type: 'replaceTrigger', key: trigger.key, trigger, startTimeDefaulted: false });
    expect((await declare(once()))[1]).toMatchObject({ status: 'kept', nextFireTime: NOW + DAY });
    expect(await driver().fireDue()).toEqual([]);
  });

  it('gets new data while it waits', async () => {
    await declare(once());
    expect((await declare(once('trigger', { data: { a: 1 } })))[1]).toMatchObject({ status: 'replaced' });
    expect((await driver().trigger()).data).toEqual({ a: 1 });
  });
}

function describeSets(context: StoreContext): void {
  const { driver } = context;
  const { declare, fireToTheEnd, statuses } = tools(context);

  it('belongs to the set of its last declaration until it is deleted', async () => {
    const { store } = driver();
    const inSet = (set: string | null) => ({ declared: { set } });
    await declare(everyMinute('a', { startTime: NOW + DAY }), inSet('app'));
    await declare(once('b'), inSet('app'));
    await declare(everyMinute('c', { startTime: NOW + DAY }), inSet('other'));
    await declare(everyMinute('d', { startTime: NOW + DAY }));
    await fireToTheEnd();
    const namesIn = async (set: string) => (await store.getDeclaredSets([set])).map(({ name }) => name).sort();
    expect(await namesIn('app')).toEqual(['a', 'b']);
    await declare(everyMinute('a', { startTime: NOW + DAY }), inSet('other'));
    await driver().apply({ type: 'deleteTrigger', key: triggerKey('b') });
    expect(await namesIn('app')).toEqual([]);
    expect(await namesIn('other')).toEqual(['a', 'c']);
  });

  it('is deleted with a set only while it belongs to that set', async () => {
    await declare(everyMinute('a', { startTime: NOW + DAY }), { declared: { set: 'app' } });
    await declare(everyMinute('b', { startTime: NOW + DAY }), { declared: { set: 'other' } });
    const prune = (name: string): ScheduleChange => ({
      type: 'deleteTrigger',
      key: triggerKey(name),
      declaredIn: 'app',
    });
    expect(statuses(await driver().apply(prune('a'), prune('b'), prune('a')))).toEqual([
      'deleted',
      'notFound',
      'notFound',
    ]);
    expect(await driver().store.getDeclaredSets(['other'])).toEqual([
      { what: 'trigger', name: 'b', group: 'DEFAULT', set: 'other' },
    ]);
    expect(await driver().find('a')).toBeNull();
    expect(await driver().find('b')).not.toBeNull();
  });
}

function describeZones(context: StoreContext): void {
  const { driver } = context;
  const { declare } = tools(context);
  const inZone = (timeZone: string) => everyNoon('trigger', { timeZone });

  it('keeps its stored time zone if none is declared', async () => {
    await declare(inZone('Europe/Berlin'), { timeZoneDefaulted: true });
    const before = await driver().everything();
    const [, outcome] = await declare(inZone('Asia/Tokyo'), { timeZoneDefaulted: true });
    expect(outcome).toMatchObject({ status: 'unchanged', keptTimeZone: 'Europe/Berlin' });
    expect(await driver().everything()).toEqual(before);
  });

  it('changes to a declared time zone', async () => {
    await declare(inZone('Europe/Berlin'), { timeZoneDefaulted: true });
    const [, outcome] = await declare(inZone('Asia/Tokyo'));
    expect(outcome).toMatchObject({ status: 'replaced' });
    expect(outcome).not.toHaveProperty('keptTimeZone');
    expect(await driver().trigger()).toMatchObject({ timeZone: 'Asia/Tokyo' });
  });

  it('gets the default time zone of the declaring node if the rest of its schedule changes', async () => {
    await declare(inZone('Europe/Berlin'), { timeZoneDefaulted: true });
    const changed = everyNoon('trigger', { cronExpression: '0 0 13 * * ?', timeZone: 'Asia/Tokyo' });
    const [, outcome] = await declare(changed, { timeZoneDefaulted: true });
    expect(outcome).toMatchObject({ status: 'replaced' });
    expect(await driver().trigger()).toMatchObject({ timeZone: 'Asia/Tokyo' });
  });
}
