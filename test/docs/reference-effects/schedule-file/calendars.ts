import type { Proofs } from '../support/proof';
import { applied, timesOf } from './apply';

/** When a trigger of every day at noon fires under a calendar of the file. */
const noons = (calendar: string, until: string) =>
  timesOf("cron: '0 0 12 * * ?', calendar: c", until, `calendars: { c: { ${calendar} } }`);

/** The hours of the first of January at which an hourly trigger fires under a calendar of the file. */
async function hours(calendar: string): Promise<readonly number[]> {
  const rest = `calendars: { c: { ${calendar} } }`;
  const times = await timesOf("cron: '0 0 * * * ?', calendar: c, startAt: 2026-01-01", '2026-01-01T23:30:00Z', rest);
  return times.map((time) => Number(time.slice(6, 8)));
}

const FOUR_DAYS = '2026-01-04T23:00:00Z'; // Thursday to Sunday
const days = async (calendar: string, until = FOUR_DAYS) =>
  (await noons(calendar, until)).map((time) => time.slice(0, 5));

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Calendars of a schedule file: what each kind excludes. */
export const fileCalendarProofs: Proofs = {
  async 'calendar type'() {
    expect(await days('type: base')).toEqual(['01-01', '01-02', '01-03', '01-04']);
    expect(await days('type: weekly')).toEqual(['01-01', '01-02']);
  },

  async 'calendar description'() {
    const { scheduler } = await applied('calendars: { c: { type: base, description: of the office } }');
    expect((await scheduler.getCalendar('c'))?.toJSON()).toMatchObject({ description: 'of the office' });
  },

  async 'calendar timeZone'() {
    const inZone = (zone: string) => hours(`type: holiday, excludedDates: [2026-01-01], timeZone: ${zone}`);
    expect(await inZone('UTC')).toEqual([]);
    expect(await inZone('Asia/Tokyo')).toEqual(range(15, 23)); // it is the second there
  },

  async 'calendar base'() {
    expect(await days('type: weekly, base: { type: annual, excludedDays: [01-01] }')).toEqual(['01-02']);
    const rest = 'calendars: { newYear: { type: annual, excludedDays: [01-01] }, c: { type: weekly, base: newYear } }';
    expect(await timesOf("cron: '0 0 12 * * ?', calendar: c", FOUR_DAYS, rest)).toEqual(['01-02 12:00:00']);
  },

  async 'calendar type: annual'() {
    expect(await days('type: annual, excludedDays: [01-02]')).toEqual(['01-01', '01-03', '01-04']);
  },
  async 'calendar annual excludedDays'() {
    expect(await days('type: annual, excludedDays: [01-03, [1, 4]]')).toEqual(['01-01', '01-02']);
  },

  async 'calendar type: monthly'() {
    expect(await days('type: monthly, excludedDays: [1]')).toEqual(['01-02', '01-03', '01-04']);
  },
  async 'calendar monthly excludedDays'() {
    expect(await days('type: monthly, excludedDays: [2, 4]')).toEqual(['01-01', '01-03']);
  },

  async 'calendar type: weekly'() {
    expect(await days('type: weekly')).toEqual(['01-01', '01-02']);
  },
  async 'calendar weekly excludedDays'() {
    expect(await days('type: weekly, excludedDays: [THU, 6]')).toEqual(['01-03', '01-04']);
  },

  async 'calendar type: holiday'() {
    expect(await days('type: holiday, excludedDates: [2026-01-02]')).toEqual(['01-01', '01-03', '01-04']);
  },
  async 'calendar holiday excludedDates'() {
    expect(await days('type: holiday, excludedDates: [2026-01-01, 2026-01-04, 2027-01-02]')).toEqual([
      '01-02',
      '01-03',
    ]);
  },

  async 'calendar type: daily'() {
    // Midnight itself is excluded, too.
    expect(await hours("type: daily, from: '08:00', to: '17:59:59:999'")).toEqual([...range(1, 7), ...range(18, 23)]);
  },
  async 'calendar daily from'() {
    expect(await hours("type: daily, from: '22:00', to: '23:59:59'")).toEqual(range(1, 21));
  },
  async 'calendar daily to'() {
    expect(await hours("type: daily, from: '00:00', to: '03:00'")).toEqual(range(4, 23)); // both included
  },
  async 'calendar daily invert'() {
    expect(await hours("type: daily, from: '08:00', to: '17:30', invert: true")).toEqual(range(8, 17));
  },

  async 'calendar type: cron'() {
    expect(await hours("type: cron, cronExpression: '* * 0-11 * * ?'")).toEqual(range(12, 23));
  },
  async 'calendar cron cronExpression'() {
    expect(await hours("type: cron, cronExpression: '* * 6-23 * * ?'")).toEqual(range(0, 5));
  },

  async 'calendar type: base'() {
    expect(await hours('type: base')).toEqual(range(0, 23));
  },
};
