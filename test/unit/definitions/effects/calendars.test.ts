import { proves } from '../../../support/proves';
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

describe('schedule file: calendars', () => {
  it('calendar type', async () => {
    proves('schedule-file', 'calendar type');
    expect(await days('type: base')).toEqual(['01-01', '01-02', '01-03', '01-04']);
    expect(await days('type: weekly')).toEqual(['01-01', '01-02']);
  });

  it('calendar description', async () => {
    proves('schedule-file', 'calendar description');
    const { scheduler } = await applied('calendars: { c: { type: base, description: of the office } }');
    expect((await scheduler.getCalendar('c'))?.toJSON()).toMatchObject({ description: 'of the office' });
  });

  it('calendar timeZone', async () => {
    proves('schedule-file', 'calendar timeZone');
    const inZone = (zone: string) => hours(`type: holiday, excludedDates: [2026-01-01], timeZone: ${zone}`);
    expect(await inZone('UTC')).toEqual([]);
    expect(await inZone('Asia/Tokyo')).toEqual(range(15, 23)); // it is the second there
  });

  it('calendar base', async () => {
    proves('schedule-file', 'calendar base');
    expect(await days('type: weekly, base: { type: annual, excludedDays: [01-01] }')).toEqual(['01-02']);
    const rest = 'calendars: { newYear: { type: annual, excludedDays: [01-01] }, c: { type: weekly, base: newYear } }';
    expect(await timesOf("cron: '0 0 12 * * ?', calendar: c", FOUR_DAYS, rest)).toEqual(['01-02 12:00:00']);
  });

  it('calendar type: annual', async () => {
    proves('schedule-file', 'calendar type: annual');
    expect(await days('type: annual, excludedDays: [01-02]')).toEqual(['01-01', '01-03', '01-04']);
  });
  it('calendar annual excludedDays', async () => {
    proves('schedule-file', 'calendar annual excludedDays');
    expect(await days('type: annual, excludedDays: [01-03, [1, 4]]')).toEqual(['01-01', '01-02']);
  });

  it('calendar type: monthly', async () => {
    proves('schedule-file', 'calendar type: monthly');
    expect(await days('type: monthly, excludedDays: [1]')).toEqual(['01-02', '01-03', '01-04']);
  });
  it('calendar monthly excludedDays', async () => {
    proves('schedule-file', 'calendar monthly excludedDays');
    expect(await days('type: monthly, excludedDays: [2, 4]')).toEqual(['01-01', '01-03']);
  });

  it('calendar type: weekly', async () => {
    proves('schedule-file', 'calendar type: weekly');
    expect(await days('type: weekly')).toEqual(['01-01', '01-02']);
  });
  it('calendar weekly excludedDays', async () => {
    proves('schedule-file', 'calendar weekly excludedDays');
    expect(await days('type: weekly, excludedDays: [THU, 6]')).toEqual(['01-03', '01-04']);
  });

  it('calendar type: holiday', async () => {
    proves('schedule-file', 'calendar type: holiday');
    expect(await days('type: holiday, excludedDates: [2026-01-02]')).toEqual(['01-01', '01-03', '01-04']);
  });
  it('calendar holiday excludedDates', async () => {
    proves('schedule-file', 'calendar holiday excludedDates');
    expect(await days('type: holiday, excludedDates: [2026-01-01, 2026-01-04, 2027-01-02]')).toEqual([
      '01-02',
      '01-03',
    ]);
  });

  it('calendar type: daily', async () => {
    proves('schedule-file', 'calendar type: daily');
    expect(await hours("type: daily, from: '08:00', to: '17:59:59:999'")).toEqual([...range(0, 7), ...range(18, 23)]);
  });
  it('calendar daily from', async () => {
    proves('schedule-file', 'calendar daily from');
    expect(await hours("type: daily, from: '22:00', to: '23:59:59'")).toEqual(range(0, 21));
  });
  it('calendar daily to', async () => {
    proves('schedule-file', 'calendar daily to');
    expect(await hours("type: daily, from: '00:00', to: '03:00'")).toEqual(range(4, 23)); // both included
  });
  it('calendar daily invert', async () => {
    proves('schedule-file', 'calendar daily invert');
    expect(await hours("type: daily, from: '08:00', to: '17:30', invert: true")).toEqual(range(8, 17));
  });

  it('calendar type: cron', async () => {
    proves('schedule-file', 'calendar type: cron');
    expect(await hours("type: cron, cronExpression: '* * 0-11 * * ?'")).toEqual(range(12, 23));
  });
  it('calendar cron cronExpression', async () => {
    proves('schedule-file', 'calendar cron cronExpression');
    expect(await hours("type: cron, cronExpression: '* * 6-23 * * ?'")).toEqual(range(0, 5));
  });

  it('calendar type: base', async () => {
    proves('schedule-file', 'calendar type: base');
    expect(await hours('type: base')).toEqual(range(0, 23));
  });
});
