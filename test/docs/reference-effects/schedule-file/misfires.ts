import type { Proof, Proofs } from '../support/proof';
import { codeOf } from '../support/world';
import { applied, shortTime, withTrigger } from './apply';

/** Due every hour on the half since 22:30 of the day before, so that two times were missed when the scheduler starts at midnight. */
const SCHEDULES = {
  cron: "cron: '0 30 * * * ?'",
  simple: 'simple: { interval: 3600s, repeatCount: 5 }',
  calendarInterval: 'calendarInterval: { interval: 1, unit: HOUR }',
  dailyTimeInterval: "dailyTimeInterval: { interval: 1, unit: HOUR, startTimeOfDay: '00:30' }",
} as const;

/** Which times of the first hours fire, as `hh:mm`; those of the day before fire at midnight. */
async function fired(schedule: string, misfire: string, hours = 4): Promise<string> {
  const trigger = `${schedule}, startAt: 2025-12-31T22:30, ${misfire}`;
  const firings = await (await applied(withTrigger(trigger))).advanceTo(Date.UTC(2026, 0, 1, hours));
  return firings.map(({ scheduledFireTime }) => shortTime(scheduledFireTime).slice(-8, -3)).join(' ');
}

const firing =
  (kind: Exclude<keyof typeof SCHEDULES, 'simple'>, instruction: string, times: string): Proof =>
  async () => {
    expect(await fired(SCHEDULES[kind], `misfire: ${instruction}`)).toBe(times);
  };

const LATER = '00:30 01:30 02:30 03:30';
const ONE_NOW = `00:00 ${LATER}`;
const ALL = `22:30 23:30 ${LATER}`;

/** Those that have no number of firings. */
const interval = (kind: 'cron' | 'calendarInterval' | 'dailyTimeInterval', now = ONE_NOW): Proofs => ({
  [`${kind} misfire: SMART_POLICY`]: firing(kind, 'SMART_POLICY', now),
  [`${kind} misfire: IGNORE_MISFIRE_POLICY`]: firing(kind, 'IGNORE_MISFIRE_POLICY', ALL),
  [`${kind} misfire: FIRE_ONCE_NOW`]: firing(kind, 'FIRE_ONCE_NOW', now),
  [`${kind} misfire: DO_NOTHING`]: firing(kind, 'DO_NOTHING', LATER),
});

/** One that ends after six times, looked at for longer than that. */
const simple =
  (instruction: string, times: string): Proof =>
  async () => {
    expect(await fired(SCHEDULES.simple, `misfire: ${instruction}`, 8)).toBe(times);
  };

/** How often such a trigger counts to have fired when it has once. */
async function countedAfterOne(instruction: string): Promise<unknown> {
  const trigger = `${SCHEDULES.simple}, startAt: 2025-12-31T22:30, misfire: ${instruction}`;
  const { scheduler, advanceTo } = await applied(withTrigger(trigger));
  await advanceTo(new Date('2026-01-01T01:00Z'));
  return ((await scheduler.getTrigger('job')) as { readonly timesTriggered?: number } | null)?.timesTriggered;
}

/** What becomes of missed times. */
export const fileMisfireProofs: Proofs = {
  ...interval('cron'),
  ...interval('calendarInterval'),
  ...interval('dailyTimeInterval'),

  'simple misfire: SMART_POLICY': simple('SMART_POLICY', '00:00 01:00 02:00 03:00 04:00 05:00'),
  'simple misfire: IGNORE_MISFIRE_POLICY': simple('IGNORE_MISFIRE_POLICY', ALL),
  async 'simple misfire: FIRE_NOW'() {
    expect(await fired('simple: { repeatCount: 0 }', 'misfire: FIRE_NOW')).toBe('00:00');
    expect(await fired('simple: { repeatCount: 0 }', 'misfire: RESCHEDULE_NEXT_WITH_EXISTING_COUNT')).toBe('');
  },
  'simple misfire: RESCHEDULE_NOW_WITH_EXISTING_REPEAT_COUNT': simple(
    'RESCHEDULE_NOW_WITH_EXISTING_REPEAT_COUNT',
    '00:00 01:00 02:00 03:00 04:00 05:00',
  ),
  'simple misfire: RESCHEDULE_NOW_WITH_REMAINING_REPEAT_COUNT': simple(
    'RESCHEDULE_NOW_WITH_REMAINING_REPEAT_COUNT',
    '00:00 01:00 02:00 03:00 04:00',
  ),
  async 'simple misfire: RESCHEDULE_NEXT_WITH_REMAINING_COUNT'() {
    await simple('RESCHEDULE_NEXT_WITH_REMAINING_COUNT', LATER)();
    expect(await countedAfterOne('RESCHEDULE_NEXT_WITH_REMAINING_COUNT')).toBe(3); // with the two that were missed
  },
  async 'simple misfire: RESCHEDULE_NEXT_WITH_EXISTING_COUNT'() {
    await simple('RESCHEDULE_NEXT_WITH_EXISTING_COUNT', LATER)();
    expect(await countedAfterOne('RESCHEDULE_NEXT_WITH_EXISTING_COUNT')).toBe(1);
  },

  async 'trigger misfire'() {
    expect(await fired(SCHEDULES.cron, 'misfire: skip')).toBe(LATER);
    expect(await fired(SCHEDULES.cron, '')).toBe(ONE_NOW);
    expect(await codeOf(() => fired(SCHEDULES.cron, 'misfire: FIRE_NOW'))).toBe('CONFIGURATION'); // of simple triggers
  },
  'trigger misfire: fire': firing('cron', 'fire', ONE_NOW),
  'trigger misfire: skip': firing('cron', 'skip', LATER),
  'trigger misfire: all': firing('cron', 'all', ALL),
};
