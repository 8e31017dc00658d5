import type { Clock, EpochMs } from '../base/clock';
import type { Service } from '../base/service';
import type { ExplainedPause } from '../domain/pause';
import type { EventBus } from '../events/event-bus';
import type { ScheduleStore } from '../store/job-store';
import { DueItemWatch } from './due-item-watch';
import type { EventInput } from './schedule-events';

export interface PauseEndParts {
  readonly store: Pick<ScheduleStore, 'endPauses'>;
  readonly clock: Clock;
  readonly bus: Pick<EventBus, 'publish'>;
  readonly announce: (event: EventInput) => void;
  /** Time after which a late trigger counts as misfired, in milliseconds. */
  readonly misfireThreshold: number;
}

/** Ends pauses at their end times. All nodes poll, but each pause is ended by only one node. */
export class PauseEnds {
  readonly #parts: PauseEndParts;
  readonly #watch: DueItemWatch;

  constructor(parts: PauseEndParts) {
    const { clock, bus } = parts;
    this.#parts = parts;
    const during = 'resuming pauses that have ended';
    this.#watch = new DueItemWatch({ clock, bus, name: 'pause ends', during, poll: () => this.#endThoseOver() });
  }

  get service(): Service {
    return this.#watch.service;
  }

  /** Earliest end time of the pauses known to this node; null if this node knows none. */
  get nextEnd(): EpochMs | null {
    return this.#watch.next;
  }

  /** Schedules a poll at `until`, the end time of a new pause. */
  expect(until: EpochMs): void {
    this.#watch.expect(until);
  }

  runOnce(): Promise<void> {
    return this.#watch.runOnce();
  }

  async #endThoseOver(): Promise<EpochMs | null> {
    const { store, clock, announce, misfireThreshold } = this.#parts;
    const { ended, nextEnd } = await store.endPauses({ now: clock.now(), misfireThreshold });
    for (const pause of ended) announce(eventOf(pause));
    return nextEnd;
  }
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
