import type { EpochMs } from '../../base/clock';
import { completesWithin, NEVER, sleepFor } from '../../base/sleep';
import { readNodes } from './operations/check-in';
import type { NodeTransactions } from './rows/node-transaction';
import type { SqlNode } from './rows/sql-node';

/** Nodes are not rung for triggers that are due later than this, in milliseconds: an idle node polls more often. */
const SOON_MS = 2_000;

/** Minimum interval between two rings to the same nodes, in milliseconds. Further changes within the interval share the next ring. */
const INTERVAL_MS = 5;

/**
 * Number of nodes that are rung at once, in turn. In a larger cluster, the others follow after `REST_DELAY_MS`, if at all: most changes are
 * handled by then, and a node that finds nothing has read in vain.
 */
const FIRST_NODES = 4;
const REST_DELAY_MS = 25;

/** Time that a node has to fire what has become due for it, before it rings to others, in milliseconds. */
const OWN_MS = 250;

/** Maximum time for the last rings of a store that closes, in milliseconds. */
const END_MS = 100;

/** Time for which the list of nodes is used again, in milliseconds. A node that has just joined polls ten times a second. */
const NODES_MAX_AGE_MS = 2_000;

/** Way in which other nodes hear of a change. `ring`: by a ring after its commit. `rung`: by the ring of its transaction. `here`: only if this node does not fire what is due. */
export type Notice = 'ring' | 'rung' | 'here';

/** Wakes the other nodes after a change, so that they need not wait for their next poll. Best effort: a failure is never reported. */
export class WakeUps {
  readonly #transactions: NodeTransactions;
  readonly #node: SqlNode;
  #epochs: readonly string[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  /** Monotonic time before which no further ring is sent, in milliseconds. */
  #restsUntil = Number.NEGATIVE_INFINITY;
  /** Monotonic time by which to ring; infinite if there is nothing to tell. */
  #ringBy = Number.POSITIVE_INFINITY;
  /** Like `#ringBy`, for triggers that this node fires itself, unless it is too busy. */
  #ringUnlessFiredBy = Number.POSITIVE_INFINITY;
  /** Time for which `#ringAll` waits. */
  #awaited = Number.POSITIVE_INFINITY;
  #isWaiting = false;
  #ringing: Promise<void> = Promise.resolve();
  #hasEnded = false;
  #wait = new AbortController();
  #turn = 0;

  constructor(transactions: NodeTransactions) {
    this.#transactions = transactions;
    this.#node = transactions.node;
  }

  /** Must be called after each change that makes triggers eligible to fire. `earliest`: see `scheduleChanged`. */
  changed(earliest: EpochMs | null, notice: Notice): void {
    if (notice === 'rung') void this.changedWithRing();
    else if (notice === 'here' && earliest !== null) this.becameDueHere(earliest);
    else this.scheduleChanged(earliest);
  }

