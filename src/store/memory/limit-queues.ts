import type { EpochMs } from '../../base/clock';
import type { LimitState } from '../../domain/batch-limiter';
import type { FiringTerms, TriggerFiring } from '../../domain/firing';
import type { HeldLimit } from '../../domain/freed-limits';
import type { LimitClaim } from '../../domain/limit-claims';
import { deferredGroup, deferredTriggerKey } from '../../domain/occurrence';
import { MAX_LINE, type MovedTurn, type PutOff, type RateChanges } from '../../domain/rate-room';
import { idleBefore, idleFrom, type RateState } from '../../domain/rate-state';
import { DueList } from './due-list';
import type { TriggerEntry } from './entries';
import { RateLines, type TurnIn } from './rate-lines';

/** With fewer keys, none is searched for. */
const MIN_SWEEP = 1_000;

/** The states of rates, by key. */
class RateRows {
  readonly #rows = new Map<string, RateState>();
  #sweepAt = MIN_SWEEP;

  get(key: string): RateState | null {
    return this.#rows.get(key) ?? null;
  }

  /** How many keys have a state. */
  get size(): number {
    return this.#rows.size;
  }

  /** Deletes idle states whenever there are twice as many as after the last time, so that a firing pays for two at the most. */
  set(key: string, state: RateState, now: EpochMs): void {
    this.#rows.set(key, state);
    if (this.#rows.size < this.#sweepAt) return;
    const before = idleBefore(now);
    for (const [each, kept] of this.#rows) if (idleFrom(kept) < before) this.#rows.delete(each);
    this.#sweepAt = Math.max(MIN_SWEEP, 2 * this.#rows.size);
  }
}

/** What executes under one key, and what waits for it. */
interface LimitQueue {
  /** Run ids. */
  readonly held: Set<string>;
  readonly waiting: DueList<TriggerEntry>;
}

/** Limits of concurrent firings. A trigger that finds its key full leaves the queue of what is due, until something of the key has ended. */
export class LimitQueues implements LimitState {
  readonly #isQueued: (runId: string) => boolean;
  readonly #isOngoing: (occurrenceId: string) => boolean;
  readonly #queues = new Map<string, LimitQueue>();
  /** By the keys of queues: the firings that were put off. */
  readonly #deferred = new Map<string, Set<string>>();
  /** By the keys of limits: the occurrences in parts that hold them. */
  readonly #occurrences = new Map<string, Set<string>>();
  readonly #rates = new RateRows();
  readonly #lines: RateLines;
  #waiting = 0;

  /**
   * `isQueued`: whether a firing that was put off still is. `isOngoing`: whether an occurrence has parts left. What neither is, is forgotten.
   * `turnIn`: as for `RateLines`.
   */
  constructor(isQueued: (runId: string) => boolean, isOngoing: (occurrenceId: string) => boolean, turnIn: TurnIn) {
    this.#isQueued = isQueued;
    this.#isOngoing = isOngoing;
    this.#lines = new RateLines(turnIn);
  }

  /** Whether anything waits at all. */
  get hasWaiting(): boolean {
    return this.#waiting > 0;
  }

  /** How many runs, and occurrences in parts, hold the key. */
  heldOf(key: string): number {
    const occurrences = this.#occurrences.get(key);
    for (const id of occurrences ?? []) if (!this.#isOngoing(id)) this.#forgetOccurrence(key, id);
    return (this.#queues.get(key)?.held.size ?? 0) + (occurrences?.size ?? 0);
  }

  /** Lets an occurrence in parts hold the key until it ends. */
  hold({ key, id }: HeldLimit): void {
    this.#occurrences.set(key, (this.#occurrences.get(key) ?? new Set()).add(id));
  }

  #forgetOccurrence(key: string, id: string): void {
    const occurrences = this.#occurrences.get(key);
    if (occurrences?.delete(id) && occurrences.size === 0) this.#occurrences.delete(key);
  }

  /** The run ids of what executes under the key. */
  holdersOf(key: string): readonly string[] {
    return [...(this.#queues.get(key)?.held ?? [])];
  }

  /** How many firings wait in a queue. */
  queuedOf(queueKey: string): number {
    const queue = this.#deferred.get(queueKey);
    if (queue === undefined) return 0;
    for (const runId of queue) if (!this.#isQueued(runId)) this.#leave(queueKey, runId);
    return queue.size;
  }

  rateOf(key: string): RateState | null {
    return this.#rates.get(key);
  }

  lineOf(key: string): readonly PutOff[] {
    return this.#lines.first(key, MAX_LINE);
  }

  /** When a firing that waits for its turn was due; null: the trigger is none of these. */
  dueOf(triggerText: string): EpochMs | null {
    return this.#lines.dueOf(triggerText);
  }

  /** Writes what a batch changes of rates; the triggers that it moves. */
  saveRates({ states, moved }: RateChanges, now: EpochMs): readonly MovedTurn[] {
    for (const [key, state] of states) this.#rates.set(key, state, now);
    return moved;
  }

  #leave(queueKey: string, runId: string): void {
    const queue = this.#deferred.get(queueKey);
    if (queue?.delete(runId) && queue.size === 0) this.#deferred.delete(queueKey);
  }

  /** Takes what a firing takes of its limits, and its place in a queue, or gives that up. */
  take({ runId, trigger, holds = [] }: TriggerFiring, { queues, leaves, line }: FiringTerms): void {
    if (line?.leaves !== undefined) this.#lines.leave(line.leaves);
    if (line?.joins !== undefined)
      this.#lines.join(line.joins, deferredTriggerKey(runId, deferredGroup(trigger.key.group)), runId);
    for (const key of holds) this.#queue(key).held.add(runId);
    if (queues !== undefined) this.#deferred.set(queues, (this.#deferred.get(queues) ?? new Set()).add(runId));
    if (leaves !== undefined) this.#leave(leaves.key, leaves.runId);
  }

  /** Ends what a firing held. What may go on is in no queue any more. */
  end(runId: string, keys: readonly string[]): readonly TriggerEntry[] {
    return keys.flatMap((key) => {
      this.#queue(key).held.delete(runId);
      this.#forgetIfUnused(key);
      return this.#takeNext(key);
    });
  }

  /** Ends what an occurrence held. What may go on is in no queue any more. */
  endOccurrence({ key, id }: HeldLimit): readonly TriggerEntry[] {
    this.#forgetOccurrence(key, id);
    return this.#takeNext(key);
  }

  /** What may go on in the place of a trigger that does not fire now. It is in no queue any more. */
  passOn(claims: readonly LimitClaim[]): readonly TriggerEntry[] {
    const free = claims.filter(({ key, limit }) => limit < Number.POSITIVE_INFINITY && this.heldOf(key) < limit);
    return free.flatMap(({ key }) => this.#takeNext(key));
  }

  /** Lets the trigger wait for the key. It must be in no other queue. */
  park(entry: TriggerEntry, key: string): void {
    entry.waitsFor = key;
    this.#queue(key).waiting.add(entry);
    this.#waiting++;
  }

  /** Before a trigger that waits changes. */
  unpark(entry: TriggerEntry): void {
    const key = entry.waitsFor;
    if (key === null) return;
    entry.waitsFor = null;
    if (this.#queue(key).waiting.delete(entry)) this.#waiting--;
    this.#forgetIfUnused(key);
  }

  /** The trigger that has waited for the key longest, if any does. */
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

/** Whether a trigger is stored, and has yet to fire. */
export function mayFire(entry: TriggerEntry | null): boolean {
  return entry !== null && entry.state !== 'COMPLETE' && entry.state !== 'ERROR';
}
