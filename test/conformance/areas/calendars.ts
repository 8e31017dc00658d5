import { triggerKey } from '../../../src/domain/keys';
import type { ScheduleChange } from '../../../src/domain/schedule-change';
import type { Trigger } from '../../../src/domain/trigger';
import type { StoreContext } from '../describe-job-store';
import { DAY, everyNoon, HOUR, NOW, without } from '../samples';
import { storing, storingCalendar } from '../store-driver';

const replacing = (trigger: Trigger) => ({ ...storing(trigger), ifExists: 'replace' }) as ScheduleChange;

/** Calendars, and what storing one does to the triggers that refer to it. */
export function describeCalendars({ driver }: StoreContext): void {
  describe('a calendar', () => {
    it('keeps fire times off its excluded days', async () => {
      await driver().applyOne(storingCalendar(without('2026-01-01', '2026-01-02')));
      await driver().scheduleAll(everyNoon('trigger', { calendarName: 'holidays' }));
      expect((await driver().trigger()).nextFireTime).toBe(NOW + 2 * DAY);
    });

    it('is refused, kept or replaced if it exists already, as requested', async () => {
      const [old, changed] = [without('2026-12-25'), without('2026-12-26')];
      expect((await driver().applyOne(storingCalendar(old))).status).toBe('created');
      await expect(driver().apply(storingCalendar(changed))).rejects.toMatchObject({ code: 'OBJECT_ALREADY_EXISTS' });
      expect((await driver().applyOne(storingCalendar(changed, 'keep'))).status).toBe('kept');
      expect(await driver().store.getCalendar('holidays')).toEqual(old);
      expect((await driver().applyOne(storingCalendar(changed, 'replace'))).status).toBe('replaced');
      expect((await driver().applyOne(storingCalendar(changed, 'replace'))).status).toBe('unchanged');
      expect(await driver().store.getCalendar('holidays')).toEqual(changed);
    });

    it('is refused if it is malformed', async () => {
      const malformed = { ...without(), excludedDates: ['tomorrow'] };
      await expect(driver().apply(storingCalendar(malformed))).rejects.toMatchObject({ code: 'INVALID_CALENDAR' });
      expect(await driver().store.getCalendarNames()).toEqual([]);
    });

    it('moves its triggers forward when it is replaced, and back only on request', async () => {
      await driver().applyOne(storingCalendar(without()));
      await driver().scheduleAll(
        everyNoon('waiting', { calendarName: 'holidays' }),
        everyNoon('paused', { calendarName: 'holidays' }),
        everyNoon('free'),
      );
      await driver().store.pauseTriggers([triggerKey('paused')]);
      const asTold = (...dates: string[]) => ({
        ...storingCalendar(without(...dates), 'replace'),
        updateTriggers: false,
      });
      await driver().applyOne(asTold('2026-01-01', '2026-01-02'));
      expect((await driver().trigger('waiting')).nextFireTime).toBe(NOW + 2 * DAY);
      await driver().applyOne(asTold('2026-01-01'));
      expect((await driver().trigger('waiting')).nextFireTime).toBe(NOW + 2 * DAY);
      await driver().applyOne(storingCalendar(without('2025-12-31', '2026-01-01'), 'replace'));
      expect((await driver().trigger('waiting')).nextFireTime).toBe(NOW + DAY);

      await driver().applyOne(storingCalendar(without('2026-01-01', '2026-01-02'), 'replace'));
      expect((await driver().trigger('waiting')).nextFireTime).toBe(NOW + 2 * DAY);
      expect((await driver().trigger('paused')).nextFireTime).toBe(NOW + 2 * DAY);
      expect(await driver().state('paused')).toBe('PAUSED');
      expect((await driver().trigger('free')).nextFireTime).toBe(NOW);
    });

    it('moves its triggers to fire times computed earlier, if they are unchanged', async () => {
      const [before, after] = [without(), without('2026-01-01')];
      const names = ['asRead', 'moved', 'acquired', 'free'];
      await driver().applyOne(storingCalendar(before));
      await driver().scheduleAll(...names.map((name) => everyNoon(name, { calendarName: 'holidays' })));
      const triggers = await Promise.all(
        names.map(async (name) => ({ read: await driver().trigger(name), nextFireTime: NOW + 5 * DAY })),
      );
      await driver().applyOne(replacing(everyNoon('free')));
      await driver().applyOne(replacing(everyNoon('moved', { calendarName: 'holidays', startTime: NOW + HOUR })));
      await driver().applyOne({ ...storingCalendar(after, 'replace'), usersLater: true });

      const following = { type: 'followCalendar', name: 'holidays', triggers } as const;
      expect((await driver().applyOne({ ...following, calendar: before })).status).toBe('kept');
      expect((await driver().trigger('asRead')).nextFireTime).toBe(NOW);
      expect((await driver().applyOne({ ...following, calendar: after })).status).toBe('replaced');
      const times = await Promise.all(names.map(async (name) => (await driver().trigger(name)).nextFireTime));
      expect(times).toEqual([NOW + 5 * DAY, NOW + DAY, NOW + 5 * DAY, NOW]);
    });

    it('releases the reservation of a trigger that it moves', async () => {
      await driver().applyOne(storingCalendar(without()));
      await driver().scheduleAll(everyNoon('trigger', { calendarName: 'holidays' }));
      const acquired = await driver().acquireOne();
      await driver().applyOne(storingCalendar(without('2026-01-01'), 'replace'));
      expect(await driver().state()).toBe('WAITING');
      expect(await driver().fire(acquired)).toMatchObject([{ status: 'notFired', reason: 'lost' }]);
    });

    it('does not revive a trigger whose schedule has ended', async () => {
      await driver().applyOne(storingCalendar(without()));
      await driver().scheduleAll(everyNoon('trigger', { calendarName: 'holidays', endTime: NOW + HOUR }));
      await driver().fireOne();
      await driver().applyOne(storingCalendar(without('2025-01-01'), 'replace'));
      expect(await driver().state()).toBe('COMPLETE');
      expect((await driver().trigger()).nextFireTime).toBeNull();
    });

    it('does not change a trigger that its job has completed', async () => {
      await driver().applyOne(storingCalendar(without()));
      await driver().scheduleAll(everyNoon('trigger', { calendarName: 'holidays' }));
      await driver().complete(await driver().fireOne(), 'SET_TRIGGER_COMPLETE');
      const before = await driver().find();
      await driver().applyOne(storingCalendar(without('2026-01-02'), 'replace'));
      expect(await driver().find()).toEqual(before);
    });

    it('is not deleted while a trigger uses it', async () => {
      await driver().applyOne(storingCalendar(without()));
      await driver().scheduleAll(everyNoon('trigger', { calendarName: 'holidays' }));
      await expect(driver().apply({ type: 'deleteCalendar', name: 'holidays' })).rejects.toMatchObject({
        code: 'CALENDAR_IN_USE',
      });
      await driver().register(everyNoon());
      expect(await driver().applyOne({ type: 'deleteCalendar', name: 'holidays' })).toMatchObject({
        status: 'deleted',
      });
      expect(await driver().store.getCalendar('holidays')).toBeNull();
    });
  });
}
