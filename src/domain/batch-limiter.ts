import type { EpochMs } from '../base/clock';
import { isDue } from './acquisition';
import { isOutOfTime } from './admission';
import type { FiringFinding, FiringTerms, QueuePlace, TakenSlot } from './firing';
import type { GroupLimits } from './group-limits';
import {
  asksForSlot,
  demandOf,
  type FiringCandidate,
  type FiringDemand,
  type LimitClaim,
  type OverlapDemand,
  type RateDemand,
} from './limit-claims';
import { takeSlot } from './rate-limit';

/** What is stored of limits when a batch is put together. */
export interface LimitState {
  /** How many runs count under the key. */
  heldOf(key: string): number;
  /** Which runs these are. Asked for keys whose runs may be interrupted. */
  holdersOf(key: string): readonly string[];
  /** How many firings wait in the queue. */
  queuedOf(queueKey: string): number;
  /** What is kept of the key of a rate; null: nothing. */
  slotOf(rateKey: string): number | null;
}

/** A due trigger that has to wait. */
export interface Waiting {
  readonly status: 'waits';
  /** The limit that is full. */
  readonly claim: LimitClaim;
  /** The others that have room: what waits for them need not wait for this trigger, whose turn it was. */
  readonly others: readonly LimitClaim[];
}

/** A trigger that fires; `terms` null: nothing limits it. */
interface Admitted {
  readonly status: 'taken';
  readonly terms: FiringTerms | null;
}

/** What becomes of a due trigger as a batch is put together: it is taken, it waits for its limit, or the batch ends before it. */
export type BatchVerdict = Admitted | Waiting | { readonly status: 'endsBatch' };

interface RateVerdict {
  readonly slot?: TakenSlot;
  readonly finding?: FiringFinding;
}

const TAKEN: Admitted = { status: 'taken', terms: null };
/** The batch is over before it. */
export const ENDS_BATCH: BatchVerdict = { status: 'endsBatch' };

/** How much of each limit is taken, while a batch is put together. */
export class LimitRoom {
  readonly #state: LimitState;
  readonly #now: EpochMs;
  /** What this batch has taken, by key. */
  readonly #taken = new Map<string, number>();
  /** What is kept of rates after what this batch has taken of them. */
  readonly #slots = new Map<string, number>();

  constructor(state: LimitState, now: EpochMs) {
    this.#state = state;
    this.#now = now;
  }

