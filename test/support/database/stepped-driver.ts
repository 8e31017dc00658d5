import {
  type ConnectionRole,
  type SqlDialect,
  type SqlDriver,
  SqlError,
  type SqlErrorKind,
  type SqlParams,
  type SqlTransaction,
  type TransactionOptions,
  UnknownCommitError,
} from '../../../src/store/sql/runtime/sql-driver';
import type { StatementName } from '../../../src/store/sql/runtime/statement-names';

/** A step of a transaction that may write: before its begin, before a statement, or before its commit. */
export type Step = StatementName | 'begin' | 'commit';

/** A held transaction. */
export interface Hold {
  readonly reached: Promise<void>;
  go(): void;
}

/** `arrived`: the database commits, but its answer is lost. `lost`: the commit never arrives. */
export type CommitFault = 'arrived' | 'lost';

type Action = () => Promise<void> | void;

/** A driver whose transactions can be held, fail or lose their answer at an exact step. */
export class SteppedDriver implements SqlDriver {
  readonly dialect: SqlDialect;
  /** Errors that ended write transactions before their commit, in order. */
  readonly failures: unknown[] = [];
  readonly #driver: SqlDriver;
  readonly #actions = new Map<Step, Action>();
  readonly #holds: (() => void)[] = [];
  #ignoresLocks = false;
  #failsIn = 0;
  #connectionsLost = 0;
  #commitFault: CommitFault | null = null;

  constructor(driver: SqlDriver) {
    this.#driver = driver;
    this.dialect = { ...driver.dialect, losesCommits: true };
  }

  /** Holds the next transaction that reaches `step`. */
  holdAt(step: Step): Hold {
    const { promise: reached, resolve: arrive } = gate();
    const { promise: released, resolve: go } = gate();
    this.#holds.push(go);
    this.#once(step, () => {
      arrive();
      return released;
    });
    return { reached, go };
  }

  /** Ends every hold, because transactions that a failed test holds would never end. */
  release(): void {
    this.#actions.clear();
    for (const go of this.#holds.splice(0)) go();
  }

  /** Runs `action` when the next transaction reaches `step`. */
  at(step: Step, action: Action): void {
    this.#once(step, action);
  }

  /** Makes the `count`-th statement from now on fail with a deadlock, which rolls the transaction back. */
  failIn(count: number): void {
    this.#failsIn = count;
  }

  /** True if the requested failure has not happened yet. */
  get isToFail(): boolean {
    return this.#failsIn > 0;
  }

  /** Makes the next `count` write transactions fail without a connection. */
  loseConnections(count: number): void {
    this.#connectionsLost = count;
  }

  /** Makes the next commit end without an answer. */
  loseCommit(fault: CommitFault): void {
    this.#commitFault = fault;
  }

  /** Reads the lock rows of the cluster without locking them, so that only compare-and-set protects rows. */
  ignoreLocks(): void {
    this.#ignoresLocks = true;
  }

  get takesLocks(): boolean {
    return !this.#ignoresLocks;
  }

  async transaction<T>(
    role: ConnectionRole,
    work: (tx: SqlTransaction) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T> {
    if (role === 'read') return this.#driver.transaction(role, work, options);
    await this.#reach('begin');
    if (this.#connectionsLost > 0) {
      this.#connectionsLost--;
      throw failure('connectionLost', null);
    }
    const result = await this.#recorded(role, work, options);
    if (this.#takeFault('arrived')) throw new UnknownCommitError(new Error('the answer is lost'));
    return result;
  }

  select<Row>(...args: Parameters<SqlDriver['select']>): Promise<Row[]> {
    return this.#driver.select(...args);
  }

  readActivity() {
    return this.#driver.readActivity();
  }

  /** Does nothing: the connections stay open for the next test. */
  async close(): Promise<void> {}

  async #recorded<T>(
    role: ConnectionRole,
    work: (tx: SqlTransaction) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T> {
    const stepped = async (tx: SqlTransaction) => {
      const result = await work(this.#stepped(tx));
      await this.#reach('commit');
      if (this.#takeFault('lost')) throw new UnknownCommitError(new Error('the commit is lost'));
      return result;
    };
    try {
      return await this.#driver.transaction(role, stepped, options);
    } catch (error) {
      this.failures.push(error);
      throw error;
    }
  }

  /** Runs statements one after the other, even if they are sent together, so that a hold also holds later statements. */
  #stepped(tx: SqlTransaction): SqlTransaction {
    let last: Promise<unknown> = Promise.resolve();
    const inTurn = <T>(statement: StatementName, run: () => T | Promise<T>): Promise<T> => {
      const turn = last.then(() => this.#before(statement)).then(run);
      last = turn.catch(() => undefined);
      return turn;
    };
    return {
      maxSetBytes: tx.maxSetBytes,
      get hasWritten() {
        return tx.hasWritten;
      },
      all: <Row>(statement: StatementName, params: SqlParams) => {
        const isGranted = statement === 'selectLock' && this.#ignoresLocks;
        return inTurn(statement, () => (isGranted ? [{} as Row] : tx.all<Row>(statement, params)));
      },
      run: (statement, params) => inTurn(statement, () => tx.run(statement, params)),
    };
  }

  async #before(statement: StatementName): Promise<void> {
    await this.#reach(statement);
    if (this.#failsIn > 0 && --this.#failsIn === 0) throw failure('deadlock', statement);
  }

  async #reach(step: Step): Promise<void> {
    const action = this.#actions.get(step);
    this.#actions.delete(step);
    await action?.();
  }

  #once(step: Step, action: Action): void {
    this.#actions.set(step, action);
  }

  #takeFault(fault: CommitFault): boolean {
    if (this.#commitFault !== fault) return false;
    this.#commitFault = null;
    return true;
  }
}

function failure(kind: SqlErrorKind, statement: StatementName | null): SqlError {
  return new SqlError({ kind, databaseCode: 'TEST', statement, message: `a ${kind} that a test asked for` });
}

function gate(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((open) => {
    resolve = open;
  });
  return { promise, resolve };
}
