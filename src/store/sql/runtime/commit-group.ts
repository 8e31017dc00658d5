import type { ConnectionQueue } from './connection-queue';
import { OpenTransaction } from './open-transaction';
import { orDiscard, type Session } from './session';
import { type SqlTransaction, UnknownCommitError } from './sql-driver';
import type { Statements } from './statements';

/** A connection that can undo the last part of its transaction. */
export interface SavepointSession extends Session {
  /** Begins a part. */
  mark(): void;
  /** Ends the part; it will be committed with the rest. */
  keep(): void;
  /** Undoes the part, and the transaction goes on without it. Throws when the database has undone all of it by itself. */
  drop(): void;
}

export interface CommitGroupParts {
  readonly queue: ConnectionQueue<SavepointSession>;
  readonly statements: Statements;
  /** Resolves when whoever is about to ask for another transaction has done so. */
  readonly whenAsked: () => Promise<void>;
}

/** What one caller wants done. */
interface Request {
  /** Resolves to what to tell the caller when it is known how the commit went; null: it failed, and the caller knows. */
  readonly run: (session: SavepointSession) => Promise<Member | null>;
  readonly reject: (error: unknown) => void;
}

/** A caller whose part is done and waits for the commit. */
interface Member {
  readonly committed: () => void;
  readonly commitFailed: (error: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** So many that the disk no longer counts, so few that the first of them does not wait long for the last. */
const MOST_MEMBERS = 16;

/**
 * Commits together what is asked for together. A durable commit is a trip to the disk, most of what a transaction on an
 * embedded database takes: the completions of one batch and the acquisition of the next share it. Each is a part of its
 * own, which fails alone; nobody hears of success before all is on the disk.
 */
export class CommitGroup {
  readonly #parts: CommitGroupParts;
  readonly #waiting: Request[] = [];
  #takesMore = false;

  constructor(parts: CommitGroupParts) {
    this.#parts = parts;
  }

  /** What `SqlDriver.transaction` promises. */
  run<T>(work: (tx: SqlTransaction) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const run = (session: SavepointSession) => this.#runPart(session, work, { resolve, reject });
      this.#waiting.push({ run, reject });
      if (!this.#takesMore) this.#beginGroup();
    });
  }

  #beginGroup(): void {
    this.#takesMore = true;
    this.#parts.queue
      .use((session) => this.#runGroup(session))
      .catch((error: unknown) => {
        this.#takesMore = false;
        for (const { reject } of this.#waiting.splice(0)) reject(error);
      });
  }

  /** Rejects only if the transaction could not begin: later failures are told to the members. */
  async #runGroup(session: SavepointSession): Promise<void> {
    await orDiscard(session, session.begin());
    const members: Member[] = [];
    try {
      await this.#runWaiting(session, members);
    } catch (error) {
      session.discard();
      for (const { reject } of members.splice(0)) reject(error);
    }
    this.#takesMore = false;
    if (this.#waiting.length > 0) this.#beginGroup();
    if (session.usable) await finish(session, members);
  }

  async #runWaiting(session: SavepointSession, members: Member[]): Promise<void> {
    for (let asked = 0; asked < MOST_MEMBERS; asked++) {
      const member = await this.#waiting.shift()?.run(session);
      if (member) members.push(member);
      if (this.#waiting.length === 0) await this.#parts.whenAsked();
      if (this.#waiting.length === 0) return;
    }
  }

  async #runPart<T>(
    session: SavepointSession,
    work: (tx: SqlTransaction) => Promise<T>,
    { resolve, reject }: { readonly resolve: (result: T) => void; readonly reject: (error: unknown) => void },
  ): Promise<Member | null> {
    const tx = new OpenTransaction(session, this.#parts.statements);
    try {
      session.mark();
      const result = await work(tx);
      tx.end();
      session.keep();
      const commitFailed = (error: unknown) => reject(tx.hasWritten ? new UnknownCommitError(error) : error);
      return { committed: () => resolve(result), commitFailed, reject };
    } catch (error) {
      tx.abandon();
      reject(error);
      session.drop();
      return null;
    }
  }
}

async function finish(session: SavepointSession, members: readonly Member[]): Promise<void> {
  try {
    await session.commit();
  } catch (error) {
    session.discard();
    for (const { commitFailed } of members) commitFailed(error);
    return;
  }
  for (const { committed } of members) committed();
}