  /** Takes what the firing demands: all of it, or nothing. To be asked in the order in which triggers fire. */
  admit(candidate: FiringCandidate, { claims, overlap, leaves, rate }: FiringDemand): Admitted | Waiting {
    const left = leaves === null ? {} : { leaves };
    if (this.#isPassedOver(candidate)) {
      this.#leave(leaves);
      return { status: 'taken', terms: left };
    }
    const finding = overlap === null ? null : this.#findOverlap(overlap);
    if (finding !== null) {
      const queues = finding.status === 'defer' && overlap !== null ? { queues: overlap.queueKey } : {};
      return { status: 'taken', terms: { ...left, ...queues, finding } };
    }
    const full = claims.find((claim) => !this.#hasRoom(claim));
    if (full !== undefined) {
      const others = claims.filter((claim) => claim.limit < Number.POSITIVE_INFINITY && this.#hasRoom(claim));
      return { status: 'waits', claim: full, others };
    }
    const { finding: put, slot } = this.#findSlot(candidate, rate);
    const taken = { ...left, ...(slot !== undefined && { rate: slot }) };
    if (put !== undefined) {
      const passes = claims.filter(({ limit }) => limit < Number.POSITIVE_INFINITY).map(({ key }) => key);
      const keepsPlace = put.status === 'defer' && leaves !== null;
      if (!keepsPlace) this.#leave(leaves);
      return { status: 'taken', terms: { ...taken, passes, ...(keepsPlace && { queues: leaves.key }), finding: put } };
    }
    for (const { key } of claims) this.#take(key, 1);
    this.#leave(leaves);
    return { status: 'taken', terms: { ...taken, ...(claims.length > 0 && { holds: claims.map(({ key }) => key) }) } };
  }

  /** The slot that the firing takes of its rate, if it needs one; with a finding, where that is not now. */
  #findSlot({ trigger, jobDetail }: FiringCandidate, rate: RateDemand | null): RateVerdict {
    if (rate === null || !asksForSlot(rate, this.#now)) return {};
    const scheduledFireTime = trigger.nextFireTime ?? this.#now;
    const fireTime = Math.max(this.#now, scheduledFireTime);
    const { at, next } = takeSlot(rate.rule, this.#slots.get(rate.key) ?? this.#state.slotOf(rate.key), fireTime);
    if (at > fireTime && isOutOfTime({ trigger, jobDetail, scheduledFireTime, fireTime: at }))
      return { finding: { status: 'skip', reason: 'rate', until: at } };
    this.#slots.set(rate.key, next);
    const slot = { key: rate.key, next };
    return at > fireTime ? { slot, finding: { status: 'defer', reason: 'rate', until: at } } : { slot };
  }

  /** Its job is not run, whatever room there is: it takes none. The run shell decides the same. */
  #isPassedOver({ trigger, jobDetail }: FiringCandidate): boolean {
    const scheduledFireTime = trigger.nextFireTime ?? this.#now;
    const fireTime = Math.max(this.#now, scheduledFireTime);
    return isOutOfTime({ trigger, jobDetail, scheduledFireTime, fireTime });
  }

  #findOverlap({ key, queueKey, maxQueued, cancels }: OverlapDemand): FiringFinding | null {
    // Who came before, and waits, goes on before it.
    const queued = maxQueued === 0 ? 0 : this.#state.queuedOf(queueKey) + this.#takenOf(queueKey);
    if (queued === 0 && this.#countOf(key) === 0) return null;
    if (queued >= maxQueued) return { status: 'skip', reason: 'overlap' };
    this.#take(queueKey, 1);
    return { status: 'defer', reason: 'overlap', cancels: cancels ? this.#state.holdersOf(key) : [] };
  }

  #hasRoom({ key, limit }: LimitClaim): boolean {
    return this.#countOf(key) < limit;
  }

  #countOf(key: string): number {
    return this.#state.heldOf(key) + this.#takenOf(key);
  }

  #takenOf(key: string): number {
    return this.#taken.get(key) ?? 0;
  }

  #leave(place: QueuePlace | null): void {
    if (place !== null) this.#take(place.key, -1);
  }

  #take(key: string, count: number): void {
    this.#taken.set(key, this.#takenOf(key) + count);
  }
}

/**
 * The limits of one batch. Of what is due by `fireBy`, only what finds room fires. What has a limit and is due later may only be
 * reserved, and asks for room when it fires: it is not in a batch that fires at once.
 */
export class BatchLimiter {
  readonly #room: LimitRoom | null;
  readonly #fireBy: EpochMs;
  readonly #groupLimits: GroupLimits | undefined;
  #firesAtOnce = false;

  /** `room` null: nothing that is due by `fireBy` has a limit. `groupLimits`: those of the whole cluster. */
  constructor(room: LimitRoom | null, fireBy: EpochMs, groupLimits: GroupLimits | undefined) {
    this.#room = room;
    this.#fireBy = fireBy;
    this.#groupLimits = groupLimits;
  }

  /** To be asked in the order in which triggers fire; a trigger that is taken takes its room. */
  judge(candidate: FiringCandidate): BatchVerdict {
    const demand = demandOf(candidate, this.#groupLimits);
    const isDueNow = isDue(candidate.trigger, this.#fireBy, 0);
    if (demand !== null && !isDueNow && this.#firesAtOnce) return ENDS_BATCH;
    const verdict = demand === null || !isDueNow ? TAKEN : (this.#room?.admit(candidate, demand) ?? TAKEN);
    if (verdict.status === 'taken') this.#firesAtOnce ||= isDueNow;
    return verdict;
  }
}
