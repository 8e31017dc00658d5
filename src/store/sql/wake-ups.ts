import type { EpochMs } from '../../base/clock';
import { sleepFor } from '../../base/sleep';
import { readNodes } from './operations/check-in';
import type { SqlNode } from './rows/sql-node';
import type { Transactions } from './runtime/transactions';

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

const NEVER = new AbortController().signal;

/** Wakes the other nodes after a change, so that they need not wait for their next poll. Best effort: a failure is never reported. */
export class WakeUps {
  readonly #transactions: Transactions;
  readonly #node: SqlNode;
  #epochs: readonly string[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  #isRinging = false;
  #mustRing = false;
  #turn = 0;

  constructor(transactions: Transactions, node: SqlNode) {
    this.#transactions = transactions;
    this.#node = node;
  }

  /** Rings to all other nodes if a trigger became eligible to fire soon. `earliest`: its fire time; null if unknown. Returns immediately. */
  scheduleChanged(earliest: EpochMs | null): void {
    if (earliest !== null && earliest - this.#node.clock.now() > SOON_MS) return;
    this.#mustRing = true;
    if (!this.#isRinging) void this.#ringAll();
  }

  async #ringAll(): Promise<void> {
    this.#isRinging = true;
    while (this.#mustRing) {
      this.#mustRing = false;
      const epochs = await this.#others().catch(() => []);
      await this.#ring(epochs.slice(0, FIRST_NODES));
      await sleepFor(this.#node.clock, epochs.length > FIRST_NODES ? REST_DELAY_MS : INTERVAL_MS, NEVER);
      await this.#ring(epochs.slice(FIRST_NODES));
    }
    this.#isRinging = false;
  }

  async #ring(epochs: readonly string[]): Promise<void> {
    if (epochs.length > 0) await this.#transactions.bell?.ring(epochs).catch(() => undefined);
  }

  async #others(): Promise<readonly string[]> {
    const { clock, incarnation } = this.#node;
    if (this.#transactions.bell === undefined) return [];
    const now = clock.monotonic();
    if (now - this.#readAt > NODES_MAX_AGE_MS) {
      const { nodes } = await readNodes(this.#transactions, this.#node);
      this.#epochs = nodes.flatMap(({ epoch }) => (epoch === null ? [] : [epoch]));
      this.#readAt = now;
    }
    const others = this.#epochs.filter((epoch) => epoch !== incarnation?.epoch);
    if (others.length <= FIRST_NODES) return others;
    this.#turn = (this.#turn + 1) % others.length;
    return [...others.slice(this.#turn), ...others.slice(0, this.#turn)];
  }
}
