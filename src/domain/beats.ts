import type { EpochMs } from '../base/clock';

/** Place of a node among the nodes that acquire triggers, in the order of their instance ids. Nodes begin at different triggers by their places. */
export interface NodePlace {
  /** From 0 to `of` − 1. */
  readonly rank: number;
  /** Number of nodes that acquire triggers, including this node. At least 1. */
  readonly of: number;
}

/** Place of a node without others. */
export const ONLY_NODE: NodePlace = { rank: 0, of: 1 };

/** Length of a beat in milliseconds: the part of a turn that belongs to one node. */
export const BEAT_MS = 20;

/** Bounds of `YieldTime`, in milliseconds. */
export const MIN_YIELD_MS = 5;
const MAX_YIELD_MS = 640;

/** Number of yield times after which a trigger belongs to every node: neither the owner of its beat nor that of its share has fired it. */
const YIELDS_TO_ALL = 20;

/** Milliseconds after which each node takes another share, so that no share waits for a node that cannot run its jobs. */
const SHARE_MS = 1_000;

/**
 * Lateness in milliseconds until which a node leaves a trigger to the owner of its beat. The owner may be busy, stalled or dead, or cannot run the job.
 * Grows with each attempt for which other nodes were faster, because an owner that is only late is not helped by others that fire its triggers, and
 * shrinks with each success.
 */
export class YieldTime {
  #ms = MIN_YIELD_MS;

  get ms(): number {
    return this.#ms;
  }

  /** Must be called after each attempt: `won` of `planned` firings were stored. */
  learn(won: number, planned: number): void {
    const factor = 2 * won < planned ? 2 : 0.75;
    this.#ms = Math.min(Math.max(this.#ms * factor, MIN_YIELD_MS), MAX_YIELD_MS);
  }
}

/** Bounds of `LeadTime`, in milliseconds. A firing that is stored early waits on this node for its fire time, and is lost with the node. */
const MIN_LEAD_MS = 20;
const MAX_LEAD_MS = 45;

/** Time before a fire time at which a node begins to read, so that it stores the firing in time: what this took lately, the longest counting most. */
export class LeadTime {
  #ms = MIN_LEAD_MS;

  /** `maxMs`: maximum time that a stored firing may wait for its fire time. */
  within(maxMs: number): number {
    return Math.min(this.#ms, maxMs);
  }

  /** Must be called after each stored firing, with the milliseconds since the beginning of the reading. */
  learn(tookMs: number): void {
    this.#ms = Math.min(Math.max(tookMs, MIN_LEAD_MS, this.#ms * 0.95), MAX_LEAD_MS);
  }
}

/** Number of seconds with neglected triggers, within `WITHIN_SECONDS`, from which a node looks for more of them as soon as they are late. */
const LASTING_SECONDS = 4;
const WITHIN_SECONDS = 10;

/**
 * Seconds in which a node fired triggers that other nodes had neglected. A stall of another node causes one or two of them; a node that cannot run
 * the jobs of its beats causes one each second.
 */
export class Neglect {
  #seconds: readonly number[] = [];

