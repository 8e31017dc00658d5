import { proves } from '../../../support/proves';
import { closeAll, codeOf, deleteFolders } from '../../../support/world/world';
import { missing, shortTime, withTrigger } from './apply';

/** Due at half past every hour since 22:30 of the day before, so that two fire times are missed when the scheduler fires again at midnight. */
const SCHEDULES = {
  cron: "cron: '0 30 * * * ?'",
  simple: 'simple: { interval: 3600s, repeatCount: 5 }',
  calendarInterval: 'calendarInterval: { interval: 1, unit: HOUR }',
  dailyTimeInterval: "dailyTimeInterval: { interval: 1, unit: HOUR, startTimeOfDay: '00:30' }",
} as const;

/** Scheduled fire times in the first hours, as `hh:mm`. Fire times of the day before fire at midnight. */
async function fired(schedule: string, misfire: string, hours = 4): Promise<string> {
  const trigger = `${schedule}, startAt: 2025-12-31T22:30, ${misfire}`;
  const firings = await (await missing(withTrigger(trigger))).advanceTo(Date.UTC(2026, 0, 1, hours));
  return firings.map(({ scheduledFireTime }) => shortTime(scheduledFireTime).slice(-8, -3)).join(' ');
}

const LATER = '00:30 01:30 02:30 03:30';
const ONE_NOW = `00:00 ${LATER}`;
const ALL = `22:30 23:30 ${LATER}`;

/** Fire times of a trigger without a repeat count, by misfire instruction. */
const OF_INTERVALS = [
  ['SMART_POLICY', ONE_NOW],
  ['IGNORE_MISFIRE_POLICY', ALL],
  ['FIRE_ONCE_NOW', ONE_NOW],
  ['DO_NOTHING', LATER],
] as const;

/** Fire times of a trigger that fires six times, by misfire instruction. */
const OF_SIMPLE = [
  ['SMART_POLICY', '00:00 01:00 02:00 03:00 04:00 05:00'],
  ['IGNORE_MISFIRE_POLICY', ALL],
  ['RESCHEDULE_NOW_WITH_EXISTING_REPEAT_COUNT', '00:00 01:00 02:00 03:00 04:00 05:00'],
  ['RESCHEDULE_NOW_WITH_REMAINING_REPEAT_COUNT', '00:00 01:00 02:00 03:00 04:00'],
  ['RESCHEDULE_NEXT_WITH_REMAINING_COUNT', LATER],
  ['RESCHEDULE_NEXT_WITH_EXISTING_COUNT', LATER],
] as const;

/** Counted firings of the simple trigger after one firing. */
async function countedAfterOne(instruction: string): Promise<unknown> {
  const trigger = `${SCHEDULES.simple}, startAt: 2025-12-31T22:30, misfire: ${instruction}`;
  const { scheduler, advanceTo } = await missing(withTrigger(trigger));
  await advanceTo(new Date('2026-01-01T01:00Z'));
  return ((await scheduler.getTrigger('job')) as { readonly timesTriggered?: number } | null)?.timesTriggered;
}

afterEach(closeAll);
afterAll(deleteFolders);

describe('misfire handling in a schedule file', () => {
  describe.each(['cron', 'calendarInterval', 'dailyTimeInterval'] as const)('for a %s trigger', (kind) => {
    it.each(OF_INTERVALS)('follows the instruction %s', async (instruction, times) => {
      proves('schedule-file', 'cron misfire: SMART_POLICY', 'cron misfire: IGNORE_MISFIRE_POLICY');
      proves('schedule-file', 'cron misfire: FIRE_ONCE_NOW', 'cron misfire: DO_NOTHING');
      proves('schedule-file', 'calendarInterval misfire: SMART_POLICY', 'calendarInterval misfire: DO_NOTHING');
      proves('schedule-file', 'calendarInterval misfire: IGNORE_MISFIRE_POLICY');
      proves('schedule-file', 'calendarInterval misfire: FIRE_ONCE_NOW', 'dailyTimeInterval misfire: FIRE_ONCE_NOW');
      proves('schedule-file', 'dailyTimeInterval misfire: SMART_POLICY', 'dailyTimeInterval misfire: DO_NOTHING');
      proves('schedule-file', 'dailyTimeInterval misfire: IGNORE_MISFIRE_POLICY');
      // Midnight is outside the hours of the daily trigger, so a missed fire time fires at its first hour.
      const right = kind === 'dailyTimeInterval' && times === ONE_NOW ? LATER : times;
      expect(await fired(SCHEDULES[kind], `misfire: ${instruction}`)).toBe(right);
    });
  });

  it('fires a daily trigger immediately within its hours with FIRE_ONCE_NOW', async () => {
    const daily = 'dailyTimeInterval: { interval: 90, unit: MINUTE }';
    expect(await fired(daily, 'misfire: FIRE_ONCE_NOW', 2)).toBe('00:00 01:30');
    expect(await fired(daily, 'misfire: DO_NOTHING', 2)).toBe('01:30');
  });

  it.each(OF_SIMPLE)('follows the instruction %s for a simple trigger', async (instruction, times) => {
    proves('schedule-file', 'simple misfire: SMART_POLICY', 'simple misfire: IGNORE_MISFIRE_POLICY');
    proves('schedule-file', 'simple misfire: RESCHEDULE_NOW_WITH_EXISTING_REPEAT_COUNT');
    proves('schedule-file', 'simple misfire: RESCHEDULE_NOW_WITH_REMAINING_REPEAT_COUNT');
    expect(await fired(SCHEDULES.simple, `misfire: ${instruction}`, 8)).toBe(times);
  });

  it('follows the instruction of a simple trigger that fires once', async () => {
    proves('schedule-file', 'simple misfire: FIRE_NOW');
    expect(await fired('simple: { repeatCount: 0 }', 'misfire: FIRE_NOW')).toBe('00:00');
    expect(await fired('simple: { repeatCount: 0 }', 'misfire: RESCHEDULE_NEXT_WITH_EXISTING_COUNT')).toBe('');
  });

  it('counts missed fire times of a simple trigger only with RESCHEDULE_NEXT_WITH_REMAINING_COUNT', async () => {
    proves('schedule-file', 'simple misfire: RESCHEDULE_NEXT_WITH_REMAINING_COUNT');
    proves('schedule-file', 'simple misfire: RESCHEDULE_NEXT_WITH_EXISTING_COUNT');
    expect(await countedAfterOne('RESCHEDULE_NEXT_WITH_REMAINING_COUNT')).toBe(3); // including the two missed fire times
    expect(await countedAfterOne('RESCHEDULE_NEXT_WITH_EXISTING_COUNT')).toBe(1);
  });

  it('accepts the short values fire, skip and all', async () => {
    proves(
      'schedule-file',
      'trigger misfire',
      'trigger misfire: fire',
      'trigger misfire: skip',
      'trigger misfire: all',
    );
    expect(await fired(SCHEDULES.cron, 'misfire: fire')).toBe(ONE_NOW);
    expect(await fired(SCHEDULES.cron, 'misfire: skip')).toBe(LATER);
    expect(await fired(SCHEDULES.cron, 'misfire: all')).toBe(ALL);
    expect(await fired(SCHEDULES.cron, '')).toBe(ONE_NOW);
    expect(await codeOf(() => fired(SCHEDULES.cron, 'misfire: FIRE_NOW'))).toBe('CONFIGURATION'); // only simple triggers have FIRE_NOW
  });
});
