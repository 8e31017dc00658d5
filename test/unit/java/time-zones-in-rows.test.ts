import type { CronTrigger, Trigger } from '../../../src/domain/trigger';
import { sameSchedule } from '../../../src/domain/trigger-behaviour';
import { kindRowOf, readKind } from '../../../src/store/sql/rows/trigger-kinds';

const BERLIN = 'Europe/Berlin';
const cronIn = (zone: string | null) =>
  readKind({ TRIGGER_TYPE: 'CRON', KIND_ROW: ['0 0 12 * * ?', zone] }, BERLIN) as CronTrigger;
const intervalIn = (zone: string | null) =>
  readKind({ TRIGGER_TYPE: 'CAL_INT', KIND_ROW: ['DAY', zone, null, 1, 0, 0, '0', '0'] }, BERLIN) as Trigger & {
    readonly timeZone: string;
  };

describe('the time zone of a row', () => {
  it.each([
    ['GMT+08:00', 'GMT+08:00'],
    ['+08:00', 'GMT+08:00'],
    ['asia/shanghai', 'Asia/Shanghai'],
    ['US/Pacific', 'US/Pacific'],
    [null, BERLIN],
  ])('%p is read as %p for every kind of trigger', (written, expected) => {
    expect(cronIn(written).timeZone).toBe(expected);
    expect(intervalIn(written).timeZone).toBe(expected);
  });

  it('is the zone of the scheduler for an interval without a zone', () => {
    expect(intervalIn('').timeZone).toBe(BERLIN);
  });

  it('in lower case does not count as a changed schedule', () => {
    expect(sameSchedule(cronIn('asia/shanghai') as Trigger, cronIn('Asia/Shanghai') as Trigger)).toBe(true);
    expect(sameSchedule(cronIn('asia/shanghai') as Trigger, cronIn('Asia/Tokyo') as Trigger)).toBe(false);
  });

  it('is kept if it is unknown, so that the rest of the row can be read', () => {
    expect(cronIn('Mars/Phobos').timeZone).toBe('Mars/Phobos');
  });

  it('is written with the name that the trigger has', () => {
    const trigger = { ...cronIn('gmt+8'), key: { group: 'g', name: 'n' } } as Trigger;
    expect(kindRowOf(trigger).row).toEqual(['n', 'g', '0 0 12 * * ?', 'GMT+08:00']);
  });
});
