import { triggerKey } from '../../../src/domain/keys';
import type { Trigger } from '../../../src/domain/trigger';
import type { StoreContext } from '../describe-job-store';
import { everyMinute, everyNoon, HOUR, job, MINUTE, NOW } from '../samples';

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
  });
}
