import type { Clock } from '../base/clock';
import type { ExplainedPause } from '../domain/pause';
import type { EventBus } from '../events/event-bus';
import type { ScheduleStore } from '../store/job-store';
import { DueItemWatch } from './due-item-watch';
import type { EventInput } from './schedule-events';

interface PauseEndParts {
  readonly store: Pick<ScheduleStore, 'endPauses'>;
  readonly clock: Clock;
  readonly bus: Pick<EventBus, 'publish'>;
  readonly announce: (event: EventInput) => void;
  /** Time after which a late trigger counts as misfired, in milliseconds. */
  readonly misfireThreshold: number;
}

/** Creates the watch that ends pauses at their end times. All nodes poll, but each pause is ended by only one node. */
export function pauseEndWatch({ store, clock, bus, announce, misfireThreshold }: PauseEndParts): DueItemWatch {
  return new DueItemWatch({
    clock,
    bus,
    name: 'pause ends',
    during: 'resuming pauses that have ended',
    async poll() {
      const { ended, nextEnd } = await store.endPauses({ now: clock.now(), misfireThreshold });
      for (const pause of ended) announce(eventOf(pause));
      return nextEnd;
    },
  });
}

function eventOf({ target }: ExplainedPause): EventInput {
  switch (target.kind) {
    case 'trigger':
      return { type: 'triggerResumed', triggerKey: target.key };
    case 'job':
      return { type: 'jobResumed', jobKey: target.key };
    case 'triggers':
      return { type: 'triggersResumed', matcher: target.matcher };
    case 'jobs':
      return { type: 'jobsResumed', matcher: target.matcher };
  }
}
