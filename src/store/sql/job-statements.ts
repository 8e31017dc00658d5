import type { JobSql, SqlParameter } from '../../api/transactions';
import { SchedulerStateError } from '../../base/errors';
import type { StatementResult } from './runtime/session';

/** What runs the statements of jobs. */
export interface PerformingSession {
  readonly connection: unknown;
  /** Rejects with the error of the driver. */
  perform(text: string, values: readonly unknown[]): Promise<StatementResult>;
}

/** The statements of one job, until its part of the transaction ends. */
export class JobStatements implements JobSql {
  readonly #session: PerformingSession;
  #running = 0;
  #hasEnded = false;

  constructor(session: PerformingSession) {
    this.#session = session;
  }

  get connection(): unknown {
    return this.#session.connection;
  }

  async query<Row>(text: string, values: readonly SqlParameter[] = []): Promise<Row[]> {
    return (await this.#perform(text, values)).rows as Row[];
  }

  async execute(text: string, values: readonly SqlParameter[] = []): Promise<{ readonly affectedRows: number }> {
    return { affectedRows: (await this.#perform(text, values)).changes };
  }

  /** Throws SCHEDULER_STATE when a statement was not awaited. */
  end(): void {
    this.#hasEnded = true;
    if (this.#running === 0) return;
    throw new SchedulerStateError(
      'The job ended its transaction while a statement of it still runs: await each of them.',
    );
  }

  async #perform(text: string, values: readonly SqlParameter[]): Promise<StatementResult> {
    if (this.#hasEnded) throw new SchedulerStateError('The transaction has ended, and takes no statement any more.');
    this.#running++;
    try {
      return await this.#session.perform(text, values);
    } finally {
      this.#running--;
    }
  }
}
