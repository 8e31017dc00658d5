import type { Clock, EpochMs } from '../base/clock';
import { LoopService, type Service } from '../base/service';
import { WakeSignal } from '../base/wake-signal';
import type { ExplainedPause } from '../domain/pause';
import { ErrorThrottle } from '../events/error-throttle';
import type { EventBus } from '../events/event-bus';
import type { ScheduleStore } from '../store/job-store';
import type { EventInput } from './schedule-events';

export interface PauseEndParts {
  readonly store: Pick<ScheduleStore, 'endPauses'>;
  readonly clock: Clock;
  readonly bus: Pick<EventBus, 'publish'>;
  readonly announce: (event: EventInput) => void;
  /** Milliseconds. */
  readonly misfireThreshold: number;
}

/** Between two looks at pauses that other nodes may have begun: the node where one begins ends it in time. */
const LOOK_INTERVAL_MS = 30_000;

/** Resumes what was paused until a time. Every node looks, and one of them does it. */
export class PauseEnds {
  readonly service: Service;
  readonly #parts: PauseEndParts;
  readonly #wake: WakeSignal;
  #nextEnd: EpochMs | null = null;

  constructor(parts: PauseEndParts) {
    const { clock, bus } = parts;
    this.#parts = parts;
    this.#wake = new WakeSignal(clock);
    const errors = new ErrorThrottle(clock, bus);
    this.service = new LoopService('pause ends', async (signal) => {
      while (!signal.aborted) {
        this.#wake.clear();
        try {
          await this.runOnce();
          errors.end();
        } catch (thrown) {
          errors.report('resuming what was paused until now', thrown);
          this.#nextEnd = null; // what failed is tried again at the next look
        }
        await this.#wake.waitUntil(Math.min(this.#nextEnd ?? Infinity, clock.now() + LOOK_INTERVAL_MS), signal);
      }
    });
  }

  /** When the next pause ends, as far as this node knows; null: none will. */
  get nextEnd(): EpochMs | null {
    return this.#nextEnd;
  }

  /** A pause begins that ends by itself then. */
  expect(until: EpochMs): void {
    this.#nextEnd = Math.min(this.#nextEnd ?? until, until);
    this.#wake.notify(until);
  }

  /** Ends what is over. Rejects with what the store failed with. */
  async runOnce(): Promise<void> {
    const { store, clock, announce, misfireThreshold } = this.#parts;
    const { ended, nextEnd } = await store.endPauses({ now: clock.now(), misfireThreshold });
    this.#nextEnd = nextEnd;
    for (const pause of ended) announce(eventOf(pause));
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
