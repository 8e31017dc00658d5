import type { ScheduleChange } from '../../../src/domain/schedule-change';
import type { StoreContext } from '../describe-job-store';
import { DAY, everyNoon, HOUR, job, MINUTE, NOW, once, without } from '../samples';
import { storingCalendar } from '../store-driver';

/** Next fire times computed with newer time zone data. Each is stored only if the trigger is unchanged since it was read. */
export function describeSetFireTime({ driver }: StoreContext): void {
  describe('a recomputed fire time', () => {
    const setting = async (name: string, nextFireTime: number): Promise<ScheduleChange> => {
      const { calendarName, ...read } = await driver().trigger(name);
      const calendar = calendarName === null ? null : await driver().store.getCalendar(calendarName);
      return { type: 'setFireTime', read: { ...read, calendarName } as typeof read & never, calendar, nextFireTime };
    };

    beforeEach(async () => {
      driver().now = NOW + MINUTE;
      await driver().applyOne(storingCalendar(without()));
      const tomorrow = { startTime: NOW + MINUTE };
      await driver().scheduleAll(
        everyNoon('plain', tomorrow),
        everyNoon('bound', { ...tomorrow, calendarName: 'holidays' }),
      );
      driver().announced = [];
    });

    it('replaces the stored one, and is announced if it is earlier', async () => {
      const changes = [await setting('plain', NOW + DAY - HOUR), await setting('bound', NOW + DAY + HOUR)];
      expect((await driver().apply(...changes)).map(({ status }) => status)).toEqual(['replaced', 'replaced']);
      expect((await driver().trigger('plain')).nextFireTime).toBe(NOW + DAY - HOUR);
      expect((await driver().trigger('bound')).nextFireTime).toBe(NOW + DAY + HOUR);
      expect(driver().announced).toEqual([NOW + DAY - HOUR]);
      expect(await driver().state('plain')).toBe('WAITING');
    });

    it('is not stored for a trigger that has changed or was deleted', async () => {
      const changes = [await setting('plain', NOW + DAY - HOUR), await setting('bound', NOW + DAY - HOUR)];
      await driver().register(everyNoon('plain', { cronExpression: '0 0 13 * * ?' }));
      await driver().apply({ type: 'deleteTrigger', key: (await driver().trigger('bound')).key });
      expect((await driver().apply(...changes)).map(({ status }) => status)).toEqual(['kept', 'kept']);
      expect((await driver().trigger('plain')).nextFireTime).toBe(NOW + HOUR);
    });

    it('is not stored for a trigger that has become due', async () => {
      const change = await setting('plain', NOW + DAY + HOUR);
      driver().now = NOW + DAY;
      expect(await driver().applyOne(change)).toMatchObject({ status: 'kept' });
      expect((await driver().trigger('plain')).nextFireTime).toBe(NOW + DAY);
    });

    it('is not stored for a trigger whose calendar has changed', async () => {
      const change = await setting('bound', NOW + DAY - HOUR);
      await driver().applyOne({ ...storingCalendar(without('2027-01-01'), 'replace'), updateTriggers: false });
      expect(await driver().applyOne(change)).toMatchObject({ status: 'kept' });
      expect((await driver().trigger('bound')).nextFireTime).toBe(NOW + DAY);
    });

    it('keeps pauses, and ends a reservation', async () => {
      await driver().schedule(job('other'), once('soon', { startTime: NOW + 2 * MINUTE }));
      const [acquired] = await driver().acquire({ noLaterThan: NOW + 3 * MINUTE });
      await driver().store.pauseTriggers([(await driver().trigger('plain')).key]);
      const changes = [await setting('soon', NOW + HOUR), await setting('plain', NOW + DAY - HOUR)];
      await driver().apply(...changes);
      expect([await driver().state('soon'), await driver().state('plain')]).toEqual(['WAITING', 'PAUSED']);
      driver().now = NOW + 2 * MINUTE;
      expect(acquired === undefined ? [] : await driver().fire(acquired)).toMatchObject([{ status: 'notFired' }]);
      expect((await driver().trigger('soon')).nextFireTime).toBe(NOW + HOUR);
    });
  });
}
