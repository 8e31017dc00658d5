import type { TriggerFiring } from '../domain/firing';
import type { JobKey, TriggerKey } from '../domain/keys';
import type { EventBus } from '../events/event-bus';

/** One firing, as a test asserts it. */
export interface Firing {
  /** The job that ran. */
  readonly job: JobKey;
  /** The trigger that fired. */
  readonly trigger: TriggerKey;
  /** When it was to fire. */
  readonly scheduledFireTime: Date;
  /** When it did fire: later than scheduled when it misfired. */
  readonly fireTime: Date;
  /** `running`: still so, waiting for the clock. */
  readonly outcome: 'succeeded' | 'failed' | 'vetoed' | 'running';
  /** What the job threw. */
  readonly error: Error | null;
}

type Ending = Pick<Firing, 'outcome' | 'error'>;

/** Keeps what fired, in the order of firing. */
export class FiringRecord {
  #fired: TriggerFiring[] = [];
  readonly #endings = new Map<string, Ending>();

  constructor(bus: EventBus) {
    bus.subscribe((event) => {
      switch (event.type) {
        case 'triggerFired':
          this.#fired.push(event.firing);
          break;
        case 'jobVetoed':
          this.#endings.set(event.firing.fireInstanceId, { outcome: 'vetoed', error: null });
          break;
        case 'triggerCompleted':
          this.#end(event.firing.fireInstanceId, event.error);
          break;
      }
    });
  }

  /** What fired since it was asked last. */
  take(): readonly Firing[] {
    const fired = this.#fired;
    this.#fired = [];
    return fired.map((firing) => this.#toFiring(firing));
  }

  #end(fireInstanceId: string, error: Error | null): void {
    if (this.#endings.has(fireInstanceId)) return; // vetoed
    this.#endings.set(fireInstanceId, { outcome: error === null ? 'succeeded' : 'failed', error });
  }

  #toFiring({ fireInstanceId, trigger, jobDetail, scheduledFireTime, fireTime }: TriggerFiring): Firing {
    const ending = this.#endings.get(fireInstanceId) ?? { outcome: 'running', error: null };
    this.#endings.delete(fireInstanceId);
    return {
      job: jobDetail.key,
      trigger: trigger.key,
      scheduledFireTime: new Date(scheduledFireTime),
      fireTime: new Date(fireTime),
      ...ending,
    };
  }
}
