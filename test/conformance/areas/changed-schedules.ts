import { oneShotAt } from '../../../src/domain/catch-up';
import { GroupMatcher, triggerKey } from '../../../src/domain/keys';
import type { CronTrigger, Trigger } from '../../../src/domain/trigger';
import type { StoreContext } from '../describe-job-store';
import { everyMinute, everyNoon, HOUR, job, MINUTE, NOW, without } from '../samples';
import { storing, storingCalendar } from '../store-driver';

/** Changes of a schedule that has a due fire time, under safe rules. */
export function describeChangedSchedules({ driver }: StoreContext): void {
  describe('changed schedules', () => {
    const recorded = async () => {
      const { items } = await driver().store.listRuns({ take: 10 });
      return items.map(({ triggerKey: { name }, outcome, scheduledTime, error }) => [
        name,
        outcome,
        scheduledTime,
        error,
      ]);
    };
    const renamed = (trigger: Trigger) =>
      driver().applyOne({ type: 'replaceTrigger', key: triggerKey('trigger'), trigger, startTimeDefaulted: false });

    beforeEach(async () => {
      await driver().schedule(job(), everyNoon());
      driver().now = NOW + 10_000;
    });

    it('record a due fire time that the new schedule does not have as misfired', async () => {
      const outcome = await driver().register(everyNoon('trigger', { cronExpression: '0 0 13 * * ?' }));
      expect(outcome).toMatchObject({ nextFireTime: NOW + HOUR, droppedTime: NOW });
      expect(await recorded()).toEqual([['trigger', 'misfired', NOW, 'schedule changed']]);
    });

    it('keep a due fire time that both schedules have, and record nothing', async () => {
      const outcome = await driver().register(everyNoon('trigger', { cronExpression: '0 0 12,13 * * ?' }));
      expect(outcome).toMatchObject({ nextFireTime: NOW });
      expect(outcome.droppedTime).toBeUndefined();
      expect(await driver().fireDue()).toMatchObject([{ scheduledFireTime: NOW }]);
      expect(await recorded()).toEqual([]);
    });

    it('keep a due fire time under a new key', async () => {
      await renamed(everyNoon('other', { cronExpression: '0 0 12,13 * * ?' }));
      expect(await driver().find('trigger')).toBeNull();
      expect(await driver().fireDue()).toMatchObject([{ scheduledFireTime: NOW, trigger: { key: { name: 'other' } } }]);
    });

    it('record a due fire time that is dropped under a new key', async () => {
      await renamed(everyNoon('other', { cronExpression: '0 0 13 * * ?' }));
      expect(await recorded()).toEqual([['other', 'misfired', NOW, 'schedule changed']]);
    });

    it.each([
      { misfire: 'IGNORE_MISFIRE_POLICY' as const, runs: [NOW, NOW + 6 * MINUTE] },
      { misfire: 'FIRE_ONCE_NOW' as const, runs: [NOW + 6 * MINUTE] },
      { misfire: 'DO_NOTHING' as const, runs: [] },
    ])('apply $misfire to due times if only the new schedule has others between them', async (each) => {
      await driver().register(everyMinute('often', { repeatInterval: 6 * MINUTE }));
      driver().now = NOW + 7 * MINUTE;
      const cronExpression = '0 0/2 * * * ?';
      await driver().register(everyNoon('often', { cronExpression, startTime: NOW, misfireInstruction: each.misfire }));
      const fired = await driver().fireDue();
      const caughtUp = fired.filter(({ trigger }) => trigger.key.group.startsWith('BACKFILL_'));
      expect(caughtUp.map(({ trigger }) => Date.parse(trigger.key.name)).sort()).toEqual(each.runs);
      const skipped = each.runs.length === 0 ? [['often', 'misfired', NOW, null]] : [];
      expect(await recorded()).toEqual(skipped);
    });

    const caughtUpTimes = async () => {
      const fired = (await driver().fireDue()).filter(({ trigger }) => trigger.key.group.startsWith('BACKFILL_'));
      return fired.map(({ trigger }) => Date.parse(trigger.key.name)).sort();
    };
    const everyTwoMinutes = (fields: Partial<CronTrigger> = {}) =>
      everyNoon('often', {
        cronExpression: '0 0/2 * * * ?',
        startTime: NOW,
        misfireInstruction: 'IGNORE_MISFIRE_POLICY',
        ...fields,
      });

    it('leave out times that the old calendar excluded', async () => {
      await driver().applyOne(storingCalendar(without()));
      driver().now = NOW;
      await driver().register(everyMinute('often', { repeatInterval: 6 * MINUTE, calendarName: 'holidays' }));
      await driver().applyOne({ ...storingCalendar(WITHOUT_MINUTES, 'replace'), updateTriggers: false });
      driver().now = NOW + 7 * MINUTE;
      await driver().register(everyTwoMinutes());
      expect(await caughtUpTimes()).toEqual([NOW]);
    });

    it('leave out times of only the new schedule, even if its calendar includes them later', async () => {
      await driver().applyOne(storingCalendar(WITHOUT_MINUTES));
      await driver().register(everyMinute('often', { repeatInterval: 6 * MINUTE }));
      driver().now = NOW + 7 * MINUTE;
      await driver().register(everyTwoMinutes({ calendarName: 'holidays' }));
      await driver().applyOne({ ...storingCalendar(without(), 'replace'), updateTriggers: false });
      expect(await caughtUpTimes()).toEqual([NOW]);
      expect(await driver().fireDue()).toEqual([]);
    });

    describe('for a paused trigger', () => {
      const often = triggerKey('often');
      const moveTo = (trigger: Trigger) =>
        driver().applyOne({ type: 'replaceTrigger', key: often, trigger, startTimeDefaulted: false });

      /** Reschedules a trigger with two due times so that its schedule ends. Both times become one-shot triggers. */
      const endedWhilePaused = async (pause: () => Promise<unknown>, fields: Partial<CronTrigger> = {}) => {
        await driver().register(everyMinute('often', { repeatInterval: 6 * MINUTE }));
        await pause();
        driver().now = NOW + 7 * MINUTE;
        await moveTo(everyTwoMinutes({ endTime: driver().now, ...fields }));
      };

      it.each([
        { key: often, name: 'under the same key' },
        { key: triggerKey('other'), name: 'under a new key' },
      ])('hold due times until the pause ends by itself ($name)', async ({ key }) => {
        const pause = { reason: null, by: 'ops', since: NOW, until: NOW + HOUR };
        await endedWhilePaused(() => driver().store.pauseTriggers([often], pause), { key });
        expect(await caughtUpTimes()).toEqual([]);
        expect(await driver().store.getPauses()).toMatchObject([{ target: { kind: 'trigger', key }, ...pause }]);
        driver().now = NOW + HOUR;
        await driver().store.endPauses(driver().options);
        expect(await caughtUpTimes()).toEqual([NOW, NOW + 6 * MINUTE]);
        expect(await driver().find(key)).toBeNull();
      });

      it('run due times if the new key is not in the paused group', async () => {
        const pause = () => driver().store.pauseTriggers(GroupMatcher.groupEquals('DEFAULT'));
        await endedWhilePaused(pause, { key: triggerKey('often', 'free'), endTime: null });
        expect(await driver().state(triggerKey('often', 'free'))).toBe('WAITING');
        expect(await caughtUpTimes()).toEqual([NOW, NOW + 6 * MINUTE]);
      });

      it('hold due times if only the new key is in a paused group', async () => {
        await driver().store.pauseTriggers(GroupMatcher.groupEquals('held'));
        await endedWhilePaused(async () => {}, { key: triggerKey('often', 'held') });
        expect(await caughtUpTimes()).toEqual([]);
        await driver().store.resumeTriggers(GroupMatcher.groupEquals('held'), driver().options);
        expect(await caughtUpTimes()).toEqual([NOW, NOW + 6 * MINUTE]);
      });

      it('hold times that stayed due after an earlier change, also under a new key', async () => {
        await endedWhilePaused(() => driver().store.pauseTriggers([often]), { endTime: null });
        const other = everyTwoMinutes({ key: triggerKey('other'), startTime: driver().now + MINUTE });
        await moveTo(other);
        expect(await caughtUpTimes()).toEqual([]);
        await driver().store.resumeTriggers([other.key], driver().options);
        expect(await caughtUpTimes()).toEqual([NOW, NOW + 6 * MINUTE]);
      });
    });

    it('keep due times although a backfill of one of them waits', async () => {
      await driver().register(everyMinute('often', { repeatInterval: 6 * MINUTE }));
      driver().now = NOW + 7 * MINUTE;
      const backfilled = oneShotAt(await driver().trigger('often'), NOW, { startTime: NOW + HOUR });
      await driver().applyOne(storing(backfilled));
      await driver().register(everyTwoMinutes());
      expect(await caughtUpTimes()).toEqual([NOW + 6 * MINUTE]);
      driver().now = NOW + HOUR;
      expect(await caughtUpTimes()).toEqual([NOW]);
    });
  });
}

/** Excludes 12:01 to 12:59. */
const WITHOUT_MINUTES = {
  type: 'daily',
  from: '12:01',
  to: '12:59',
  invert: false,
  description: null,
  timeZone: 'UTC',
  base: null,
} as const;
