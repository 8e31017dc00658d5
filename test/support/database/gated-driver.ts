import {
  type ConnectionRole,
  type ScriptOptions,
  type ScriptStep,
  type SqlDriver,
  type SqlParams,
  type SqlTransaction,
  type TransactionOptions,
  UnknownCommitError,
} from '../../../src/store/sql/runtime/sql-driver';
import type { StatementName } from '../../../src/store/sql/runtime/statement-names';

/**
 * Boundary of a script in the client: before a train reads the due triggers, before the flush is sent, before the result of an unanswered flush is
 * checked, and after the answer.
 */
export type Boundary = 'reading' | 'flush' | 'lookUp' | 'answer';

type Action = () => Promise<void>;

/** A driver that performs actions at the boundaries of scripts. Each boundary is passed once per attempt. */
export class GatedDriver implements SqlDriver {
  readonly dialect: SqlDriver['dialect'];
  /** Rows that the scripts returned, in order; null: no answer, or nothing was stored. */
  readonly answers: (readonly unknown[] | null)[] = [];
  readonly #driver: SqlDriver;
  readonly #gated: StatementName;
  readonly #actions: { readonly boundary: Boundary; readonly action: Action }[] = [];
  #isInDoubt = false;

  /** `gated`: a statement of the scripts. Other scripts pass. */
  constructor(driver: SqlDriver, gated: StatementName = 'insertTrain') {
    this.#driver = driver;
    this.#gated = gated;
    this.dialect = driver.dialect;
  }

  /** Performs `action` when a script next comes to the boundary. A second action is performed when one comes to it again. */
  at(boundary: Boundary, action: Action): void {
    this.#actions.push({ boundary, action });
  }

  /** Drops the actions that were not performed, and returns their boundaries. */
  clear(): readonly Boundary[] {
    return this.#actions.splice(0).map(({ boundary }) => boundary);
  }

  readonly script = async (role: ConnectionRole, steps: readonly ScriptStep[], options?: ScriptOptions) => {
    const send = () => this.#driver.script?.(role, steps, options) ?? [];
    if (!steps.some(({ statement }) => statement === this.#gated)) return send();
    await this.#reach('flush');
    const answer = this.answers.push(null) - 1;
    try {
      const rows = await send();
      this.answers[answer] = rows;
      await this.#reach('answer');
      return rows;
    } catch (error) {
      this.#isInDoubt = error instanceof UnknownCommitError;
      throw error;
    }
  };

  async transaction<T>(
    role: ConnectionRole,
    work: (tx: SqlTransaction) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T> {
    if (this.#isInDoubt) {
      this.#isInDoubt = false;
      await this.#reach('lookUp');
    }
    return this.#driver.transaction(role, work, options);
  }

  async select<Row>(statement: StatementName, params?: SqlParams, schedName?: string): Promise<Row[]> {
    if (statement === 'selectDueForTrain') await this.#reach('reading');
    return this.#driver.select(statement, params, schedName);
  }

  readActivity() {
    return this.#driver.readActivity();
  }

  close(): Promise<void> {
    return this.#driver.close();
  }

  async #reach(boundary: Boundary): Promise<void> {
    const index = this.#actions.findIndex((each) => each.boundary === boundary);
    if (index >= 0) await this.#actions.splice(index, 1)[0]?.action();
  }
}

/** The same connections without scripts: the node then acquires everything under the lock. */
export function withoutScripts(driver: SqlDriver): SqlDriver {
  return {
    dialect: driver.dialect,
    transaction: (role, work, options) => driver.transaction(role, work, options),
    select: (...args) => driver.select(...args),
    readActivity: () => driver.readActivity(),
    close: async () => undefined,
  };
}
