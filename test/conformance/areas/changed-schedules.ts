import { triggerKey } from '../../../src/domain/keys';
import type { CronTrigger, Trigger } from '../../../src/domain/trigger';
import type { StoreContext } from '../describe-job-store';
import { everyMinute, everyNoon, HOUR, job, MINUTE, NOW, without } from '../samples';
import { storingCalendar } from '../store-driver';

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

    it('record a due fire time that only the schedule before had as misfired', async () => {
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

    it('keep what was due under another key', async () => {
      await renamed(everyNoon('other', { cronExpression: '0 0 12,13 * * ?' }));
      expect(await driver().find('trigger')).toBeNull();
      expect(await driver().fireDue()).toMatchObject([{ scheduledFireTime: NOW, trigger: { key: { name: 'other' } } }]);
    });

    it('record what another key drops', async () => {
      await renamed(everyNoon('other', { cronExpression: '0 0 13 * * ?' }));
      expect(await recorded()).toEqual([['other', 'misfired', NOW, 'schedule changed']]);
    });

    it.each([
      { misfire: 'IGNORE_MISFIRE_POLICY' as const, runs: [NOW, NOW + 6 * MINUTE] },
      { misfire: 'FIRE_ONCE_NOW' as const, runs: [NOW + 6 * MINUTE] },
      { misfire: 'DO_NOTHING' as const, runs: [] },
    ])('run due times between which only the new schedule has others by the instruction $misfire', async (each) => {
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

    it('leave out what the calendar of the schedule before excluded', async () => {
      await driver().applyOne(storingCalendar(without()));
      driver().now = NOW;
      await driver().register(everyMinute('often', { repeatInterval: 6 * MINUTE, calendarName: 'holidays' }));
      await driver().applyOne({ ...storingCalendar(WITHOUT_MINUTES, 'replace'), updateTriggers: false });
      driver().now = NOW + 7 * MINUTE;
      await driver().register(everyTwoMinutes());
      expect(await caughtUpTimes()).toEqual([NOW]);
    });

    it('leave out what only the new schedule has, also if a later change of its calendar includes it', async () => {
      await driver().applyOne(storingCalendar(WITHOUT_MINUTES));
      await driver().register(everyMinute('often', { repeatInterval: 6 * MINUTE }));
      driver().now = NOW + 7 * MINUTE;
      await driver().register(everyTwoMinutes({ calendarName: 'holidays' }));
      await driver().applyOne({ ...storingCalendar(without(), 'replace'), updateTriggers: false });
      expect(await caughtUpTimes()).toEqual([NOW]);
      expect(await driver().fireDue()).toEqual([]);
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
