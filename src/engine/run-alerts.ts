import type { Clock } from '../base/clock';
import { settlesWithin } from '../base/sleep';
import type { AlertsConfig } from '../config/scheduler-config';
import type { TriggerFiring } from '../domain/firing';
import type { EventBus } from '../events/event-bus';

export interface RunAlertsParts {
  readonly clock: Clock;
  readonly bus: EventBus;
}

const NONE: AlertsConfig = { lateAfterMs: null, stuckAfterMs: null };

/** Tells of runs that begin late, or go on for long, where the configuration asks for it; where it does not, this costs nothing. */
export class RunAlerts {
  readonly #parts: RunAlertsParts;
  readonly #config: AlertsConfig;
  /** The firings that were told to go on for long. */
  readonly #stuck = new WeakSet<TriggerFiring>();

  constructor(parts: RunAlertsParts, config: AlertsConfig = NONE) {
    this.#parts = parts;
    this.#config = config;
  }

  /** The job of a firing begins for the first time. */
  begins(firing: TriggerFiring): void {
    const { lateAfterMs } = this.#config;
    if (lateAfterMs === null) return;
    const { bus, clock } = this.#parts;
    const at = clock.now();
    const lateBy = at - firing.scheduledFireTime;
    if (lateBy > lateAfterMs) bus.publish({ type: 'firingLate', at, firing, lateBy });
  }

  /** What runs, unchanged: it is told of once for each firing if it does not end in time. */
  watched(firing: TriggerFiring, running: unknown): unknown {
    const { stuckAfterMs } = this.#config;
    if (stuckAfterMs !== null && running instanceof Promise) void this.#watch(firing, running, stuckAfterMs);
    return running;
  }

  async #watch(firing: TriggerFiring, running: Promise<unknown>, stuckAfterMs: number): Promise<void> {
    const { bus, clock } = this.#parts;
    const start = clock.monotonic();
    if (await settlesWithin(clock, stuckAfterMs, running)) return;
    if (this.#stuck.has(firing)) return; // it was run again at once
    this.#stuck.add(firing);
    bus.publish({ type: 'jobStuck', at: clock.now(), firing, runningFor: Math.round(clock.monotonic() - start) });
  }
}
