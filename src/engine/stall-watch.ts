import type { Clock } from '../base/clock';
import { Gate } from '../base/gate';
import { sleepFor } from '../base/sleep';
import type { LoadCounts } from '../domain/load-counts';
import type { EventBus } from '../events/event-bus';

export interface StallWatchParts {
  readonly clock: Clock;
  readonly bus: EventBus;
  /** Where the node shows that it holds back: its check-ins publish it. */
  readonly load: Pick<LoadCounts, 'holdBack'>;
}

export interface StallWatchOptions {
  readonly instanceId: string;
  /** The longest stall after which the node goes on as before, in milliseconds; 0: any. */
  readonly handOverAfterStall: number;
}

/** `leftovers`: what has been due for longer than `HAND_OVER_MS` and no other node has taken. */
export type Share = 'all' | 'leftovers' | 'nothing';

/** Interval of the beats by which stalls are measured: a stall may be longer than what is reported by this much. Longer would miss stalls, shorter costs an idle node. */
const BEAT_MS = 1_000;
/**
 * How long a trigger is left to the other nodes while this node holds back: about three times as long as they need to notice a change after
 * a quiet minute. What still waits then can only run here, or the others have no free worker, so this node fires it.
 */
export const HAND_OVER_MS = 2_000;
/** The longest time for which a node holds back after one stall. */
const MAX_HOLD_MS = 300_000;
/** Without a stall for so long, the next one counts as the first. */
const CALM_MS = 300_000;

/**
 * Notices that the event loop of this node stood still: a job blocked it, or the process was stopped. While other nodes take work, such a
 * node holds back for as long as it stood still, and for longer each time that it happens again: it would stand still with the next triggers, too.
 */
export class StallWatch {
  readonly #parts: StallWatchParts;
  readonly #options: StallWatchOptions;
  /** Open while other nodes take work. */
  readonly #others = new Gate();
  #beatAt: number;
  #stalls = 0;
  #lastStallAt = Number.NEGATIVE_INFINITY;
  #holdsUntil = Number.NEGATIVE_INFINITY;
  /** Wall-clock time of the first of the stalls for which the node holds back. */
  #holdsSince = 0;

  constructor(parts: StallWatchParts, options: StallWatchOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#beatAt = parts.clock.monotonic();
  }

  /** Notes if other nodes take work. A node that is alone neither measures stalls nor holds back. */
  setOthers(takeWork: boolean): void {
    if (takeWork === this.#others.isOpen || this.#options.handOverAfterStall === 0) return;
    this.#beatAt = this.#parts.clock.monotonic();
    this.#holdsUntil = Number.NEGATIVE_INFINITY;
    this.#parts.load.holdBack = null;
    if (takeWork) this.#others.open();
    else this.#others.close();
  }

  /** Returns what this node may take now. Notices a stall that ended this moment, before any timer does. */
  takes(): Share {
    if (!this.#others.isOpen) return 'all';
    this.#beat();
    const now = this.#parts.clock.monotonic();
    if (now >= this.#holdsUntil) return 'all';
    return now < this.#lastStallAt + HAND_OVER_MS ? 'nothing' : 'leftovers';
  }

  /** Measures until `signal` aborts. Never rejects. */
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
    if (stalledFor > this.#options.handOverAfterStall && this.#others.isOpen) this.#holdBack(now, stalledFor);
  }

  #holdBack(now: number, stalledFor: number): void {
    const { clock, bus, load } = this.#parts;
    const at = clock.now();
    if (now >= this.#holdsUntil) this.#holdsSince = Math.round(at);
    this.#stalls = now - this.#lastStallAt > CALM_MS ? 1 : this.#stalls + 1;
    this.#lastStallAt = now;
    this.#holdsUntil = Math.max(this.#holdsUntil, now + Math.min(this.#stalls * stalledFor, MAX_HOLD_MS));
    const holdsBackUntil = Math.round(at + this.#holdsUntil - now);
    load.holdBack = { since: this.#holdsSince, until: holdsBackUntil };
    const { instanceId } = this.#options;
    bus.publish({ type: 'nodeStalled', at, instanceId, stalledFor: Math.round(stalledFor), holdsBackUntil });
  }
}
