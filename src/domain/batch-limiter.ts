import type { EpochMs } from '../base/clock';
import { isDue } from './acquisition';
import { isOutOfTime } from './admission';
import type { FiringFinding, FiringTerms, QueuePlace } from './firing';
import type { GroupLimits } from './group-limits';
import { demandOf, type FiringCandidate, type FiringDemand, type LimitClaim, type OverlapDemand } from './limit-claims';
import { type RateChanges, RateRoom, type RateVerdict, type StoredRates } from './rate-room';

/** What is stored of limits when a batch is put together. */
export interface LimitState extends StoredRates {
  /** How many runs count under the key. */
  heldOf(key: string): number;
  /** Which runs these are. Asked for keys whose runs may be interrupted. */
  holdersOf(key: string): readonly string[];
  /** How many firings wait in the queue. */
  queuedOf(queueKey: string): number;
}

/** A due trigger that has to wait. */
export interface Waiting {
  readonly status: 'waits';
  /** The limit that is full. */
  readonly claim: LimitClaim;
  /** The others that have room: what waits for them need not wait for this trigger, whose turn it was. */
  readonly others: readonly LimitClaim[];
}

/** A due trigger that fires later, because its rate has no turn for it yet. */
export interface Moving {
  readonly status: 'moves';
  readonly to: EpochMs;
  /** Limits that have room: as in `Waiting`. */
  readonly others: readonly LimitClaim[];
}

/** A trigger that fires; `terms` null: nothing limits it. */
interface Admitted {
  readonly status: 'taken';
  readonly terms: FiringTerms | null;
}

/** What becomes of a due trigger as a batch is put together: it is taken, it waits for its limit or its rate, or the batch ends before it. */
export type BatchVerdict = Admitted | Waiting | Moving | { readonly status: 'endsBatch' };

const TAKEN: Admitted = { status: 'taken', terms: null };
const BEGINS: RateVerdict = { status: 'begins' };
/** The batch is over before it. */
export const ENDS_BATCH: BatchVerdict = { status: 'endsBatch' };

/** How much of each limit is taken, while a batch is put together. */
export class LimitRoom {
  readonly #state: LimitState;
  readonly #now: EpochMs;
  /** What this batch has taken, by key. */
  readonly #taken = new Map<string, number>();
  readonly #rates: RateRoom;

  constructor(state: LimitState, now: EpochMs) {
    this.#state = state;
    this.#now = now;
    this.#rates = new RateRoom(state);
  }

  /** What the batch changes of rates. To be asked once, when it is complete. */
  rateChanges(): RateChanges {
    return this.#rates.changes(this.#now);
  }

  /** Takes what the firing demands: all of it, or nothing. To be asked in the order in which triggers fire. */
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
    const full = claims.find((claim) => !this.#hasRoom(claim));
    if (full !== undefined) return { status: 'waits', claim: full, others: this.#othersWithRoom(claims) };
    const turn = rate === null ? BEGINS : this.#rates.judge(candidate, rate, this.#fireTimeOf(candidate));
    if (turn.status === 'moves') return { ...turn, others: this.#othersWithRoom(claims) };
    if (turn.status === 'putOff') return { status: 'taken', terms: { ...left, ...this.#putOff(demand, turn) } };
    for (const { key } of claims) this.#take(key, 1);
    this.#leave(leaves);
    return { status: 'taken', terms: { ...left, ...(claims.length > 0 && { holds: claims.map(({ key }) => key) }) } };
  }

  #putOff(
    { claims, leaves }: FiringDemand,
    { finding, line }: RateVerdict & { readonly status: 'putOff' },
  ): FiringTerms {
    const passes = this.#othersWithRoom(claims).map(({ key }) => key);
    const keepsPlace = finding.status === 'defer' && leaves !== null;
    if (!keepsPlace) this.#leave(leaves);
    return { passes, finding, ...(line && { line }), ...(keepsPlace && { queues: leaves.key }) };
  }

  #othersWithRoom(claims: readonly LimitClaim[]): readonly LimitClaim[] {
    return claims.filter((claim) => claim.limit < Number.POSITIVE_INFINITY && this.#hasRoom(claim));
  }

  #fireTimeOf({ trigger }: FiringCandidate): EpochMs {
    return Math.max(this.#now, trigger.nextFireTime ?? this.#now);
  }

  /** Its job is not run, whatever room there is: it takes none. The run shell decides the same. */
  #isPassedOver({ trigger, jobDetail }: FiringCandidate): boolean {
    const fireTime = this.#fireTimeOf({ trigger, jobDetail });
    return isOutOfTime({ trigger, jobDetail, scheduledFireTime: trigger.nextFireTime ?? this.#now, fireTime });
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
