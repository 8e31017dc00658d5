import type { EpochMs } from '../base/clock';
import { isDue } from './acquisition';
import { isOutOfTime } from './admission';
import type { FiringFinding, FiringTerms, QueuePlace } from './firing';
import type { GroupLimits } from './group-limits';
import { demandOf, type FiringCandidate, type FiringDemand, type LimitClaim, type OverlapDemand } from './limit-claims';
import { RateCapacity, type RateChanges, type RateVerdict, type StoredRates } from './rate-room';

/** Stored state of limits at the start of a batch. */
export interface LimitState extends StoredRates {
  /** Returns the number of runs that count under the key. */
  heldOf(key: string): number;
  /** Returns the ids of these runs. Called for keys whose runs may be interrupted. */
  holdersOf(key: string): readonly string[];
  /** Returns the number of firings that wait in the queue. */
  queuedOf(queueKey: string): number;
}

/** A due trigger that has to wait. */
export interface Waiting {
  readonly status: 'waits';
  /** The limit that is full. */
  readonly claim: LimitClaim;
  /** The other limits that have room. This trigger's turn is skipped, so other triggers that wait for these limits may go ahead. */
  readonly others: readonly LimitClaim[];
}

/** A due trigger that fires later, because its rate has no turn for it yet. */
export interface Moving {
  readonly status: 'moves';
  readonly to: EpochMs;
  /** Limits that have room: as in `Waiting`. */
  readonly others: readonly LimitClaim[];
}

/** A trigger that fires. `terms` is null if nothing limits it. */
interface Admitted {
  readonly status: 'taken';
  readonly terms: FiringTerms | null;
}

/** Decision about a due trigger in a batch: it is taken, waits for its limit or its rate, or the batch ends before it. */
export type BatchVerdict = Admitted | Waiting | Moving | { readonly status: 'endsBatch' };

const TAKEN: Admitted = { status: 'taken', terms: null };
const BEGINS: RateVerdict = { status: 'begins' };
/** The batch ends before this trigger. */
export const ENDS_BATCH: BatchVerdict = { status: 'endsBatch' };

/** Counts the used capacity of each limit while a batch is built. */
export class LimitCapacity {
  readonly #state: LimitState;
  readonly #now: EpochMs;
  /** Capacity that this batch has taken, by key. */
  readonly #taken = new Map<string, number>();
  readonly #rates: RateCapacity;

  constructor(state: LimitState, now: EpochMs) {
    this.#state = state;
    this.#now = now;
    this.#rates = new RateCapacity(state);
  }

  /** Returns the changes that the batch makes to rates. Call it once, when the batch is complete. */
  rateChanges(): RateChanges {
    return this.#rates.changes(this.#now);
  }

  /** Takes all the capacity that the firing needs, or none. Call it in firing order. */
  admit(candidate: FiringCandidate, demand: FiringDemand): Admitted | Waiting | Moving {
    const { claims, overlap, leaves, rate } = demand;
    const left = {
      ...(leaves !== null && { leaves }),
      ...(rate?.isPutOff && { line: { leaves: candidate.trigger.key } }),
    };
    if (this.#isPassedOver(candidate)) {
      this.#leave(leaves);
      return { status: 'taken', terms: left };
    }
    const finding = overlap === null ? null : this.#findOverlap(overlap);
    if (finding !== null) {
      const queues = finding.status === 'defer' && overlap !== null ? { queues: overlap.queueKey } : {};
      return { status: 'taken', terms: { ...left, ...queues, finding } };
    }
    const full = claims.find((claim) => !this.#hasCapacity(claim));
    if (full !== undefined) return { status: 'waits', claim: full, others: this.#othersWithCapacity(claims) };
    const turn = rate === null ? BEGINS : this.#rates.judge(candidate, rate, this.#fireTimeOf(candidate));
    if (turn.status === 'moves') return { ...turn, others: this.#othersWithCapacity(claims) };
    if (turn.status === 'putOff') return { status: 'taken', terms: { ...left, ...this.#putOff(demand, turn) } };
    for (const { key } of claims) this.#take(key, 1);
    this.#leave(leaves);
    return { status: 'taken', terms: { ...left, ...(claims.length > 0 && { holds: claims.map(({ key }) => key) }) } };
  }

  #putOff(
    { claims, leaves }: FiringDemand,
    { finding, line }: RateVerdict & { readonly status: 'putOff' },
  ): FiringTerms {
    const passes = this.#othersWithCapacity(claims).map(({ key }) => key);
    const keepsPlace = finding.status === 'defer' && leaves !== null;
    if (!keepsPlace) this.#leave(leaves);
    return { passes, finding, ...(line && { line }), ...(keepsPlace && { queues: leaves.key }) };
  }

  #othersWithCapacity(claims: readonly LimitClaim[]): readonly LimitClaim[] {
    return claims.filter((claim) => claim.limit < Number.POSITIVE_INFINITY && this.#hasCapacity(claim));
  }

  #fireTimeOf({ trigger }: FiringCandidate): EpochMs {
    return Math.max(this.#now, trigger.nextFireTime ?? this.#now);
  }

  /** True if the job is not run regardless of free capacity, so that it takes none. The run shell decides the same. */
  #isPassedOver({ trigger, jobDetail }: FiringCandidate): boolean {
    const fireTime = this.#fireTimeOf({ trigger, jobDetail });
    return isOutOfTime({ trigger, jobDetail, scheduledFireTime: trigger.nextFireTime ?? this.#now, fireTime });
  }

  #findOverlap({ key, queueKey, maxQueued, cancels }: OverlapDemand): FiringFinding | null {
    // Waiting firings that came earlier go first.
    const queued = maxQueued === 0 ? 0 : this.#state.queuedOf(queueKey) + this.#takenOf(queueKey);
    if (queued === 0 && this.#countOf(key) === 0) return null;
    if (queued >= maxQueued) return { status: 'skip', reason: 'overlap' };
    this.#take(queueKey, 1);
    return { status: 'defer', reason: 'overlap', cancels: cancels ? this.#state.holdersOf(key) : [] };
  }

  #hasCapacity({ key, limit }: LimitClaim): boolean {
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
 * Applies the limits to one batch. A trigger that is due by `fireBy` fires only if its limits have room. A limited trigger that is due later may only
 * be reserved, and takes room when it fires. It is never part of a batch that fires immediately.
 */
export class BatchLimiter {
  readonly #capacity: LimitCapacity | null;
  readonly #fireBy: EpochMs;
  readonly #groupLimits: GroupLimits | undefined;
  #firesAtOnce = false;

  /** `room` is null if no trigger that is due by `fireBy` has a limit. `groupLimits`: limits of the whole cluster. */
  constructor(capacity: LimitCapacity | null, fireBy: EpochMs, groupLimits: GroupLimits | undefined) {
    this.#capacity = capacity;
    this.#fireBy = fireBy;
    this.#groupLimits = groupLimits;
  }

  /** Decides about one trigger. Call it in firing order; a trigger that is taken uses up its room. */
  judge(candidate: FiringCandidate): BatchVerdict {
    const demand = demandOf(candidate, this.#groupLimits);
    const isDueNow = isDue(candidate.trigger, this.#fireBy, 0);
    if (demand !== null && !isDueNow && this.#firesAtOnce) return ENDS_BATCH;
    const verdict = demand === null || !isDueNow ? TAKEN : (this.#capacity?.admit(candidate, demand) ?? TAKEN);
    if (verdict.status === 'taken') this.#firesAtOnce ||= isDueNow;
    return verdict;
  }
}