  /** Must be called when the node has fired a neglected trigger, with the monotonic time. */
  add(ms: number): void {
    const second = Math.floor(ms / 1_000);
    if (this.#seconds.at(-1) !== second) this.#seconds = [...this.#seconds, second].slice(-LASTING_SECONDS);
  }

  /** True if other nodes will probably neglect more of their triggers. */
  isLasting(ms: number): boolean {
    const [earliest = 0] = this.#seconds;
    return this.#seconds.length === LASTING_SECONDS && earliest > ms / 1_000 - WITHIN_SECONDS;
  }
}

/**
 * Triggers that a node may fire: those due before `anyoneBefore`; those of its share that are due before `lateBefore`; and those due until
 * `ownUntil` in the part of each turn that is its own, from `ownFirst` to `ownLast`. The remainder of a fire time by `turnMs` is its place in a turn.
 */
export interface OwnPart {
  readonly anyoneBefore: EpochMs;
  readonly lateBefore: EpochMs;
  readonly shares: number;
  readonly share: number;
  readonly ownUntil: EpochMs;
  readonly turnMs: number;
  readonly ownFirst: number;
  readonly ownLast: number;
}

/** True if triggers that belong to every node fill a batch: each node then takes its own share of them. `last`: fire time of the last one of a full batch. */
export function isCrowd({ anyoneBefore }: OwnPart, last: EpochMs): boolean {
  return last < anyoneBefore;
}

/**
 * Divides triggers among the nodes, so that they do not try to fire the same ones at the same time. Time is divided into beats, each of which belongs to one
 * node, in turn. What its owner has not fired belongs to another node by its key (its share), and at last to all. Every node computes this by its own
 * clock and place: a wrong one costs a vain attempt, never a firing.
 */
export class Beats {
  readonly #place: NodePlace;
  readonly #yieldMs: number;
  readonly #fillsIn: boolean;

  /** `fillsIn`: true if the node looks for triggers of other nodes as soon as they are late. */
  constructor(place: NodePlace, yieldMs = MIN_YIELD_MS, fillsIn = false) {
    this.#place = place;
    this.#yieldMs = Math.ceil(yieldMs);
    this.#fillsIn = fillsIn;
  }

  /** True if this node owns the beat of a fire time. */
  isOwn(time: EpochMs): boolean {
    const beat = Math.floor(time / BEAT_MS);
    return this.#nextOwn(beat) === beat;
  }

  /** `ahead`: minimum time in milliseconds by which the own part reaches into the future. */
  partAt(now: EpochMs, ahead = 0): OwnPart {
    const { rank, of } = this.#place;
    const late = { anyoneBefore: this.anyoneBefore(now), lateBefore: now - this.#yieldMs };
    const own = { turnMs: of * BEAT_MS, ownFirst: rank * BEAT_MS, ownLast: (rank + 1) * BEAT_MS - 1 };
    return { ...late, ...this.shareAt(now), ownUntil: now + Math.max((of + 1) * BEAT_MS, ahead), ...own };
  }

  /** Fire time before which a trigger belongs to every node. */
  anyoneBefore(now: EpochMs): EpochMs {
    return now - YIELDS_TO_ALL * this.#yieldMs;
  }

  /** True if the trigger belongs to every node because another node has left it for too long. */
  isNeglected(time: EpochMs, now: EpochMs): boolean {
    return time < this.anyoneBefore(now) && !this.isOwn(time);
  }

  /** Returns this node's share of the late triggers. */
  shareAt(now: EpochMs): Pick<OwnPart, 'shares' | 'share'> {
    const { rank, of } = this.#place;
    return { shares: of, share: (rank + Math.floor(now / SHARE_MS)) % of };
  }

  /**
   * Time at which this node reads again for a trigger due at `time`: for its own one, `lead` milliseconds before the beat. For one of another node, once it
   * is late, and later than `now`: together with its own ones, unless it fills in.
   */
  readAt(time: EpochMs, now: EpochMs, lead = 0): EpochMs {
    if (this.#place.of === 1) return time - lead;
    if (this.isOwn(time)) return Math.floor(time / BEAT_MS) * BEAT_MS - lead;
    const asOfShare = time + this.#yieldMs + 1;
    const late = asOfShare > now ? asOfShare : Math.max(time + YIELDS_TO_ALL * this.#yieldMs + 1, now + BEAT_MS);
    return this.#fillsIn ? late : this.#nextOwn(Math.ceil((late + lead) / BEAT_MS)) * BEAT_MS - lead;
  }

  /** First own beat that is not before `beat`. */
  #nextOwn(beat: number): number {
    const { rank, of } = this.#place;
    return beat + ((rank - (beat % of) + of) % of);
  }
}
