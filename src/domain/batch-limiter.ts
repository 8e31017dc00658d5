import type { EpochMs } from '../base/clock';
import { isDue } from './acquisition';
import { isOutOfTime } from './admission';
import type { FiringFinding, FiringTerms, QueuePlace } from './firing';
import type { GroupLimits } from './group-limits';
import { demandOf, type FiringCandidate, type FiringDemand, type LimitClaim, type OverlapDemand } from './limit-claims';
import { RateCapacity, type RateChanges, type RateVerdict, type StoredRates } from './rate-capacity';
import { PLENTY, SlotSharing } from './slot-sharing';

/** Used capacity of the limits, as stored when the batch begins. */
export interface LimitState extends StoredRates {
  heldOf(key: string): number;
  /** Returns the ids of the runs that the limit with this key counts. Called only if the overlap rule interrupts runs. */
  holdersOf(key: string): readonly string[];
  /** Returns the number of firings that wait in the queue with this key. */
  queuedOf(queueKey: string): number;
}

export interface Waiting {
  readonly status: 'waits';
  /** The limit without free capacity. */
  readonly claim: LimitClaim;
  /** Other limits of the trigger that have free capacity. Other triggers may use it, because this trigger does not fire. */
  readonly others: readonly LimitClaim[];
}

export interface Moving {
  readonly status: 'moves';
  readonly to: EpochMs;
  /** Other limits of the trigger that have free capacity. Other triggers that wait for these limits may fire. */
  readonly others: readonly LimitClaim[];
}

/** A trigger that joins the batch. `terms` is null if the trigger has no limits to check. */
interface Admitted {
  readonly status: 'taken';
  readonly terms: FiringTerms | null;
}

/** Decision about a due trigger: it joins the batch, waits for a limit, moves to a later turn of its rate limit, or ends the batch. */
type BatchVerdict = Admitted | Waiting | Moving | { readonly status: 'endsBatch' };

const TAKEN: Admitted = { status: 'taken', terms: null };
const BEGINS: RateVerdict = { status: 'begins' };
/** The batch ends before this trigger, which is not part of the batch. */
export const ENDS_BATCH: BatchVerdict = { status: 'endsBatch' };

export class LimitCapacity {
  readonly #state: LimitState;
  readonly #now: EpochMs;
  /** Capacity that this batch has used so far, by limit key. Negative if the batch has freed more capacity than it used. */
  readonly #taken = new Map<string, number>();
  readonly #rates: RateCapacity;
  readonly #sharing: SlotSharing;

  /** `sharing`: slots that short firings may share. Default: each firing has a slot of its own. */
  constructor(state: LimitState, now: EpochMs, sharing = new SlotSharing([])) {
    this.#state = state;
    this.#now = now;
    this.#rates = new RateCapacity(state);
    this.#sharing = sharing;
  }

  /** Returns the changes that the batch makes to the stored rates. Call this method once, when the batch is complete. */
  rateChanges(): RateChanges {
    return this.#rates.changes(this.#now);
  }

  /** See `SlotSharing.runsPerSlot`. */
  runsPerSlot(maxCount: number): number {
    return this.#sharing.runsPerSlot(maxCount);
  }

  /** Reserves capacity in all limits of the firing if it fires, otherwise nothing. Call this method in firing order. */
  admit(candidate: FiringCandidate, demand: FiringDemand): Admitted | Waiting | Moving {
    const shared = this.#isSkipped(candidate) ? null : this.#sharing.join(candidate, demand);
    if (shared !== null) return { status: 'taken', terms: this.#holding(demand.claims, shared) };
    return this.#admitAlone(candidate, demand);
  }

  #admitAlone(candidate: FiringCandidate, demand: FiringDemand): Admitted | Waiting | Moving {
    const { claims, overlap, leaves, rate } = demand;
    const left = {
      ...(leaves !== null && { leaves }),
      ...(rate?.isPutOff && { line: { leaves: candidate.trigger.key } }),
    };
    if (this.#isSkipped(candidate)) {
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
    const slot = this.#sharing.open(candidate, demand, this.#freeOf(claims[0]));
    for (const { key } of claims) this.#take(key, 1);
    this.#leave(leaves);
    return { status: 'taken', terms: { ...left, ...this.#holding(claims, slot) } };
  }

  #freeOf(claim: LimitClaim | undefined): number {
    return claim === undefined ? 0 : claim.limit - this.#countOf(claim.key);
  }

  #holding(claims: readonly LimitClaim[], slot: number | null): Pick<FiringTerms, 'holds' | 'slot' | 'isAwaited'> {
    if (claims.length === 0) return {};
    const isAwaited = claims.some(
      ({ key, limit }) => limit === Number.POSITIVE_INFINITY || this.#countOf(key) > limit * PLENTY,
    );
    return { holds: claims.map(({ key }) => key), ...(slot !== null && { slot }), ...(isAwaited && { isAwaited }) };
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

  /** True if the firing uses no capacity, because it will be skipped as too late or delayed by jitter. `refuse` later makes the same decision. */
  #isSkipped({ trigger, jobDetail }: FiringCandidate): boolean {
    const fireTime = this.#fireTimeOf({ trigger, jobDetail });
    return isOutOfTime({ trigger, jobDetail, scheduledFireTime: trigger.nextFireTime ?? this.#now, fireTime });
  }

  #findOverlap({ key, queueKey, maxQueued, cancels }: OverlapDemand): FiringFinding | null {
    // A new firing must not overtake firings that already wait in the queue.
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
 * Applies limits to one batch. A limited trigger that is due by `fireBy` fires only if all its limits have free capacity. A limited trigger that is
 * due later uses capacity only when it fires. It ends the batch if a trigger of the batch fires immediately.
 */
export class BatchLimiter {
  readonly #capacity: LimitCapacity | null;
  readonly #fireBy: EpochMs;
  readonly #groupLimits: GroupLimits | undefined;
  #firesAtOnce = false;

  /** `capacity` is null if no trigger due by `fireBy` has a limit. `groupLimits` are the group limits of the whole cluster. */
  constructor(capacity: LimitCapacity | null, fireBy: EpochMs, groupLimits: GroupLimits | undefined) {
    this.#capacity = capacity;
    this.#fireBy = fireBy;
    this.#groupLimits = groupLimits;
  }

  /** Decides whether a trigger joins the batch. Call it in firing order, because each trigger that fires reduces the capacity for later triggers. */
  judge(candidate: FiringCandidate): BatchVerdict {
    const demand = demandOf(candidate, this.#groupLimits);
    const isDueNow = isDue(candidate.trigger, this.#fireBy, 0);
    if (demand !== null && !isDueNow && this.#firesAtOnce) return ENDS_BATCH;
    const verdict =
      demand === null || !isDueNow || this.#capacity === null ? TAKEN : this.#capacity.admit(candidate, demand);
    if (verdict.status === 'taken') this.#firesAtOnce ||= isDueNow;
    return verdict;
  }
}
