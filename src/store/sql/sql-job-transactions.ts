import type { JobSql, OpenConnection, SqlParameter } from '../../api/transactions';
import { SchedulerError, SchedulerStateError, toError } from '../../base/errors';
import { backoffDelay } from '../../base/retry';
import { completesWithin, sleepFor } from '../../base/sleep';
import type { Completion } from '../../domain/completion';
import { asOnlyWriter } from '../job-transaction';
import { type ConnectionActivity, summedUp } from '../store-activity';
import type { EndedInTransaction } from '../transaction-store';
import type { DatabaseTarget, JobSession, PerformingSession } from './engine/engine';
import type { SqlStoreOptions } from './open-sql-store';
import { watchJavaNodes } from './operations/beside-java';
import { waysToComplete } from './operations/complete';
import { type CompletedBatch, UnexpectedRows } from './operations/completed-batch';
import { withNode } from './rows/node-transaction';
import type { SqlNode } from './rows/sql-node';
import { StaleRead, toStoreFailure } from './runtime/retry-rules';
import {
  ConnectionQueue,
  execute,
  orDiscard,
  runPart,
  type Session,
  type StatementResult,
  undo,
} from './runtime/session';
import { SqlError, type SqlParams, UnknownCommitError } from './runtime/sql-driver';
import type { StatementName } from './runtime/statement-names';
import { RESOLVE_DELAY_MS, takeLock } from './runtime/transactions';

/** A connection, and the key of the token that shows whether its last transaction was stored after a commit without an answer. */
interface JobConnection {
  readonly queue: ConnectionQueue<JobSession>;
  readonly tokenKey: string;
  number: number;
}

/** A job's statements in its transaction, and a function that returns the completion for their result. */
interface JobWork<T> {
  readonly work: (sql: JobSql) => Promise<T>;
  readonly completionOf: (answer: T) => Completion;
}

/** Number of attempts to complete a run in the most careful way (`waysToComplete`) while other transactions change the same rows. */
const ATTEMPTS = 3;

const TOKEN_LENGTH = 16;

/** Transactions in which jobs store their own rows together with the end of their runs. Uses separate connections. */
export class SqlJobTransactions {
  readonly #target: DatabaseTarget;
  readonly #node: SqlNode;
  readonly #options: SqlStoreOptions;
  readonly #closing = new AbortController();
  readonly #processId: string;
  readonly #connections: JobConnection[] = [];

  constructor(target: DatabaseTarget, node: SqlNode, options: SqlStoreOptions) {
    this.#target = target;
    this.#node = node;
    this.#options = options;
    this.#processId = options.random.token(TOKEN_LENGTH);
  }

