import type { Definition } from '../support/laws/arbitrary-plans';
import { HOUR, MINUTE, SECOND } from '../support/laws/local-time';
import type { SlowCalendar, SlowPlan } from '../support/laws/slow-schedule';
import { WatchedTrigger } from '../support/laws/watched-trigger';

/*
 * Sequences that random seeds found, in their smallest form. In each of them the product or its oracle was wrong.
 */

const NOON = Date.UTC(2026, 5, 13, 12); // a Saturday
const zone = 'UTC';
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];

const nothingExcluded: SlowCalendar = { zone, kind: 'weekly', daysOfWeek: [] };
const noWeekend: SlowCalendar = { zone, kind: 'weekly', daysOfWeek: [1, 7] };
const noEvening = { zone, kind: 'daily', from: 14 * HOUR, to: 20 * HOUR, invert: false } as const;

type Given = {
  [Kind in SlowPlan['kind']]: Omit<Extract<SlowPlan, { kind: Kind }>, 'zone' | 'start' | 'end'>;
}[SlowPlan['kind']];
type Others = Partial<Omit<Definition, 'plan'>> & { readonly since?: number; readonly lasts?: number };

/** A definition that starts `since` before the change and ends `lasts` after it. */
const draft =
  (plan: Given, { since = 0, lasts, ...others }: Others = {}) =>
  (now: number): Definition => ({
    plan: { ...plan, zone, start: now - since, end: lasts === undefined ? null : now + lasts } as SlowPlan,
    misfire: 'fire',
    usesCalendar: false,
    startDefaulted: false,
    ...others,
  });

const once = { kind: 'every', interval: 10 * MINUTE, repeats: 0 } as const;
const everyTenMinutes = { kind: 'every', interval: 10 * MINUTE, repeats: null } as const;
const cron = (minutes: readonly number[]) =>
  ({ kind: 'cron', minutes, hours: null, daysOfWeek: null, isNatural: false }) as const;

const open = (calendar: SlowCalendar = nothingExcluded) => WatchedTrigger.open(NOON, calendar);

describe('a trigger in a known scenario', () => {
  it('keeps its only fire time while its calendar excludes it, and then fires once', async () => {
    const watched = await open();
    await watched.change(draft(once, { usesCalendar: true }), 'schedule');
    await watched.replaceCalendar(noWeekend, false);
    await watched.run(HOUR);
    await watched.end();
  });

  it('does not fire again for its only fire time, which it caught up before its calendar changed', async () => {
    const watched = await open();
    await watched.change(draft(once, { usesCalendar: true, misfire: 'catchUp' }), 'schedule');
    await watched.sleep(5 * MINUTE);
    await watched.run(MINUTE);
    await watched.replaceCalendar(noEvening, true);
    await watched.end();
  });

  it('refuses a change whose end has passed and whose catch-up window contains no due time', async () => {
    const watched = await open();
    await watched.change(draft(once, { since: 5 * HOUR }), 'schedule');
    await watched.sleep(20 * HOUR + SECOND);
    await watched.change(draft(everyTenMinutes, { lasts: 0, misfire: 'catchUp', startDefaulted: true }), 'schedule');
    await watched.end();
  });

  it('may skip times that its calendar excluded before a replacement without recomputation', async () => {
    const watched = await open(noEvening);
    await watched.run(2 * HOUR + MINUTE);
    await watched.change(draft(cron([0]), { usesCalendar: true }), 'schedule');
    await watched.replaceCalendar(nothingExcluded, false);
    await watched.run(90 * MINUTE);
    await watched.end();
  });

  it('does not fire for times before a change that the calendar of the previous schedule excluded', async () => {
    const watched = await open();
    const hours = {
      kind: 'hours',
      opens: 30 * MINUTE,
      closes: 23 * HOUR,
      interval: 30 * MINUTE,
      daysOfWeek: EVERY_DAY,
    } as const;
    await watched.change(draft(hours, { usesCalendar: true }), 'schedule');
    await watched.replaceCalendar(noEvening, false);
    await watched.sleep(4 * HOUR + SECOND);
    await watched.change(draft(cron([0, 10, 20, 30, 40, 50])), 'schedule');
    await watched.end();
  });

  it('does not fire for times before a change that only the new schedule has', async () => {
    const watched = await open({ ...noEvening, from: 12 * HOUR + 15 * MINUTE });
    await watched.change(draft(cron([0])), 'schedule');
    await watched.sleep(4 * HOUR + 35 * MINUTE);
    await watched.change(draft(cron([0, 30]), { since: 5 * HOUR, usesCalendar: true, misfire: 'all' }), 'schedule');
    await watched.replaceCalendar(nothingExcluded, false);
    await watched.end();
  });

  it('fires once for the time that was due at a change, and once for the times missed afterwards', async () => {
    const watched = await open();
    await watched.change(draft(cron([0])), 'schedule');
    await watched.pause();
    await watched.run(10 * HOUR + MINUTE);
    await watched.change(draft(cron([0, 30])), 'schedule');
    await watched.run(90 * MINUTE);
    await watched.end();
  });

  it('keeps a due time while it is paused, even if the change ends the trigger', async () => {
    const watched = await open();
    await watched.change(draft(cron([30])), 'schedule');
    await watched.pause();
    await watched.run(90 * MINUTE + SECOND);
    await watched.change(draft(cron([30]), { lasts: 0, misfire: 'all', startDefaulted: true }), 'schedule');
    await watched.run(30 * MINUTE + SECOND);
    await watched.end();
  });

  it.each([
    { misfire: 'fire', what: 'waits in its own run' },
    { misfire: 'smart', what: 'was skipped' },
  ] as const)('refuses a change that leaves it no fire time, even if an earlier due time $what', async ({
    misfire,
  }) => {
    const watched = await open();
    await watched.change(draft(once, { since: 50 * MINUTE }), 'schedule');
    await watched.change(draft(everyTenMinutes, { startDefaulted: true, misfire }), 'schedule');
    const hourly = { kind: 'interval', unit: 'HOUR', count: 1, skipsMissingHours: false } as const;
    await watched.change(draft(hourly, { since: 50 * MINUTE, lasts: 0 }), 'schedule');
    await watched.end();
  });

  it('releases its catch-up runs when it is resumed under another key', async () => {
    const watched = await open();
    await watched.change(draft(cron([0, 30]), { misfire: 'catchUp' }), 'schedule');
    await watched.sleep(90 * MINUTE);
    await watched.pause();
    await watched.change(draft(cron([0])), 'rename');
    await watched.end();
  });

  it.each([
    true,
    false,
  ])('fires for a missed time as the previous calendar allowed (updateTriggers: %s)', async (updates) => {
    const monthly = { kind: 'interval', unit: 'MONTH', count: 1, skipsMissingHours: false } as const;
    const watched = await open(noEvening);
    await watched.change(draft(monthly, { usesCalendar: true }), 'schedule');
    await watched.sleep(3 * HOUR);
    await watched.run(MINUTE);
    await watched.replaceCalendar(nothingExcluded, updates);
    await watched.end();
    expect(await watched.driver.trigger()).toMatchObject({ previousFireTime: NOON + 8 * HOUR + 1 });
  });
});
