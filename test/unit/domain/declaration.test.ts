import { declarationOf, planDeclaration } from '../../../src/domain/declaration';
import type { Trigger } from '../../../src/domain/trigger';
import { everyMinute, everyNoon, once } from '../../conformance/samples';

const declared = (trigger: Trigger, more: object = {}) => ({
  type: 'storeTrigger' as const,
  trigger,
  ifExists: 'replace' as const,
  startTimeDefaulted: false,
  declared: { set: null },
  ...more,
});
const remembered = (change: ReturnType<typeof declared>) =>
  declarationOf(change, null, { isUnchanged: false, by: null, at: 1 });
const definitionOf = (change: ReturnType<typeof declared>) => remembered(change).definition;

describe('the stored definition of a declared trigger', () => {
  /** Stored in rows: a changed format would make every ended one-shot trigger fire again. */
  it('has the same format as in every earlier version', () => {
    expect(definitionOf(declared(once()))).toBe('["SIMPLE",1767268800000,null,null,null,0,0]');
    expect(definitionOf(declared(everyNoon('t', { cronExpression: '0 0 12 1 1 ? 2026', calendarName: 'c' })))).toBe(
      '["CRON",1767268800000,null,"c","UTC","0 0 12 1 1 ? 2026"]',
    );
    const common = { ...everyNoon(), endTime: 1_800_000_000_000, repeatInterval: 2, timesTriggered: 0 } as const;
    const calendarInterval: Trigger = {
      ...common,
      kind: 'CAL_INT',
      repeatIntervalUnit: 'DAY',
      preserveHourOfDayAcrossDaylightSavings: true,
      skipDayIfHourDoesNotExist: false,
    };
    expect(definitionOf(declared(calendarInterval))).toBe(
      '["CAL_INT",1767268800000,1800000000000,null,"UTC",2,"DAY",true,false]',
    );
    const daily: Trigger = {
      ...common,
      kind: 'DAILY_I',
      repeatIntervalUnit: 'HOUR',
      startTimeOfDay: { hour: 8, minute: 30, second: 0 },
      endTimeOfDay: null,
      daysOfWeek: [2, 3],
      repeatCount: -1,
    };
    expect(definitionOf(declared(daily))).toBe(
      '["DAILY_I",1767268800000,1800000000000,null,"UTC",2,"HOUR","8:30:0",null,"2,3",-1]',
    );
  });

  it('omits a start time and time zone that were set by default, because these differ between nodes', () => {
    const change = declared(everyNoon('t', { cronExpression: '0 0 12 1 1 ? 2026' }), {
      startTimeDefaulted: true,
      timeZoneDefaulted: true,
    });
    expect(definitionOf(change)).toBe('["CRON",null,null,null,null,"0 0 12 1 1 ? 2026"]');
  });

  it.each<[string, Trigger]>([
    ['an interval', everyMinute()],
    ['a cron expression', everyNoon()],
    ['a cron expression of every year', everyNoon('t', { cronExpression: '0 0 12 * * ? *' })],
  ])('is null for %s that never ends', (_, trigger) => {
    expect(definitionOf(declared(trigger))).toBeNull();
  });

  it('is replaced by the name of the set if the trigger belongs to one', () => {
    expect(remembered(declared(everyMinute(), { declared: { set: 'app' } }))).toMatchObject({
      set: 'app',
      definition: null,
    });
  });
});

describe('a declaration', () => {
  const before = remembered(declared(once()));
  const stored = (trigger: Trigger, state: 'WAITING' | 'COMPLETE' | 'ERROR' = 'WAITING') => ({ trigger, state });

  it.each([
    ['stores a trigger that was never declared', null, null, 'store'],
    ['skips a trigger that has ended and was deleted', before, null, 'finished'],
    ['skips a trigger that has ended', before, stored(once(), 'COMPLETE'), 'finished'],
    ['stores a waiting trigger', before, stored(once()), 'store'],
    ['stores a trigger in ERROR', before, stored(once(), 'ERROR'), 'store'],
    ['keeps a trigger that was rescheduled', before, stored(once('trigger', { startTime: 5 })), 'kept'],
    [
      'stores a trigger whose declared definition has changed',
      remembered(declared(once('trigger', { startTime: 5 }))),
      null,
      'store',
    ],
  ] as const)('%s', (_, declaration, registration, plan) => {
    expect(planDeclaration(declared(once()), declaration, registration)).toBe(plan);
  });
});