  /** Runs a job in a transaction; see `TransactionStore.runJob`. */
  async run<T>(job: JobWork<T>): Promise<EndedInTransaction<T>> {
    const connection = this.#leastLoaded();
    return connection.queue
      .use(async (session) => {
        await orDiscard(session, session.allowLongPauses?.());
        await orDiscard(session, session.begin());
        const ended = await this.#runIn(session, connection, job).catch(async (error: unknown) => {
          await undo(session, error);
          throw error;
        });
        await this.#commit(session, connection);
        return ended;
      })
      .catch((error: unknown) => {
        throw toStoreFailure(error);
      });
  }

  readActivity(): ConnectionActivity {
    const parts = this.#connections.map(({ queue }) => queue.read());
    return summedUp('jobs', parts);
  }

  /** Waits at most `timeoutMs` for running transactions, then aborts them. Each transaction is stored as a whole or not at all. */
  async close(timeoutMs: number): Promise<void> {
    const connections = this.#connections;
    const closed = Promise.all(connections.map((each) => this.#forget(each).then(() => each.queue.close())));
    if (await completesWithin(this.#options.clock, timeoutMs, closed)) return;
    this.#closing.abort();
    for (const { queue } of connections) queue.abort();
    closed.catch(() => undefined);
  }

  async #runIn<T>(session: JobSession, connection: JobConnection, job: JobWork<T>): Promise<EndedInTransaction<T>> {
    await session.beginJob();
    const sql = new JobStatements(session);
    const work = () => job.work(sql);
    const answer = await (this.#target.hasOneWriter ? asOnlyWriter(this.#options.dataSource.url, work) : work());
    sql.end();
    const completion = job.completionOf(answer);
    await assertOpen(session);
    await session.endLongPauses?.(); // from here on, other transactions may wait for rows that this one has locked
    const { outcomes, earliest } = await this.#complete(session, completion);
    const [outcome] = outcomes;
    if (outcome?.status !== 'completed')
      throw new SchedulerStateError(
        `The run ${completion.firing.runId} no longer belongs to this node: the node was declared dead, and another node has taken the run over. ` +
          'The transaction was rolled back.',
      );
    if (this.#target.losesCommits) {
      const params = { tokenKey: connection.tokenKey, number: `${++connection.number}` };
      await this.#execute(session, 'writeCommitToken', params);
    }
    return { answer, completion, outcome, earliest };
  }

  async #complete(session: JobSession, completion: Completion): Promise<CompletedBatch> {
    const mayFree = completion.firing.holds !== undefined; // a limit's capacity, which needs the lock in a transaction of its own length
    const ways = waysToComplete([completion]).filter(({ lock }) => lock !== null || !mayFree);
    const again = Array.from({ length: ATTEMPTS - 1 }, () => ways.slice(-1)).flat();
    const { statements } = this.#target;
    const { schedName } = this.#node;
    let failure: unknown;
    for (const { lock, work } of [...ways, ...again]) {
      try {
        return await runPart(session, { statements, schedName }, async (tx) => {
          if (lock !== null) await takeLock(tx, lock, this.#target);
          const own = withNode(tx, this.#node);
          await watchJavaNodes(own);
          return work(own);
        });
      } catch (error) {
        if (!(error instanceof UnexpectedRows || error instanceof StaleRead)) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  async #commit(session: Session, connection: JobConnection): Promise<void> {
    try {
      await session.commit();
    } catch (error) {
      session.discard();
      const isKnown = !this.#target.losesCommits || (error instanceof SqlError && error.isRolledBack);
      if (!isKnown && (await this.#isCommitted(connection, error))) return;
      throw error;
    }
  }

  /** Queries the database until it answers or the store closes, because the node must know whether the job's rows are stored. */
  async #isCommitted(connection: JobConnection, cause: unknown): Promise<boolean> {
    const { clock, random } = this.#options;
    for (let failures = 1; !this.#closing.signal.aborted; failures++) {
      try {
        return await this.#hasToken(connection);
      } catch {
        await sleepFor(clock, backoffDelay(failures, { ...RESOLVE_DELAY_MS, random }), this.#closing.signal);
      }
    }
    throw new UnknownCommitError(cause);
  }

  /** True if the token of the last transaction is stored. Waits for the lock on the token's row, so that the transaction has ended. */
  async #hasToken({ tokenKey, number }: JobConnection): Promise<boolean> {
    const session = await this.#target.openForJobs();
    try {
      const { rows } = await this.#execute(session, 'selectCommitToken', { tokenKey });
      const [found] = rows as readonly { readonly META_VALUE: string }[];
      return found?.META_VALUE.split(' ')[1] === `${number}`;
    } finally {
      session.discard();
    }
  }

  /** Deletes the token of a connection, if one was written. Never rejects. */
  async #forget({ queue, tokenKey, number }: JobConnection): Promise<void> {
    if (number === 0) return;
    const deleteToken = async (session: Session) => {
      await this.#execute(session, 'deleteCommitToken', { tokenKey });
      await session.commit();
    };
    await queue.use(deleteToken).catch(() => undefined);
  }

  #execute(session: Session, name: StatementName, params: SqlParams): Promise<StatementResult> {
    return execute(session, this.#target.statements, name, { params, schedName: this.#node.schedName });
  }

  /** Returns a free connection. If all are busy, opens another connection; at the maximum, returns the least loaded connection. */
  #leastLoaded(): JobConnection {
    const max = this.#target.maxJobConnections;
    const [leastLoaded] = this.#connections.toSorted((a, b) => a.queue.load - b.queue.load);
    if (leastLoaded !== undefined && (leastLoaded.queue.load === 0 || this.#connections.length >= max))
      return leastLoaded;
    const tokenKey = `commit.${this.#processId}.${this.#connections.length}`;
    const added = { queue: new ConnectionQueue(() => this.#target.openForJobs()), tokenKey, number: 0 };
    this.#connections.push(added);
    return added;
  }
}

async function assertOpen(session: JobSession): Promise<void> {
  try {
    await session.endJob();
  } catch (error) {
    if (error instanceof SqlError && error.kind !== 'schema') throw error;
    throw new SchedulerError(
      'SCHEDULER_STATE',
      'The transaction ended before the job returned: by COMMIT or ROLLBACK, by a DDL statement, or by a deadlock that the job ' +
        'did not rethrow. The transaction did not end the run.',
      { cause: toError(error) },
    );
  }
}

/** Statements of one job. Rejects further statements after `end`. */
class JobStatements implements JobSql {
  readonly #session: PerformingSession;
  #running = 0;
  #hasEnded = false;

  constructor(session: PerformingSession) {
    this.#session = session;
  }

  get connection(): OpenConnection {
    return this.#session.connection;
  }

  async query<Row>(text: string, values: readonly SqlParameter[] = []): Promise<Row[]> {
    return (await this.#perform(text, values)).rows as Row[];
  }

  async execute(text: string, values: readonly SqlParameter[] = []): Promise<{ readonly affectedRows: number }> {
    return { affectedRows: (await this.#perform(text, values)).changes };
  }

  /** Ends the job's access to the transaction. Throws SCHEDULER_STATE if a statement was not awaited. */
  end(): void {
    this.#hasEnded = true;
    if (this.#running === 0) return;
    throw new SchedulerStateError(
      'The job ended its transaction while one of its statements was still running. Await every statement.',
    );
  }

  async #perform(text: string, values: readonly SqlParameter[]): Promise<StatementResult> {
    if (this.#hasEnded) throw new SchedulerStateError('The transaction has ended and accepts no more statements.');
    this.#running++;
    try {
      return await this.#session.perform(text, values);
    } finally {
      this.#running--;
    }
  }
}
