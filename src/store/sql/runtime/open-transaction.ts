import type { Session, StatementResult } from './session';
import { SqlError, type SqlParams, type SqlTransaction } from './sql-driver';
import type { StatementName } from './statement-names';
import { bindByPosition, type Statements } from './statements';

/** The transaction as the work inside it sees it: statements by name, one after the other, until it ends. */
export class OpenTransaction implements SqlTransaction {
  readonly #session: Session;
  readonly #statements: Statements;
  #hasEnded = false;
  /** Statements without an answer yet. */
  #running = 0;
  #failure: SqlError | null = null;
  #hasWritten = false;

  constructor(session: Session, statements: Statements) {
    this.#session = session;
    this.#statements = statements;
  }

  /** The first error of a statement: the transaction can only be rolled back. */
  get failure(): SqlError | null {
    return this.#failure;
  }

  /** Whether any row was touched, so that there is something to commit. */
  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  get longestSet(): number {
    return this.#session.longestSet ?? Number.POSITIVE_INFINITY;
  }

  async all<Row>(name: StatementName, params: SqlParams): Promise<Row[]> {
    const { rows } = await this.#execute(name, params);
    return rows as Row[];
  }

  async run(name: StatementName, params: SqlParams): Promise<{ readonly changes: number }> {
    const { changes } = await this.#execute(name, params);
    if (changes > 0) this.#hasWritten = true;
    return { changes };
  }

  /** Before the commit. Throws if the work swallowed an error, or has not awaited a statement. */
  end(): void {
    if (this.#failure !== null) throw this.#failure;
    if (this.#running > 0) throw new TypeError('The work ended while a statement of its transaction still runs.');
    this.#hasEnded = true;
  }

  /** Before the rollback: the transaction takes nothing more. */
  abandon(): void {
    this.#hasEnded = true;
  }

  async #execute(name: StatementName, params: SqlParams): Promise<StatementResult> {
    if (this.#failure !== null) throw this.#failure;
    if (this.#hasEnded) throw new TypeError(`${name}: the transaction has ended.`);
    const statement = this.#statements.get(name);
    const values = bindByPosition(statement, params);
    this.#running++;
    try {
      return await this.#session.execute(statement, values);
    } catch (error) {
      if (error instanceof SqlError) this.#failure ??= error;
      throw error;
    } finally {
      this.#running--;
    }
  }
}
