import type { Clock } from '../base/clock';
import { Gate } from '../base/gate';
import { sleepFor } from '../base/sleep';
import type { LoadCounts } from '../domain/load-counts';
import type { EventBus } from '../events/event-bus';
import type { RunState } from './run-state';
import { runsInFlight } from './runs-in-flight';

export interface StallWatchParts {
  readonly clock: Clock;
  readonly bus: EventBus;
  /** Load counts of this node. Check-ins publish these counts and the time until which the node holds back. */
  readonly load: Pick<LoadCounts, 'holdBack'>;
  /** Returns the runs that execute, or have ended since the last call. */
  readonly recentRuns: () => readonly RunState[];
}

export interface StallWatchOptions {
  readonly instanceId: string;
  /** Stall above which the node holds back, leaving due triggers to other nodes, in milliseconds. 0: never. */
  readonly yieldAfterStall: number;
}

/**
 * Interval of the timer that detects stalls. The measured duration of a stall may be too short by up to this interval.
 * A longer interval would miss stalls; a shorter interval would cost an idle node more.
 */
const BEAT_MS = 1_000;
/**
 * Time for which this node leaves due triggers to the other nodes while it holds back. This is about three times as long as an idle node needs to
 * notice a due trigger. After that time, this node fires the trigger: the other nodes cannot run it, or have no free worker.
 */
export const YIELD_MS = 2_000;
/** Maximum time for which a node holds back after one stall. */
const MAX_HOLD_MS = 300_000;
/** Time without stalls after which the number of recent stalls is reset. */
const CALM_MS = 300_000;

/**
 * Detects stalls, in which a job or a suspension of the process blocked the event loop. If other nodes acquire triggers, this node then holds back
 * for the stall's duration times the number of recent stalls, at most `MAX_HOLD_MS`, because another stall is likely and would delay the next
 * triggers.
 */
export class StallWatch {
  readonly #parts: StallWatchParts;
  readonly #options: StallWatchOptions;
  /** Open while other nodes acquire triggers. */
  readonly #others = new Gate();
  #beatAt: number;
  #stalls = 0;
  #lastStallAt = Number.NEGATIVE_INFINITY;
  #holdsUntil = Number.NEGATIVE_INFINITY;
  /** Wall-clock time at which the node began to hold back. */
  #holdsSince = 0;

  constructor(parts: StallWatchParts, options: StallWatchOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#beatAt = parts.clock.monotonic();
  }

  /** Sets whether other nodes acquire triggers. While none does, this node neither measures stalls nor holds back. */
  setOthers(takeWork: boolean): void {
    if (takeWork === this.#others.isOpen || this.#options.yieldAfterStall === 0) return;
    this.#beatAt = this.#parts.clock.monotonic();
    this.#holdsUntil = Number.NEGATIVE_INFINITY;
    this.#parts.load.holdBack = null;
    if (takeWork) this.#others.open();
    else this.#others.close();
  }

  /**
   * Returns the triggers that this node may acquire now. Detects a stall that has just ended, even before its timer fires. `leftovers`: triggers that
   * have been due for longer than `YIELD_MS` without being acquired by another node.
   */
  takes(): 'all' | 'leftovers' | 'nothing' {
    if (!this.#others.isOpen) return 'all';
    this.#beat();
    const now = this.#parts.clock.monotonic();
    if (now >= this.#holdsUntil) return 'all';
    return now < this.#lastStallAt + YIELD_MS ? 'nothing' : 'leftovers';
  }

  /** Measures stalls until `signal` aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    this.#beatAt = clock.monotonic();
    while (!signal.aborted) {
      if (this.#others.isOpen) await sleepFor(clock, BEAT_MS, signal);
      else await this.#others.whenOpen(signal);
      if (!signal.aborted) this.#beat();
    }
  }

  #beat(): void {
    const now = this.#parts.clock.monotonic();
    const stalledFor = now - this.#beatAt - BEAT_MS;
    this.#beatAt = now;
    const runs = this.#parts.recentRuns();
    if (stalledFor > this.#options.yieldAfterStall && this.#others.isOpen) this.#holdBack(now, stalledFor, runs);
  }

  #holdBack(now: number, stalledFor: number, executed: readonly RunState[]): void {
    const { clock, bus, load } = this.#parts;
    const at = clock.now();
    if (now >= this.#holdsUntil) this.#holdsSince = Math.round(at);
    this.#stalls = now - this.#lastStallAt > CALM_MS ? 1 : this.#stalls + 1;
    this.#lastStallAt = now;
    this.#holdsUntil = Math.max(this.#holdsUntil, now + Math.min(this.#stalls * stalledFor, MAX_HOLD_MS));
    const holdsBackUntil = Math.round(at + this.#holdsUntil - now);
    load.holdBack = { since: this.#holdsSince, until: holdsBackUntil };
    const { instanceId } = this.#options;
    const runs = runsInFlight(executed);
    bus.publish({ type: 'nodeStalled', at, instanceId, stalledFor: Math.round(stalledFor), holdsBackUntil, runs });
  }
}
