import { type EventLoopDelay, watchEventLoopDelay } from '../../base/event-loop-delay';
import type { MetricRegistry } from './metric-registry';

/** How late the timers of this process were, for one of those who look at metrics: each is told of the time since it looked last. */
export class LoopLag {
  #readDelay: (() => EventLoopDelay) | null = null;

  /** Into each of the registries, to be read at once: others who look set the same metric. */
  setIn(registries: readonly MetricRegistry[]): void {
    // Measured from the first question on: without one it would cost a timer for nothing.
    this.#readDelay ??= watchEventLoopDelay();
    const { p50, p99, max } = this.#readDelay();
    for (const registry of registries) {
      registry.set('quartz_event_loop_lag_seconds', p50, ['50']);
      registry.set('quartz_event_loop_lag_seconds', p99, ['99']);
      registry.set('quartz_event_loop_lag_seconds', max, ['100']);
    }
  }
}
