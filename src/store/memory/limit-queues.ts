import type { EpochMs } from '../../base/clock';
import type { LimitState } from '../../domain/batch-limiter';
import type { FiringTerms, TriggerFiring } from '../../domain/firing';
import type { HeldLimit } from '../../domain/freed-limits';
import type { LimitClaim } from '../../domain/limit-claims';
import { deferredGroup, deferredTriggerKey } from '../../domain/occurrence';
import { MAX_LINE, type MovedTurn, type PutOff, type RateChanges } from '../../domain/rate-capacity';
import { idleBefore, idleFrom, type RateState } from '../../domain/rate-state';
import { isHalted } from '../../domain/trigger-state';
import { DueList } from './due-list';
import type { TriggerEntry } from './entries';
import { RateLines, type TurnIn } from './rate-lines';

/** Number of rate limit states at which idle states are first deleted. */
const MIN_SWEEP = 1_000;

class RateRows {
  readonly #rows = new Map<string, RateState>();
  #sweepAt = MIN_SWEEP;

  get(key: string): RateState | null {
    return this.#rows.get(key) ?? null;
  }

  /** Stores a state. Deletes idle states when the number of states has doubled, so that each call examines at most two states on average. */
  set(key: string, state: RateState, now: EpochMs): void {
    this.#rows.set(key, state);
    if (this.#rows.size < this.#sweepAt) return;
    const before = idleBefore(now);
    for (const [each, kept] of this.#rows) if (idleFrom(kept) < before) this.#rows.delete(each);
    this.#sweepAt = Math.max(MIN_SWEEP, 2 * this.#rows.size);
  }
}

/** Firings that count toward one limit, and triggers that wait for the limit. */
interface LimitQueue {
  /** Run ids of the firings. */
  readonly held: Set<string>;
  readonly waiting: DueList<TriggerEntry>;
}

/** Limits on concurrent firings. A trigger whose limit is exhausted leaves the due queue until a firing that counts toward the limit ends. */
export class LimitQueues implements LimitState {
  readonly #isQueued: (runId: string) => boolean;
  readonly #isOngoing: (occurrenceId: string) => boolean;
  readonly #queues = new Map<string, LimitQueue>();
  /** Run ids of deferred firings, by queue key. */
  readonly #deferred = new Map<string, Set<string>>();
  /** Ids of occurrences with parts (shards) that count toward a limit, by limit key. */
  readonly #occurrences = new Map<string, Set<string>>();
  readonly #rates = new RateRows();
  readonly #lines: RateLines;
  #waiting = 0;

  /**
   * `isQueued` returns true if a deferred firing is still waiting. `isOngoing` returns true if an occurrence has parts (shards) left. Deferred
   * firings and occurrences for which these functions return false are removed when they are read. `turnIn`: see `RateLines`.
   */
  constructor(isQueued: (runId: string) => boolean, isOngoing: (occurrenceId: string) => boolean, turnIn: TurnIn) {
    this.#isQueued = isQueued;
    this.#isOngoing = isOngoing;
    this.#lines = new RateLines(turnIn);
  }

  get hasWaiting(): boolean {
    return this.#waiting > 0;
  }

  /** Returns the number of runs and occurrences with parts (shards) that count toward the limit. Drops occurrences that have ended. */
  heldOf(key: string): number {
    const occurrences = this.#occurrences.get(key);
    for (const id of occurrences ?? []) if (!this.#isOngoing(id)) deleteFrom(this.#occurrences, key, id);
    return (this.#queues.get(key)?.held.size ?? 0) + (occurrences?.size ?? 0);
  }

  /** Counts an occurrence with parts (shards) toward the limit until the occurrence ends. */
  hold({ key, id }: HeldLimit): void {
    this.#occurrences.set(key, (this.#occurrences.get(key) ?? new Set()).add(id));
  }

  holdersOf(key: string): readonly string[] {
    return [...(this.#queues.get(key)?.held ?? [])];
  }

  /** Returns the number of deferred firings that wait in a queue. Drops firings that no longer wait. */
  queuedOf(queueKey: string): number {
    const queue = this.#deferred.get(queueKey);
    if (queue === undefined) return 0;
    for (const runId of queue) if (!this.#isQueued(runId)) deleteFrom(this.#deferred, queueKey, runId);
    return queue.size;
  }

  rateOf(key: string): RateState | null {
    return this.#rates.get(key);
  }

  lineOf(key: string): readonly PutOff[] {
    return this.#lines.first(key, MAX_LINE);
  }

  /** Returns the original due time of the firing that a rate limit has deferred to this trigger. Returns null for triggers of other firings. */
  dueOf(triggerText: string): EpochMs | null {
    return this.#lines.dueOf(triggerText);
  }

  /** Stores the states of rate limits that a batch has changed. Returns the deferred firings that must move to other fire times. */
  saveRates({ states, moved }: RateChanges, now: EpochMs): readonly MovedTurn[] {
    for (const [key, state] of states) this.#rates.set(key, state, now);
    return moved;
  }

  /** Records a firing: the limits toward which it counts, and the queues and lines (`RateLines`) that it joins or leaves. */
  take({ runId, trigger, holds = [] }: TriggerFiring, { queues, leaves, line }: FiringTerms): void {
    if (line?.leaves !== undefined) this.#lines.leave(line.leaves);
    if (line?.joins !== undefined)
      this.#lines.join(line.joins, deferredTriggerKey(runId, deferredGroup(trigger.key.group)), runId);
    for (const key of holds) this.#queue(key).held.add(runId);
    if (queues !== undefined) this.#deferred.set(queues, (this.#deferred.get(queues) ?? new Set()).add(runId));
    if (leaves !== undefined) deleteFrom(this.#deferred, leaves.key, leaves.runId);
  }

  /** Returns the triggers that stop waiting; the caller must queue them. */
  end(runId: string, keys: readonly string[]): readonly TriggerEntry[] {
    return keys.flatMap((key) => {
      this.#queue(key).held.delete(runId);
      this.#forgetIfUnused(key);
      return this.#takeNext(key);
    });
  }

  /** Returns the triggers that stop waiting; the caller must queue them. */
  endOccurrence({ key, id }: HeldLimit): readonly TriggerEntry[] {
    deleteFrom(this.#occurrences, key, id);
    return this.#takeNext(key);
  }

  /** Ends the wait of triggers that may use the capacity of these claims, because the claimant does not fire now. The caller must queue them. */
  passOn(claims: readonly LimitClaim[]): readonly TriggerEntry[] {
    const free = claims.filter(({ key, limit }) => limit < Number.POSITIVE_INFINITY && this.heldOf(key) < limit);
    return free.flatMap(({ key }) => this.#takeNext(key));
  }

  /** Makes the trigger wait for the limit. The trigger must not be in any other queue. */
  park(entry: TriggerEntry, key: string): void {
    entry.waitsFor = key;
    this.#queue(key).waiting.add(entry);
    this.#waiting++;
  }

  /** Ends the wait of a trigger, if it waits. Must be called before a waiting trigger changes. */
  unpark(entry: TriggerEntry): void {
    const key = entry.waitsFor;
    if (key === null) return;
    entry.waitsFor = null;
    if (this.#queue(key).waiting.delete(entry)) this.#waiting--;
    this.#forgetIfUnused(key);
  }

  /** Ends the wait of the first trigger in firing order that waits for the key. Returns the trigger, or an empty list if none waits. */
  #takeNext(key: string): readonly TriggerEntry[] {
    const next = this.#queues.get(key)?.waiting.first() ?? null;
    if (next === null) return [];
    this.unpark(next);
    return [next];
  }

  #queue(key: string): LimitQueue {
    const queue = this.#queues.get(key) ?? { held: new Set(), waiting: new DueList<TriggerEntry>() };
    this.#queues.set(key, queue);
    return queue;
  }

  #forgetIfUnused(key: string): void {
    const queue = this.#queues.get(key);
    if (queue?.held.size === 0 && queue.waiting.isEmpty) this.#queues.delete(key);
  }
}

function deleteFrom(sets: Map<string, Set<string>>, key: string, id: string): void {
  const set = sets.get(key);
  if (set?.delete(id) && set.size === 0) sets.delete(key);
}

/** True if a trigger is stored and may still fire. */
export function mayFire(entry: TriggerEntry | null): boolean {
  return entry !== null && !isHalted(entry.state);
}
