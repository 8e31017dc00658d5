import { proves } from '../../../support/proves';
import { applied, timesOf } from './apply';

/** Fire times of a daily trigger at noon with a calendar of the file. */
const noons = (calendar: string, until: string) =>
  timesOf("cron: '0 0 12 * * ?', calendar: c", until, `calendars: { c: { ${calendar} } }`);

/** Hours of January 1 at which an hourly trigger with a calendar of the file fires. */
async function hours(calendar: string): Promise<readonly number[]> {
  const rest = `calendars: { c: { ${calendar} } }`;
  const times = await timesOf("cron: '0 0 * * * ?', calendar: c, startAt: 2026-01-01", '2026-01-01T23:30:00Z', rest);
  return times.map((time) => Number(time.slice(6, 8)));
}

const FOUR_DAYS = '2026-01-04T23:00:00Z'; // Thursday to Sunday
const days = async (calendar: string, until = FOUR_DAYS) =>
  (await noons(calendar, until)).map((time) => time.slice(0, 5));

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('calendar fields of a schedule file', () => {
  it('`type` sets the kind of the calendar', async () => {
    proves('schedule-file', 'calendar type');
    expect(await days('type: base')).toEqual(['01-01', '01-02', '01-03', '01-04']);
    expect(await days('type: weekly')).toEqual(['01-01', '01-02']);
  });

  it('`description` is stored with the calendar', async () => {
    proves('schedule-file', 'calendar description');
    const { scheduler } = await applied('calendars: { c: { type: base, description: of the office } }');
    expect((await scheduler.getCalendar('c'))?.toJSON()).toMatchObject({ description: 'of the office' });
  });

  it('`timeZone` sets the time zone of excluded days', async () => {
    proves('schedule-file', 'calendar timeZone');
    const inZone = (zone: string) => hours(`type: holiday, excludedDates: [2026-01-01], timeZone: ${zone}`);
    expect(await inZone('UTC')).toEqual([]);
    expect(await inZone('Asia/Tokyo')).toEqual(range(15, 23)); // January 2 in Tokyo
  });

  it('`base` adds an inline or named base calendar', async () => {
    proves('schedule-file', 'calendar base');
    expect(await days('type: weekly, base: { type: annual, excludedDays: [01-01] }')).toEqual(['01-02']);
    const rest = 'calendars: { newYear: { type: annual, excludedDays: [01-01] }, c: { type: weekly, base: newYear } }';
    expect(await timesOf("cron: '0 0 12 * * ?', calendar: c", FOUR_DAYS, rest)).toEqual(['01-02 12:00:00']);
  });

  it('an annual calendar excludes a day of each year', async () => {
    proves('schedule-file', 'calendar type: annual');
    expect(await days('type: annual, excludedDays: [01-02]')).toEqual(['01-01', '01-03', '01-04']);
  });
  it('`excludedDays` of an annual calendar accepts days in two forms', async () => {
    proves('schedule-file', 'calendar annual excludedDays');
    expect(await days('type: annual, excludedDays: [01-03, [1, 4]]')).toEqual(['01-01', '01-02']);
  });

  it('a monthly calendar excludes a day of each month', async () => {
    proves('schedule-file', 'calendar type: monthly');
    expect(await days('type: monthly, excludedDays: [1]')).toEqual(['01-02', '01-03', '01-04']);
  });
  it('`excludedDays` of a monthly calendar accepts several days', async () => {
    proves('schedule-file', 'calendar monthly excludedDays');
    expect(await days('type: monthly, excludedDays: [2, 4]')).toEqual(['01-01', '01-03']);
  });

  it('a weekly calendar excludes Saturday and Sunday by default', async () => {
    proves('schedule-file', 'calendar type: weekly');
    expect(await days('type: weekly')).toEqual(['01-01', '01-02']);
  });
  it('`excludedDays` of a weekly calendar accepts names and numbers', async () => {
    proves('schedule-file', 'calendar weekly excludedDays');
    expect(await days('type: weekly, excludedDays: [THU, 6]')).toEqual(['01-03', '01-04']);
  });

  it('a holiday calendar excludes a date', async () => {
    proves('schedule-file', 'calendar type: holiday');
    expect(await days('type: holiday, excludedDates: [2026-01-02]')).toEqual(['01-01', '01-03', '01-04']);
  });
  it('`excludedDates` of a holiday calendar accepts several dates', async () => {
    proves('schedule-file', 'calendar holiday excludedDates');
    expect(await days('type: holiday, excludedDates: [2026-01-01, 2026-01-04, 2027-01-02]')).toEqual([
      '01-02',
      '01-03',
    ]);
  });

  it('a daily calendar excludes the hours of its range', async () => {
    proves('schedule-file', 'calendar type: daily');
    expect(await hours("type: daily, from: '08:00', to: '17:59:59:999'")).toEqual([...range(0, 7), ...range(18, 23)]);
  });
  it('`from` is the first excluded time of a daily calendar', async () => {
    proves('schedule-file', 'calendar daily from');
    expect(await hours("type: daily, from: '22:00', to: '23:59:59'")).toEqual(range(0, 21));
  });
  it('`to` is the last excluded time of a daily calendar', async () => {
    proves('schedule-file', 'calendar daily to');
    expect(await hours("type: daily, from: '00:00', to: '03:00'")).toEqual(range(4, 23)); // `to` is included
  });
  it('`invert` makes a daily calendar include only its range', async () => {
    proves('schedule-file', 'calendar daily invert');
    expect(await hours("type: daily, from: '08:00', to: '17:30', invert: true")).toEqual(range(8, 17));
  });

  it('a cron calendar excludes the times of its expression', async () => {
    proves('schedule-file', 'calendar type: cron');
    expect(await hours("type: cron, cronExpression: '* * 0-11 * * ?'")).toEqual(range(12, 23));
  });
  it('`cronExpression` can exclude a range of hours', async () => {
    proves('schedule-file', 'calendar cron cronExpression');
    expect(await hours("type: cron, cronExpression: '* * 6-23 * * ?'")).toEqual(range(0, 5));
  });

  it('a base calendar excludes nothing', async () => {
    proves('schedule-file', 'calendar type: base');
    expect(await hours('type: base')).toEqual(range(0, 23));
  });
});
