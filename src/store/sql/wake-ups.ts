import type { EpochMs } from '../../base/clock';
import { NEVER, sleepFor } from '../../base/sleep';
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

/** Time for which the list of nodes is used again, in milliseconds. A node that has just joined polls ten times a second. */
const NODES_MAX_AGE_MS = 2_000;

/** Wakes the other nodes after a change, so that they need not wait for their next poll. Best effort: a failure is never reported. */
export class WakeUps {
  readonly #transactions: NodeTransactions;
  readonly #node: SqlNode;
  #epochs: readonly string[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  /** Monotonic time before which no further ring is sent, in milliseconds. */
  #restsUntil = Number.NEGATIVE_INFINITY;
  #willRing = false;
  #turn = 0;

  constructor(transactions: NodeTransactions) {
    this.#transactions = transactions;
    this.#node = transactions.node;
  }

  /** Rings to all other nodes if a trigger became eligible to fire soon. `earliest`: its fire time; null if unknown. Returns immediately. */
  scheduleChanged(earliest: EpochMs | null): void {
    if (this.#willRing || !this.#isSoon(earliest)) return;
    this.#willRing = true;
    void this.#ringAll();
  }

  /**
   * Returns the nodes to which a transaction must ring before its commit, so that they wake while it commits. Rings to the other nodes of a large cluster
   * later. After the commit, `changedWithRing` must be called if there were nodes to ring to, and `scheduleChanged` if not.
   */
  ringWithin(earliest: EpochMs | null): readonly string[] {
    const mayRing = !this.#willRing && this.#node.clock.monotonic() >= this.#restsUntil && this.#others.length > 0;
    if (!mayRing || !this.#isSoon(earliest)) return [];
    const { first, rest } = this.#nextNodes();
    void this.#ringLater(rest);
    return first;
  }

  /** Rings to the nodes that joined after the list of nodes was read. */
  async changedWithRing(): Promise<void> {
    const known = this.#epochs;
    await this.#readNodes();
    await this.ring(this.#others.filter((epoch) => !known.includes(epoch)));
  }

  async #ringAll(): Promise<void> {
    const { clock } = this.#node;
    await sleepFor(clock, this.#restsUntil - clock.monotonic(), NEVER);
    await this.#readNodes();
    this.#willRing = false;
    const { first, rest } = this.#nextNodes();
    await this.ring(first);
    await this.#ringLater(rest);
  }

  async #ringLater(epochs: readonly string[]): Promise<void> {
    if (epochs.length === 0) return;
    await sleepFor(this.#node.clock, REST_DELAY_MS, NEVER);
    await this.ring(epochs);
  }

  /** Rings to nodes. Never rejects. */
  async ring(epochs: readonly string[]): Promise<void> {
    if (epochs.length > 0) await this.#transactions.plain.bell?.ring(epochs).catch(() => undefined);
  }

  #isSoon(earliest: EpochMs | null): boolean {
    return earliest === null || earliest - this.#node.clock.now() <= SOON_MS;
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
