import { triggerKey } from '../../../src/domain/keys';
import type { ChangeSet } from '../../../src/domain/schedule-change';
import type { StoreContext } from '../describe-job-store';
import { DAY, everyNoon, HOUR, job, NOW, once, without } from '../samples';
import { storing, storingCalendar } from '../store-driver';

/** Excludes every time, like a range whose inversion was forgotten. */
const NEVER = { type: 'cron', cronExpression: '* * * * * ?', description: null, timeZone: 'UTC', base: null } as const;

/** Excludes every time by its base calendar. */
const NEVER_BELOW = { ...without(), base: NEVER };

/** Calendars that leave their triggers no fire time. */
export function describeEndingCalendars({ driver }: StoreContext): void {
  const replacing = (calendar: Parameters<typeof storingCalendar>[0] = NEVER) => storingCalendar(calendar, 'replace');
  const allowing = (calendar: Parameters<typeof storingCalendar>[0] = NEVER) => ({
    ...replacing(calendar),
    allowEnding: true,
  });
  const bound = { calendarName: 'holidays', startTime: NOW + HOUR } as const;

  describe('a calendar that excludes all fire times of its triggers', () => {
    beforeEach(async () => {
      await driver().applyOne(storingCalendar(without()));
      await driver().scheduleAll(everyNoon('bound', bound), everyNoon('free'));
      await driver().schedule(job('other'), once('at night', { ...bound, startTime: NOW + 3 * HOUR }));
    });

    it.each([
      ['by itself', NEVER],
      ['by its base calendar', NEVER_BELOW],
    ])('is refused with the names of the triggers (%s)', async (_, calendar) => {
      for (const updateTriggers of [true, false]) {
        const refused = driver().apply({ ...replacing(calendar), updateTriggers });
        await expect(refused).rejects.toMatchObject({ code: 'CALENDAR_ENDS_TRIGGERS' });
        await expect(refused).rejects.toThrow(/2 triggers: .*DEFAULT\/(bound|at night)/);
      }
      expect(await driver().store.getCalendar('holidays')).toEqual(without());
      expect(await driver().state('bound')).toBe('WAITING');
    });

    it('is stored if the same set reschedules or deletes these triggers', async () => {
      const free = { ...storing(everyNoon('bound')), ifExists: 'replace' } as const;
      const changes: ChangeSet = [replacing(), free, { type: 'deleteTrigger', key: triggerKey('at night') }];
      await driver().apply(...changes);
      expect(await driver().store.getCalendar('holidays')).toEqual(NEVER);
      expect(await driver().state('bound')).toBe('WAITING');
    });

    it('is stored with allowEnding, and keeps the ended triggers and their jobs', async () => {
      const { endedTriggers } = await driver().applyOne(allowing());
      expect(endedTriggers?.map(({ name }) => name).sort()).toEqual(['at night', 'bound']);
      expect(await driver().state('bound')).toBe('COMPLETE');
      expect(await driver().state('at night')).toBe('COMPLETE');
      await driver().recoverMisfires();
      expect(await driver().state('at night')).toBe('COMPLETE');
      expect(await driver().job('other')).not.toBeNull();
    });

    it.each([
      true,
      false,
    ])('gives its triggers fire times again when it is repaired (updateTriggers: %s)', async (updateTriggers) => {
      await driver().applyOne(allowing());
      driver().now = NOW + 25 * HOUR; // the excluded noon of today is not caught up
      driver().announced = [];
      await driver().applyOne({ ...replacing(without()), updateTriggers });
      expect(await driver().state('bound')).toBe('WAITING');
      expect((await driver().trigger('bound')).nextFireTime).toBe(NOW + 2 * DAY);
      expect(driver().announced).toEqual([NOW + 3 * HOUR]);
      expect(await driver().find('at night')).toMatchObject({
        state: 'WAITING',
        trigger: { nextFireTime: NOW + 3 * HOUR },
      }); // fires late
    });

    it('does not end a pause of its triggers', async () => {
      await driver().store.pauseTriggers([triggerKey('bound')], { ...PAUSE });
      await driver().applyOne(allowing());
      expect(await driver().state('bound')).toBe('PAUSED');
      expect((await driver().trigger('bound')).nextFireTime).toBeNull();
      await driver().applyOne(replacing(without()));
      expect(await driver().state('bound')).toBe('PAUSED');
      expect((await driver().trigger('bound')).nextFireTime).toBe(NOW + DAY);
    });

    it('restores its triggers as paused if their group has been paused', async () => {
      await driver().applyOne(allowing());
      await driver().store.pauseTriggers({ operator: 'equals', value: 'DEFAULT' });
      await driver().applyOne(replacing(without()));
      expect(await driver().state('bound')).toBe('PAUSED');
    });

    it('accepts an ended trigger that is stored again unchanged, but no new trigger', async () => {
      await driver().applyOne(allowing());
      expect((await driver().register(everyNoon('bound', bound))).status).toBe('unchanged');
      expect(await driver().state('bound')).toBe('COMPLETE');
      await expect(driver().register(everyNoon('new', bound))).rejects.toMatchObject({ code: 'INVALID_TRIGGER' });
    });

    it('can be replaced by a similar one while its triggers remain ended', async () => {
      await driver().applyOne(allowing());
      expect((await driver().applyOne(replacing(NEVER_BELOW))).status).toBe('replaced');
    });

    it('is shown in the plan, with the triggers that it would end', async () => {
      const planned = await driver().store.planSchedule([replacing()], driver().options);
      const ending = planned.filter(({ endedByCalendar }) => endedByCalendar === 'holidays').map(({ name }) => name);
      expect(ending.sort()).toEqual(['at night', 'bound']);
      expect(await driver().store.getCalendar('holidays')).toEqual(without());
    });
  });
}

const PAUSE = { reason: 'audit', by: 'Ada', until: null, since: NOW, holdsRetries: true } as const;
