import { SchedulerError, StoreClosedError, toError } from '../../../base/errors';
import { CLOSED, SqlError, type SqlErrorKind, UnknownCommitError } from './sql-driver';
import type { StatementName } from './statement-names';

/**
 * A row changed between being read and being written: fewer rows matched than were meant. The transaction is rolled back
 * and runs again from a fresh read.
 */
export class StaleRead extends Error {
  constructor(statement: StatementName) {
    super(`${statement} matched fewer rows than were read: another transaction has changed them.`);
    this.name = 'StaleRead';
  }
}

/** The scheduler's lock rows are not there: not created yet, or deleted by hand. */
export class MissingLockRow extends Error {
  constructor(lockName: string) {
    super(`The row of the lock ${lockName} is missing.`);
    this.name = 'MissingLockRow';
  }
}

/** The node was taken for dead: it may reserve and fire nothing until it has joined again, which its next check-in does. */
export class NodeFencedError extends Error {
  constructor(instanceId: string) {
    super(`The node '${instanceId}' was taken for dead; it joins again with its next check-in.`);
    this.name = 'NodeFencedError';
  }
}

const CONFLICT_ATTEMPTS = 5;

/** How often a transaction that fails this way is tried. Those that wait on the server before they fail have fewer. */
const ATTEMPTS: Readonly<Record<SqlErrorKind, number>> = {
  deadlock: CONFLICT_ATTEMPTS,
  lockTimeout: 3,
  busy: 3,
  connectionLost: 5,
  readOnly: 5,
  connectionLimit: 5,
  interrupted: 2,
  duplicateKey: 1,
  // Two transactions without a common lock: a completion deletes the last trigger's job while another trigger is stored for it.
  foreignKey: 5,
  full: 1,
  schema: 1,
  refused: 2,
  // Nobody knows what it is: once more before it is reported.
  other: 2,
};

/** Attempts before the items of a batch are run one by one, where one of its rows may be to blame. */
const ATTEMPTS_BEFORE_SPLIT = 2;

/** How often a transaction is tried. */
export interface AttemptLimits {
  /** For conflicts, unless the store as a whole is down. Default 5. */
  readonly attempts?: number;
  /** A batch whose items are run one by one when it fails: two attempts where one row may be to blame. */
  readonly isSplit?: boolean;
}

/** Attempts in all for a transaction that fails with `error`; 1: it would fail again in the same way. */
export function attemptsAllowed(
  error: unknown,
  { attempts = CONFLICT_ATTEMPTS, isSplit = false }: AttemptLimits = {},
): number {
  const allowed = error instanceof SqlError ? ATTEMPTS[error.kind] : isConflict(error) ? CONFLICT_ATTEMPTS : 1;
  if (isStoreDown(error)) return allowed;
  const split = isSplit && mayBeOfOneRow(error) ? ATTEMPTS_BEFORE_SPLIT : CONFLICT_ATTEMPTS;
  return Math.min(allowed, split, attempts);
}

const isConflict = (error: unknown) => error instanceof StaleRead || error instanceof MissingLockRow;

/** A commit that is known not to have arrived: as if the connection had been lost before it. */
export function lostCommit(): SqlError {
  const message = 'The connection was lost before the commit arrived.';
  return new SqlError({ kind: 'connectionLost', databaseCode: 'COMMIT', statement: null, message });
}

/** What leaves the store: the database's failures as `STORE_FAILURE`, everything else as it is. */
export function toStoreFailure(error: unknown): Error {
  if (error instanceof SchedulerError || !isStoreError(error)) return toError(error);
  if (error instanceof SqlError && error.databaseCode === CLOSED) return new StoreClosedError({ cause: error });
  return new SchedulerError(
    'STORE_FAILURE',
    `The job store failed. ${error.message}${error instanceof SqlError && error.advice !== null ? ` ${error.advice}` : ''}`,
    {
      cause: error,
    },
  );
}

function isStoreError(error: unknown): error is Error {
  return (
    error instanceof SqlError ||
    error instanceof UnknownCommitError ||
    error instanceof StaleRead ||
    error instanceof MissingLockRow ||
    error instanceof NodeFencedError
  );
}

/**
 * The kinds that are about a row. Of any other, known or not, the server is to blame: limits and faults of servers are too many
 * to be listed, and a row that is blamed for one is late for no reason.
 */
const OF_A_ROW: ReadonlySet<SqlErrorKind> = new Set<SqlErrorKind>(['refused', 'duplicateKey', 'foreignKey']);

/** True when a smaller batch would fail just the same. */
export function isStoreDown(error: unknown): boolean {
  if (error instanceof StoreClosedError) return true;
  const cause = causeOf(error);
  if (cause instanceof UnknownCommitError) return true;
  return cause instanceof SqlError && cause.kind !== 'deadlock' && !OF_A_ROW.has(cause.kind);
}

/** True when one row may be to blame, so that the rest of its batch would succeed without it. */
export function mayBeOfOneRow(error: unknown): boolean {
  if (error instanceof StoreClosedError) return false;
  const cause = causeOf(error);
  if (cause instanceof SqlError) return OF_A_ROW.has(cause.kind);
  return !(cause instanceof UnknownCommitError || cause instanceof NodeFencedError);
}

/** True when the node has been fenced since this was begun: what it was to do is for its peers, and the fencing is told by itself. */
export function isFencing(error: unknown): boolean {
  return causeOf(error) instanceof NodeFencedError;
}

/** True when the lock of the cluster was not granted in time: its holder may still be at work, and the queue is entered again. */
export function isQueueTimeout(error: unknown): boolean {
  return error instanceof SqlError && error.kind === 'lockTimeout' && error.statement === 'selectLock';
}

/** True when a row was not had because another session holds it, and not the lock of the cluster. */
export function isRowLocked(error: unknown): boolean {
  if (!(error instanceof SqlError) || error.kind !== 'lockTimeout') return false;
  return error.statement !== null && error.statement !== 'selectLock';
}

/** True when a change of the schedule that also fires may succeed without firing. */
export function mayBeOfFiring(error: unknown): boolean {
  const cause = causeOf(error);
  return (
    cause instanceof NodeFencedError || (cause instanceof SqlError && cause.statement === 'insertImmediateFirings')
  );
}

function causeOf(error: unknown): unknown {
  return error instanceof SchedulerError && error.code === 'STORE_FAILURE' ? error.cause : error;
}
