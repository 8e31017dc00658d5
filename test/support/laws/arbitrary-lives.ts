import fc from 'fast-check';
import { aCalendar, aDraft, aPlace, type Place } from './arbitrary-plans';
import { DAY, HOUR, MINUTE, SECOND } from './local-time';
import type { WatchedTrigger } from './watched-trigger';

interface Step {
  /** Shown in a counterexample. */
  readonly [fc.toStringMethod]: () => string;
  readonly run: (watched: WatchedTrigger) => Promise<void>;
}

const stepOf = (text: string, run: Step['run']): Step => ({ [fc.toStringMethod]: () => text, run });

const short = fc.constantFrom(30 * SECOND, 59 * SECOND, MINUTE, 61 * SECOND, 5 * MINUTE);
const hours = fc.integer({ min: 1, max: 60 }).map((halves) => halves * 30 * MINUTE + 13 * SECOND);

const stepAt = (place: Place): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(aDraft(place), fc.constantFrom('schedule' as const, 'reschedule' as const, 'rename' as const))
        .map(([draft, how]) =>
          stepOf(`${how} ${JSON.stringify(draft(place.change))}`, (watched) => watched.change(draft, how)),
        ),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(aCalendar(place), fc.boolean())
        .map(([calendar, updates]) =>
          stepOf(`calendar ${JSON.stringify(calendar)} ${updates}`, (watched) =>
            watched.replaceCalendar(calendar, updates),
          ),
        ),
    },
    { weight: 4, arbitrary: hours.map((time) => stepOf(`run ${time / MINUTE}`, (watched) => watched.run(time))) },
    {
      weight: 3,
      arbitrary: fc
        .oneof(short, hours)
        .map((time) => stepOf(`sleep ${time / MINUTE}`, (watched) => watched.sleep(time))),
    },
    { weight: 1, arbitrary: fc.constant(stepOf('pause', (watched) => watched.pause())) },
    { weight: 1, arbitrary: fc.constant(stepOf('resume', (watched) => watched.resume())) },
  );

export const aLife = aPlace.chain((place) =>
  fc.record({
    place: fc.constant(place),
    before: fc.integer({ min: -30, max: 30 }).map((hoursAway) => hoursAway * HOUR + DAY + 5 * SECOND),
    calendar: aCalendar(place),
    first: aDraft(place).map((draft) =>
      stepOf(`schedule ${JSON.stringify(draft(place.change))}`, (watched) => watched.change(draft, 'schedule')),
    ),
    steps: fc.array(stepAt(place), { minLength: 3, maxLength: 10, size: 'max' }),
  }),
);
