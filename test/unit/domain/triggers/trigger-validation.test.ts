import type { Trigger } from '../../../../src/domain/trigger';
import { validateTrigger } from '../../../../src/domain/trigger-behaviour';
import {
  calendarIntervalTrigger,
  cronTrigger,
  dailyTimeIntervalTrigger,
  START,
  simpleTrigger,
} from '../../../support/sample-triggers';

const at = (hour: number, minute = 0, second = 0) => ({ hour, minute, second });

/** A value of the wrong type, as a file or untyped code may pass it. */
const wrong = (value: unknown) => value as never;

const refused: readonly (readonly [string, Trigger, RegExp])[] = [
  ['an empty name', simpleTrigger({ key: { group: 'g', name: '' } }), /key of trigger.*non-empty/],
  ['no job', simpleTrigger({ jobKey: wrong(null) }), /jobKey of trigger 'DEFAULT\/trigger'/],
  ['a fractional priority', simpleTrigger({ priority: 1.5 }), /priority.*whole number.*found 1.5/],
  ['an invalid start time', simpleTrigger({ startTime: Number.NaN }), /startTime.*found NaN/],
  ['a start before 1900', simpleTrigger({ startTime: -8.64e15 }), /startTime.*1900 or later/],
  ['an end before the start', simpleTrigger({ endTime: START - 1 }), /endTime.*at or after.*2026-03-02T09:00:00.000Z/],
  [
    'an unknown misfire instruction',
    simpleTrigger({ misfireInstruction: wrong('DO_NOTHING') }),
    /one of IGNORE_.*FIRE_NOW/,
  ],
  [
    'a misfire instruction of another trigger kind',
    cronTrigger({ misfireInstruction: wrong('FIRE_NOW') }),
    /FIRE_ONCE_NOW/,
  ],
  ['a repeat without an interval', simpleTrigger({ repeatInterval: 0 }), /at least 1 ms.*found 0/],
  ['a negative interval', simpleTrigger({ repeatInterval: -5 }), /repeatInterval.*found -5/],
  ['a repeat count below -1', simpleTrigger({ repeatCount: -2 }), /repeatCount.*from -1/],
  ['a repeat count as a string', simpleTrigger({ repeatCount: wrong('3') }), /repeatCount.*found '3'/],
  ['a calendar interval of 0', calendarIntervalTrigger({ repeatInterval: 0 }), /repeatInterval.*from 1/],
  [
    'an unknown unit',
    calendarIntervalTrigger({ repeatIntervalUnit: wrong('FORTNIGHT') }),
    /SECOND, MINUTE.*'FORTNIGHT'/,
  ],
  ['a method name as unit', dailyTimeIntervalTrigger({ repeatIntervalUnit: wrong('toString') }), /MINUTE or HOUR/],
  [
    'DAY as the unit of a daily time interval',
    dailyTimeIntervalTrigger({ repeatIntervalUnit: wrong('DAY') }),
    /MINUTE or HOUR/,
  ],
  ['an interval longer than a day', dailyTimeIntervalTrigger({ repeatInterval: 25 }), /from 1 to 24, found 25/],
  ['an hour of 24', dailyTimeIntervalTrigger({ startTimeOfDay: at(24) }), /startTimeOfDay.hour.*from 0 to 23/],
  ['a missing time of day', dailyTimeIntervalTrigger({ startTimeOfDay: wrong(undefined) }), /startTimeOfDay.hour/],
  [
    'a day that ends before it starts',
    dailyTimeIntervalTrigger({ endTimeOfDay: at(7, 59) }),
    /after startTimeOfDay 08:00:00.*'07:59:00'/,
  ],
  ['no day of the week', dailyTimeIntervalTrigger({ daysOfWeek: [] }), /daysOfWeek/],
  ['the day of the week 0', dailyTimeIntervalTrigger({ daysOfWeek: [0, 1] }), /1 \(Sunday\) to 7/],
  ['a day of the week twice', dailyTimeIntervalTrigger({ daysOfWeek: [2, 2] }), /ascending/],
];

describe('validateTrigger', () => {
  it.each(refused)('refuses %s', (_, trigger, message) => {
    expect(() => validateTrigger(trigger)).toThrow(expect.objectContaining({ code: 'INVALID_TRIGGER' }));
    expect(() => validateTrigger(trigger)).toThrow(message);
  });

  it.each([
    ['cron', cronTrigger({ timeZone: 'Mars/Olympus' })],
    ['calendar-interval', calendarIntervalTrigger({ timeZone: 'Mars/Olympus' })],
    ['daily-time-interval', dailyTimeIntervalTrigger({ timeZone: 'Mars/Olympus' })],
  ])('refuses an unknown time zone in a %s trigger', (_, trigger) => {
    expect(() => validateTrigger(trigger)).toThrow(expect.objectContaining({ code: 'UNKNOWN_TIME_ZONE' }));
  });

  it('refuses a cron expression that Quartz also refuses', () => {
    expect(() => validateTrigger(cronTrigger({ cronExpression: 'every day' }))).toThrow(
      expect.objectContaining({ code: 'CRON_SYNTAX' }),
    );
  });

  it('accepts a stored lenient cron expression', () => {
    expect(() => validateTrigger(cronTrigger({ cronExpression: '0 0 12 ? * MON/2' }))).not.toThrow();
  });

  it.each([
    ['a simple trigger', simpleTrigger()],
    ['a simple trigger that fires once', simpleTrigger({ repeatCount: 0, repeatInterval: 0 })],
    ['a trigger that ends at its start time', simpleTrigger({ endTime: START })],
    ['a cron trigger', cronTrigger()],
    ['a calendar-interval trigger', calendarIntervalTrigger()],
    ['a daily-time-interval trigger', dailyTimeIntervalTrigger()],
    ['a daily interval that starts and ends at the same time', dailyTimeIntervalTrigger({ endTimeOfDay: at(8) })],
    ['a daily interval without an end time of day', dailyTimeIntervalTrigger({ endTimeOfDay: null })],
  ])('accepts %s', (_, trigger) => {
    expect(() => validateTrigger(trigger)).not.toThrow();
  });
});
