import { describeOnFlavour, type Flavour } from '../../support/database/test-database';
import { IS_LONG } from '../../support/long-forms';
import { type Course, Disturbance, type Place } from './courses';
import { EVENTS, type TrainEvent } from './events';
import { JAVA_EVENTS } from './java-events';
import { type Order, Stage } from './stage';

/** One event at one place of one course. */
interface Encounter {
  readonly course: Course;
  readonly place: Place;
  readonly event: TrainEvent;
  readonly order: Order;
}

interface Extent {
  readonly courses: readonly Course[];
  readonly hasFaults: boolean;
  /** In the short form, one of this many encounters is played. */
  readonly share: number;
}

const ALL: readonly TrainEvent[] = [...EVENTS, ...JAVA_EVENTS];

const FLAVOURS: readonly Flavour[] = ['mariadb', 'mysql'];

/**
 * Plays every event at every place of the courses, on each server. In the short form, an event meets only some of the places, different ones on
 * each server, and each place meets events of all kinds.
 */
export function describeCourses(title: string, extent: Extent): void {
  for (const [index, flavour] of FLAVOURS.entries()) {
    describeOnFlavour(flavour, title, () => {
      let stage: Stage;

      beforeAll(async () => {
        stage = await Stage.open(extent);
      });

      afterAll(() => stage.close());

      it.each(
        encounters(extent, index),
      )('$course.name has the outcome of an acquisition under the lock; at $place: $event.name', async ({
        course,
        place,
        event,
        order,
      }) => {
        await stage.prove(event, order, new Disturbance(course, place, stage));
      });
    });
  }
}

function encounters({ courses, share }: Extent, offset: number): readonly Encounter[] {
  const places = courses.flatMap((course) =>
    Object.entries(course.places).map(([place, order]) => ({ course, place: place as Place, order })),
  );
  return places.flatMap((each, index) => {
    const isInQueue = each.place === 'queue' || each.place === 'behind';
    const possible = ALL.filter(({ isLong }) => !isLong || !isInQueue);
    const played = possible.filter((_, number) => IS_LONG || (index + number + offset) % share === 0);
    return played.map((event): Encounter => ({ ...each, event }));
  });
}
