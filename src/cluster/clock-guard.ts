import type { Clock } from '../base/clock';
import { compareClocks, isClockUnsafe, type ReadingTime } from '../domain/liveness';
import type { NodesReading } from '../store/cluster-store';
import type { NodeHooks } from './node-hooks';

export interface ClockGuardParts {
  readonly instanceId: string;
  readonly clock: Clock;
  readonly hooks: Pick<NodeHooks, 'publish'>;
  /** Hears when the clock has become unsafe, or is safe again. */
  readonly onChange: () => void;
}

/**
 * Compares this machine's clock with the store's at every reading of it. Among nodes of ours a difference matters little;
 * beside Java nodes a large one keeps this node from acquiring.
 */
export class ClockGuard {
  readonly #parts: ClockGuardParts;
  #offset = 0;
  #isUnsafe = false;

  constructor(parts: ClockGuardParts) {
    this.#parts = parts;
  }

  /** The store's clock minus this machine's, as it was read last. Milliseconds. */
  get offset(): number {
    return this.#offset;
  }

  /** Whether nothing may be acquired here. */
  get isUnsafe(): boolean {
    return this.#isUnsafe;
  }

  /** Takes one reading of the nodes into account. */
  judge({ now, nodes }: NodesReading, time: ReadingTime): void {
    const { clock } = this.#parts;
    const comparison = compareClocks(now, clock.now() - (clock.monotonic() - time.endedAt), time);
    this.#offset = comparison.offset;
    const hasJavaNode = nodes.some(({ epoch }) => epoch === null);
    this.#set(hasJavaNode && isClockUnsafe(this.#isUnsafe, comparison));
  }

  #set(isUnsafe: boolean): void {
    if (isUnsafe === this.#isUnsafe) return;
    const { clock, hooks, instanceId, onChange } = this.#parts;
    this.#isUnsafe = isUnsafe;
    const type = isUnsafe ? 'clockUnsafe' : 'clockSafe';
    hooks.publish({ type, at: clock.now(), instanceId, clockOffset: this.#offset });
    onChange();
  }
}
