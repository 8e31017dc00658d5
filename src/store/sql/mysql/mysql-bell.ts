import type { Clock } from '../../../base/clock';
import { completesWithin } from '../../../base/sleep';
import type { BoundStep, StatementResult } from '../runtime/session';
import { type Bell, type SeenChanges, SqlError } from '../runtime/sql-driver';
import { filledIn } from '../runtime/sql-text';
import { bindByPosition, type Statement } from '../runtime/statements';
import type { MysqlSession } from './mysql-session';
import { sessionText } from './session-texts';

/** Duration of `awaitRing` and `awaitRingOrChange` in session.sql, in milliseconds. Shorter waits were ended by a ring. */
const WAIT_MS = 10_000;

/** Difference between the server's clock and the node's in measuring one wait, in milliseconds. */
const TOLERANCE_MS = 100;

/** Time after which a wait without an answer is lost, in milliseconds. */
export const BELL_ANSWER_TIMEOUT_MS = WAIT_MS + 5_000;

/** Interval between the rings of the test, in milliseconds: the first ones may arrive before the connection waits. The wait of the test lasts 1 s. */
const TEST_INTERVAL_MS = 100;
const TEST_RINGS = 5;

/** Prefix of the names of locks, so that a row of a stranger cannot name another lock. */
const PREFIX = 'quartz_ts bell ';

const LOST = 'The connection that holds the lock for which the node waits was closed';

interface MysqlBellParts {
  readonly clock: Clock;
  connect(): Promise<MysqlSession>;
  /** Runs statements on a connection that other callers share. */
  use<T>(work: (session: MysqlSession) => Promise<T>): Promise<T>;
  /** The statement `selectChanges`, if the server can run it repeatedly while a node waits. MySQL has no compound statements outside of procedures. */
  readonly changes?: Statement | undefined;
}

/**
 * Rings by ending a statement: a node waits on a connection that holds a lock with the node's name, and another node kills the query of the connection
 * that holds this lock. The node waits for a second lock, which another connection of its own holds. See ADR 0048.
 */
export class MysqlBell implements Bell {
  readonly canPoll: boolean;
  readonly #parts: MysqlBellParts;
  #session: MysqlSession | null = null;
  /** Connection that holds the lock for which the node waits. */
  #holder: MysqlSession | null = null;
  /** Epoch in the name of the lock that the connection holds. */
  #epoch: string | null = null;

  constructor(parts: MysqlBellParts) {
    this.#parts = parts;
    this.canPoll = parts.changes !== undefined;
  }

  async awaitRing(epoch: string, signal: AbortSignal, seen: SeenChanges | null = null): Promise<boolean> {
    const session = await this.#open(epoch);
    const stop = () => session.discard();
    signal.addEventListener('abort', stop);
    try {
      if (signal.aborted) stop();
      const { clock } = this.#parts;
      const start = clock.monotonic();
      if (await isFree(this.#waitOn(session, seen))) throw lostHolder();
      return clock.monotonic() - start < WAIT_MS - TOLERANCE_MS;
    } catch (error) {
      this.abort();
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  #waitOn(session: MysqlSession, seen: SeenChanges | null): Promise<StatementResult> {
    const { changes } = this.#parts;
    if (seen === null || changes === undefined) return session.query(sessionText('awaitRing'));
    const { params, columns } = seen;
    const isSeen = Object.keys(columns)
      .map((name) => `c.${name} <=> ?`)
      .join(' AND ');
    const text = filledIn(sessionText('awaitRingOrChange'), { changes: changes.text, isSeen, lost: LOST });
    const statement = { ...changes, text };
    return session.execute(statement, [...bindByPosition(changes, params), ...Object.values(columns)]);
  }

  ring(epochs: readonly string[]): Promise<void> {
    return this.#parts.use(async (session) => {
      // Statements that are sent together: the setting of a name is followed by its ring.
      const rings = epochs.flatMap((epoch) => [nameLock(session, epoch), session.prepared('ring')]);
      await Promise.allSettled(rings); // a node that has just left cannot be rung
    });
  }

  abort(): void {
    this.#session?.discard();
    this.#holder?.discard();
  }

  async #open(epoch: string): Promise<MysqlSession> {
    if (this.#session?.usable && this.#holder?.usable && this.#epoch === epoch) return this.#session;
    if (!this.#session?.usable) this.#session = await this.#parts.connect();
    if (!this.#holder?.usable) this.#holder = await this.#parts.connect();
    const [session, holder] = [this.#session, this.#holder];
    try {
      await nameLock(holder, epoch);
      await holder.query(sessionText('holdBell'));
      await nameLock(session, epoch);
      await session.query(sessionText('hangBell'));
      await this.#test(session, epoch);
    } catch (error) {
      this.abort();
      throw error;
    }
    this.#epoch = epoch;
    return session;
  }

  /** Rings to the own connection. Throws if it is not rung: a proxy may use another connection for each statement. */
  async #test(session: MysqlSession, epoch: string): Promise<void> {
    const { clock } = this.#parts;
    const waiting = isFree(session.query(sessionText('testBell')));
    waiting.catch(() => undefined);
    for (let rings = 0; rings < TEST_RINGS; rings++) {
      await this.ring([epoch]);
      if (!(await completesWithin(clock, TEST_INTERVAL_MS, waiting))) continue;
      if (await waiting) throw lostHolder();
      return;
    }
    const message = 'KILL QUERY does not reach other connections of this user, perhaps because of a proxy';
    throw new SqlError({ kind: 'other', databaseCode: 'BELL', statement: null, message });
  }
}

/** Waits until the statement ends or is killed. Returns true if it has taken the lock that the other connection should hold. */
async function isFree(wait: Promise<StatementResult>): Promise<boolean> {
  try {
    const { rows } = await wait;
    const [row] = rows as readonly { readonly IS_FREE: number | null }[];
    return row?.IS_FREE === 1;
  } catch (error) {
    if (!(error instanceof SqlError) || error.kind !== 'interrupted') throw error;
    return false;
  }
}

function lostHolder(): SqlError {
  return new SqlError({ kind: 'connectionLost', databaseCode: 'BELL', statement: null, message: LOST });
}

/** Returns a step of a script that rings to a node. */
export function ringStep(epoch: string): BoundStep {
  const statements = { nameBell: sessionText('nameBell'), ring: sessionText('ring') };
  const text = filledIn(sessionText('ringStep'), statements);
  return { statement: { name: 'ring', text }, values: [PREFIX + epoch], isQuery: false, rows: null };
}

function nameLock(session: MysqlSession, epoch: string): Promise<void> {
  return session.prepared('nameBell', [PREFIX + epoch]);
}
