import { DateTime } from 'luxon';
import type { CronExpression } from '../domain/cron/cron-expression';
import { luxonNameOf } from '../domain/time/zone-name';

/** At most `count` fire times after an instant. */
export function fireTimesAfter(cron: CronExpression, from: number, count: number): readonly number[] {
  const times: number[] = [];
  for (let after = from; times.length < count; ) {
    const next = cron.nextTimeAfter(after);
    if (next === null) break;
    times.push(next);
    after = next;
  }
  return times;
}

/** An instant as the wall clock of a zone shows it. */
export function inZone(time: number, timeZone: string): DateTime {
  return DateTime.fromMillis(time, { zone: luxonNameOf(timeZone), locale: 'en' });
}
