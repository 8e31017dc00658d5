import type { Bystander, TestDatabase } from './test-database';

/** Maximum time until a session waits for the lock. The servers end such a wait after a second at the earliest. */
const ARRIVAL_TIMEOUT_MS = 10_000;

/** The queue for TRIGGER_ACCESS: a session that holds the lock, and another one that sees which sessions wait. */
export class LockQueue {
  readonly #database: string;
  readonly #holder: Bystander;
  readonly #watcher: Bystander;

  private constructor(database: string, holder: Bystander, watcher: Bystander) {
    this.#database = database;
    this.#holder = holder;
    this.#watcher = watcher;
  }

  static async open(database: TestDatabase): Promise<LockQueue> {
    return new LockQueue(database.name, await database.connect(), await database.connect());
  }

  /** Acquires the lock, like every transaction that changes the schedule. */
  async hold(schedName: string): Promise<void> {
    await lockTriggers(this.#holder, schedName);
  }

  /** Runs a statement in the transaction that holds the lock. */
  async change(text: string): Promise<void> {
    await this.#holder.query(text);
  }

  /** Grants the lock to the first session in the queue. */
  async release(): Promise<void> {
    await this.#holder.query('COMMIT');
  }

  /** Resolves when `count` sessions wait, with their thread ids, or when `work` has ended without waiting. */
  async arrived(count: number, work: Promise<unknown>): Promise<readonly number[]> {
    let isEnded = false;
    const end = () => {
      isEnded = true;
    };
    work.then(end, end);
    const deadline = performance.now() + ARRIVAL_TIMEOUT_MS;
    for (;;) {
      const waiting = await this.#waiting();
      if (isEnded || waiting.length >= count) return waiting;
      if (performance.now() > deadline) throw new Error(`Expected ${count} waiting sessions, found ${waiting.length}.`);
    }
  }

  /** Ends the session of a thread, with its transaction. */
  async kill(thread: number): Promise<void> {
    await this.#watcher.query(`KILL CONNECTION ${thread}`);
  }

  async close(): Promise<void> {
    await this.#holder.close();
    await this.#watcher.close();
  }

  async #waiting(): Promise<readonly number[]> {
    const own = await this.#watcher.query<{ id: number }>(
      'SELECT ID AS id FROM information_schema.PROCESSLIST WHERE DB = ?',
      [this.#database],
    );
    const threads = new Set(own.map(({ id }) => Number(id)));
    // Not INNODB_TRX, which answers from a copy that is up to 0.1 s old.
    const [status] = await this.#watcher.query<{ Status: string }>('SHOW ENGINE INNODB STATUS');
    const transactions = status?.Status.split('LIST OF TRANSACTIONS')[1]?.split('---TRANSACTION') ?? [];
    return transactions
      .filter((text) => text.includes('LOCK WAIT'))
      .map((text) => Number(/thread id (\d+)/.exec(text)?.[1]))
      .filter((thread) => threads.has(thread));
  }
}

/** Begins a transaction that holds TRIGGER_ACCESS. */
export async function lockTriggers(session: Bystander, schedName: string): Promise<void> {
  await session.query('START TRANSACTION');
  await session.query("SELECT * FROM QRTZ_LOCKS WHERE SCHED_NAME = ? AND LOCK_NAME = 'TRIGGER_ACCESS' FOR UPDATE", [
    schedName,
  ]);
}
