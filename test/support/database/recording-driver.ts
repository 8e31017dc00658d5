import type {
  ConnectionRole,
  SqlDialect,
  SqlDriver,
  SqlParams,
  SqlTransaction,
  TransactionOptions,
} from '../../../src/store/sql/runtime/sql-driver';
import type { StatementName } from '../../../src/store/sql/runtime/statement-names';

type Step = StatementName | 'begin' | 'commit';

/** A driver that records the steps of its transactions on the scheduler's connection, in order. */
export class RecordingDriver implements SqlDriver {
  readonly dialect: SqlDialect;
  /** Steps since `forget`. A statement is recorded after its answer. */
  steps: Step[] = [];
  /** Errors that ended transactions before their commit. */
  readonly failures: unknown[] = [];
  readonly #driver: SqlDriver;
  #waiting: { readonly step: Step; readonly resolve: () => void }[] = [];

  constructor(driver: SqlDriver, dialect: SqlDialect = driver.dialect) {
    this.#driver = driver;
    this.dialect = dialect;
  }

  forget(): void {
    this.steps = [];
  }

  /** Resolves when `step` happens next. */
  next(step: Step): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ step, resolve }));
  }

  async transaction<T>(
    role: ConnectionRole,
    work: (tx: SqlTransaction) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T> {
    if (role !== 'scheduler') return this.#driver.transaction(role, work, options);
    try {
      const recorded = (tx: SqlTransaction) => {
        this.#done('begin');
        return work(this.#recorded(tx));
      };
      const result = await this.#driver.transaction(role, recorded, options);
      this.#done('commit');
      return result;
    } catch (error) {
      this.failures.push(error);
      throw error;
    }
  }

  select<Row>(...args: Parameters<SqlDriver['select']>): Promise<Row[]> {
    return this.#driver.select(...args);
  }

  readActivity() {
    return this.#driver.readActivity();
  }

  close(): Promise<void> {
    return this.#driver.close();
  }

  #recorded(tx: SqlTransaction): SqlTransaction {
    return {
      maxSetBytes: tx.maxSetBytes,
      get hasWritten() {
        return tx.hasWritten;
      },
      all: async <Row>(statement: StatementName, params: SqlParams) => {
        const rows = await tx.all<Row>(statement, params);
        this.#done(statement);
        return rows;
      },
      run: async (statement, params) => {
        const result = await tx.run(statement, params);
        this.#done(statement);
        return result;
      },
    };
  }

  #done(step: Step): void {
    this.steps.push(step);
    const reached = this.#waiting.filter((waiting) => waiting.step === step);
    this.#waiting = this.#waiting.filter((waiting) => waiting.step !== step);
    for (const { resolve } of reached) resolve();
  }
}
