import { DateTime } from 'luxon';
import { CronExpression } from '../../src/domain/cron/cron-expression';
import type { Trigger } from '../../src/domain/trigger';
import { fireTimeAfter } from '../../src/domain/trigger-behaviour';
import { clockChanges, HOUR, localAt, MINUTE, offsetAt } from '../support/laws/local-time';
import { IS_LONG } from '../support/long-forms';
import { calendarIntervalTrigger, dailyTimeIntervalTrigger } from '../support/sample-triggers';

/** Zones whose clocks change by an hour, by half an hour, at midnight, in the west and in the south. */
const SAMPLE = [
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Africa/Cairo',
  'Asia/Beirut',
];

const ZONES = IS_LONG ? Intl.supportedValuesOf('timeZone') : SAMPLE;

interface Repeated {
  readonly zone: string;
  /** Time at which the clock is set back. */
  readonly time: number;
  readonly length: number;
}

const REPEATED: readonly Repeated[] = ZONES.flatMap((zone) =>
  clockChanges(zone)
    .map((time) => ({ zone, time, length: offsetAt(zone, time - 1) - offsetAt(zone, time) }))
    .filter(({ length }) => length > 0),
);

type Search = (after: number) => number | null;

/** Searches of schedules that fire once, often or every year within the repeated hour. */
function searchesOf({ zone, time, length }: Repeated): readonly (readonly [string, Search])[] {
  const at = DateTime.fromMillis(localAt(zone, time) + Math.floor(length / 2), { zone: 'UTC' });
  const { minute, hour, day, month, year } = at;
  const crons = [
    `0 ${minute} ${hour} * * ?`,
    `0 ${minute} ${hour} ${day} ${month} ?`,
    `0 ${minute} ${hour} ${day} ${month} ? ${year}`,
    '0 0/10 * * * ?',
    `0 5,25,45 ${hour},12 * * ?`,
  ];
  const ofCrons = crons.flatMap((cron) =>
    (['quartz', 'natural'] as const).map((changes) => {
      const expression = new CronExpression(cron, { timeZone: zone, clockChanges: changes });
      return [`${cron} ${changes}`, (after: number) => expression.nextTimeAfter(after)] as const;
    }),
  );
  const startTime = time - 100 * HOUR;
  const opens = { hour, minute, second: 0 };
  const triggers: readonly Trigger[] = [
    calendarIntervalTrigger({ timeZone: zone, startTime, preserveHourOfDayAcrossDaylightSavings: true }),
    dailyTimeIntervalTrigger({
      timeZone: zone,
      startTime,
      startTimeOfDay: opens,
      endTimeOfDay: { hour: 23, minute: 59, second: 59 },
    }),
  ];
  const ofTriggers = triggers.map(
    (trigger) => [trigger.kind, (after: number) => fireTimeAfter(trigger, after)] as const,
  );
  return [...ofCrons, ...ofTriggers];
}

/** Starts of searches with another answer than a search that began five minutes earlier and found nothing in between. */
function differing(search: Search, { time, length }: Repeated): readonly string[] {
  const found: string[] = [];
  let answer = search(time - length - HOUR);
  for (let from = time - length - HOUR; from <= time + length + HOUR; from += 5 * MINUTE) {
    const next = search(from);
    if (answer !== null && answer <= from) answer = next;
    if (next !== answer || (next !== null && next <= from)) found.push(`${new Date(from).toISOString()}: ${next}`);
  }
  return found;
}

it('the sample of zones with repeated hours is complete', () => {
  expect(REPEATED.length).toBeGreaterThanOrEqual(SAMPLE.length);
});

it.each(REPEATED)('searches from any time in a repeated hour find the same next fire time: $zone', (repeated) => {
  for (const [name, search] of searchesOf(repeated)) expect([name, differing(search, repeated)]).toEqual([name, []]);
});
