import { type Clock, SystemClock } from '../../base/clock';
import { completesWithin } from '../../base/sleep';
import type { ChangeSet } from '../../domain/schedule-change';
import type { ApplyOptions } from '../job-store';
import type { DatabaseTarget } from './engine/engine';
import type { SqlStoreOptions } from './open-sql-store';
import { watchJavaNodes } from './operations/beside-java';
import { SharedChanges } from './operations/shared-changes';
import { NodeTransactions } from './rows/node-transaction';
import type { SqlNode } from './rows/sql-node';
import { CommitTokens } from './runtime/commit-tokens';
import { Transactions } from './runtime/transactions';

/** The store rings when it is notified of an addition. */
const NO_RINGS = { ringWithin: () => [], ring: async () => undefined };

/** Additions of the calling thread, on a connection of their own. Each is one script, so it holds no lock while this thread is busy. */
export class SqlAdditions {
  readonly #transactions: Transactions;
  readonly #tokens: CommitTokens;
  readonly #changes: SharedChanges;
  readonly #clock: Clock;

  constructor(target: DatabaseTarget, options: SqlStoreOptions) {
    this.#clock = options.clock;
    this.#transactions = new Transactions(
      target.openDriver({ keepsAlive: false, clock: new SystemClock({ keepsAlive: false }) }),
      options,
    );
    this.#tokens = new CommitTokens(this.#transactions);
    this.#changes = new SharedChanges(this.#tokens, NO_RINGS);
  }

  async add(node: SqlNode, changes: ChangeSet, options: ApplyOptions) {
    if (changes.length === 0) await this.#transactions.run(null, async () => undefined); // connects
    await watchJavaNodes(new NodeTransactions(this.#transactions, node));
    return this.#changes.addAlone(node, changes, options, (work) => this.#transactions.run(null, work));
  }

  async close(timeoutMs: number): Promise<void> {
    const closed = this.#closeInOrder();
    if (await completesWithin(this.#clock, timeoutMs, closed)) return;
    this.#transactions.abort();
    closed.catch(() => undefined);
  }

  async #closeInOrder(): Promise<void> {
    await this.#transactions.drain();
    await this.#tokens.end();
    await this.#transactions.close();
  }
}
