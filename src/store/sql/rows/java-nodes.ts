import type { Clock } from '../../../base/clock';
import { checksIn } from '../../../domain/liveness';
import type { NodesReading } from '../../cluster-store';

/** Age of a reading after which the nodes are read again before data is stored, in milliseconds. The check-ins of a started node are more frequent. */
const MAX_AGE_MS = 3_000;

/** Returns the names of the Java nodes that check in. */
export function livingJavaNodes({ now, nodes }: NodesReading): readonly string[] {
  const living = nodes.filter((each) => each.epoch === null && checksIn(each, now));
  return living.map(({ instanceId }) => instanceId);
}

/** Remembers from the last reading of the nodes if Java nodes share the tables. New job data is then stored in a form that Java reads. */
export class JavaNodes {
  readonly #clock: Clock;
  #readAt = Number.NEGATIVE_INFINITY;
  #areAlive = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  observe(reading: NodesReading): void {
    this.#readAt = this.#clock.monotonic();
    this.#areAlive = livingJavaNodes(reading).length > 0;
  }

  get areAlive(): boolean {
    return this.#areAlive;
  }

  /** True if the last reading is too old to decide the form of new data. */
  get isStale(): boolean {
    return this.#clock.monotonic() - this.#readAt > MAX_AGE_MS;
  }
}