  /**
   * Rings to all other nodes if a trigger became eligible to fire soon. `earliest`: its fire time; null if unknown. Returns immediately. Changes share a
   * ring for up to half of the time that is left: a busy fleet of jobs that run once a second would otherwise ring more often than it fires.
   */
  scheduleChanged(earliest: EpochMs | null): void {
    if (this.#isSoon(earliest)) this.#ringBy = this.#sooner(this.#ringBy, this.#delayOf(earliest));
    this.#await();
  }

  /**
   * Rings for triggers that this node can fire itself, but only if it has not fired all that is due a moment after the earliest fire time. What it then
   * leaves of later ones, the other nodes find by their polls.
   */
  becameDueHere(earliest: EpochMs): void {
    if (!this.#isSoon(earliest)) return;
    const delayMs = Math.max(0, earliest - this.#node.clock.now());
    this.#ringUnlessFiredBy = this.#sooner(this.#ringUnlessFiredBy, delayMs + OWN_MS);
    this.#await();
  }

  /** Must be called after an acquisition that left no due trigger that this node can fire. `requestedAt`: its beginning, in monotonic time. */
  firedAllSince(requestedAt: number): void {
    if (this.#ringUnlessFiredBy - OWN_MS <= requestedAt) this.#ringUnlessFiredBy = Number.POSITIVE_INFINITY;
  }

  /**
   * Returns the nodes to which a transaction must ring before its commit, so that they wake while it commits. Rings to the other nodes of a large cluster
   * later. After the commit, `changedWithRing` must be called if there were nodes to ring to, and `scheduleChanged` if not.
   */
  ringWithin(earliest: EpochMs | null): readonly string[] {
    const now = this.#node.clock.monotonic();
    const isFree = now >= this.#restsUntil && now < this.#ringBy - INTERVAL_MS && this.#others.length > 0;
    if (!isFree || !this.#isSoon(earliest) || this.#delayOf(earliest) > INTERVAL_MS) return [];
    const { first, rest } = this.#nextNodes();
    void this.#ringLater(rest);
    return first;
  }

  /** Rings now for all changes that wait to be told. Must be called before the store closes, and after its last change. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    this.#wait.abort();
    await completesWithin(this.#node.clock, END_MS, this.#ringing);
  }

  /** Rings to the nodes that joined after the list of nodes was read. */
  async changedWithRing(): Promise<void> {
    const known = this.#epochs;
    await this.#readNodes();
    await this.ring(this.#others.filter((epoch) => !known.includes(epoch)));
  }

  /** Monotonic time of the next ring; infinite if there is none. */
  get #nextRing(): number {
    return Math.max(Math.min(this.#ringBy, this.#ringUnlessFiredBy), this.#restsUntil);
  }

  #sooner(by: number, delayMs: number): number {
    return Math.min(by, this.#node.clock.monotonic() + delayMs);
  }

  #await(): void {
    if (this.#nextRing < this.#awaited) this.#wait.abort();
    if (!this.#isWaiting && this.#nextRing < Number.POSITIVE_INFINITY) this.#ringing = this.#ringAll();
  }

  async #ringAll(): Promise<void> {
    const { clock } = this.#node;
    this.#isWaiting = true;
    for (;;) {
      this.#awaited = this.#nextRing;
      const left = this.#awaited - clock.monotonic();
      if (left <= 0 || left === Number.POSITIVE_INFINITY || this.#hasEnded) break;
      this.#wait = new AbortController();
      await sleepFor(clock, left, this.#wait.signal);
    }
    const mustRing = this.#awaited < Number.POSITIVE_INFINITY;
    if (mustRing) await this.#readNodes();
    this.#ringBy = Number.POSITIVE_INFINITY;
    this.#ringUnlessFiredBy = Number.POSITIVE_INFINITY;
    this.#isWaiting = false;
    if (!mustRing) return;
    const { first, rest } = this.#nextNodes();
    await this.ring(first);
    await this.#ringLater(rest);
  }

  async #ringLater(epochs: readonly string[]): Promise<void> {
    if (epochs.length === 0) return;
    if (!this.#hasEnded) await sleepFor(this.#node.clock, REST_DELAY_MS, NEVER);
    await this.ring(epochs);
  }

  /** Rings to nodes. Never rejects. */
  async ring(epochs: readonly string[]): Promise<void> {
    if (epochs.length > 0) await this.#transactions.plain.bell?.ring(epochs).catch(() => undefined);
  }

  #isSoon(earliest: EpochMs | null): boolean {
    return earliest === null || earliest - this.#node.clock.now() <= SOON_MS;
  }

  #delayOf(earliest: EpochMs | null): number {
    return earliest === null ? 0 : Math.max(0, earliest - this.#node.clock.now()) / 2;
  }

  get #others(): readonly string[] {
    return this.#epochs.filter((epoch) => epoch !== this.#node.incarnation?.epoch);
  }

  #nextNodes(): { readonly first: readonly string[]; readonly rest: readonly string[] } {
    const others = this.#others;
    const isLarge = others.length > FIRST_NODES;
    this.#restsUntil = this.#node.clock.monotonic() + (isLarge ? REST_DELAY_MS : INTERVAL_MS);
    if (isLarge) this.#turn = (this.#turn + 1) % others.length;
    const inTurn = isLarge ? [...others.slice(this.#turn), ...others.slice(0, this.#turn)] : others;
    return { first: inTurn.slice(0, FIRST_NODES), rest: inTurn.slice(FIRST_NODES) };
  }

  async #readNodes(): Promise<void> {
    const now = this.#node.clock.monotonic();
    if (this.#transactions.plain.bell === undefined || now - this.#readAt <= NODES_MAX_AGE_MS) return;
    this.#readAt = now;
    const reading = await readNodes(this.#transactions).catch(() => null); // the known nodes are rung; others poll
    if (reading !== null) this.#epochs = reading.nodes.flatMap(({ epoch }) => epoch ?? []);
  }
}
