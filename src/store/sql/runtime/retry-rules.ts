import { SchedulerError, StoreClosedError, toError } from '../../../base/errors';
import { CLOSED, MAX_ATTEMPTS, SqlError, type SqlErrorKind, UnknownCommitError } from './sql-driver';
import type { StatementName } from './statement-names';

/** Thrown if fewer rows matched than expected, because a row was changed since it was read. The transaction restarts with a new read. */
export class StaleRead extends Error {
  constructor(statement: StatementName) {
    super(`${statement} matched fewer rows than expected: another transaction has changed them.`);
    this.name = 'StaleRead';
  }
}

/** Thrown if a lock row of the scheduler is missing: not created yet, or deleted manually. */
export class MissingLockRow extends Error {
  constructor(lockName: string) {
    super(`The lock row ${lockName} is missing.`);
    this.name = 'MissingLockRow';
  }
}

/** Thrown if the cluster has declared this node dead. The node may not reserve or fire triggers until its next check-in, when it joins again. */
export class NodeFencedError extends Error {
  constructor(instanceId: string) {
    super(`The node '${instanceId}' was declared dead. It rejoins with its next check-in.`);
    this.name = 'NodeFencedError';
  }
}

const CONFLICT_ATTEMPTS = 5;

/** Number of attempts before the items of a batch are run one by one, if one row may have caused the error. */
const ATTEMPTS_BEFORE_SPLIT = 2;

export interface AttemptLimits {
  /** Maximum number of attempts, unless the whole store is down. Default: 5. */
  readonly attempts?: number;
  /** True for a batch whose items are run one by one if the batch fails. Such a batch gets two attempts if one row may have caused the error. */
  readonly isSplit?: boolean;
}

/** Returns the total number of attempts for a transaction that fails with `error`. 1 if a retry would fail in the same way. */
export function attemptsAllowed(
  error: unknown,
  { attempts = CONFLICT_ATTEMPTS, isSplit = false }: AttemptLimits = {},
): number {
  const allowed = error instanceof SqlError ? MAX_ATTEMPTS[error.kind] : isConflict(error) ? CONFLICT_ATTEMPTS : 1;
  if (isStoreDown(error)) return allowed;
  const split = isSplit && mayBeOfOneRow(error) ? ATTEMPTS_BEFORE_SPLIT : CONFLICT_ATTEMPTS;
  return Math.min(allowed, split, attempts);
}

const isConflict = (error: unknown) => error instanceof StaleRead || error instanceof MissingLockRow;

/** True if the outcome of a commit may be known later, although the query for it has failed with `error`. */
export function mayBeResolvedLater(error: unknown): boolean {
  if (error instanceof UnknownCommitError || (error instanceof SqlError && error.kind === 'full')) return true;
  return attemptsAllowed(error) > 1;
}

/** Returns the error for a commit that certainly stored nothing. It equals the error of a connection that was lost before the commit. */
export function lostCommit(): SqlError {
  const message = 'the connection was lost before the commit reached it';
  return new SqlError({ kind: 'connectionLost', databaseCode: 'COMMIT', statement: null, message });
}

/** Converts an error for callers of the store. Database failures become `STORE_FAILURE`; other errors are returned unchanged. */
export function toStoreFailure(error: unknown): Error {
  if (error instanceof SchedulerError || !isStoreError(error)) return toError(error);
  if (error instanceof SqlError && error.databaseCode === CLOSED) return new StoreClosedError({ cause: error });
  const advice = error instanceof SqlError && error.advice !== null ? ` ${error.advice}` : '';
  return new SchedulerError('STORE_FAILURE', `The job store failed. ${error.message}${advice}`, { cause: error });
}

function isStoreError(error: unknown): error is Error {
  const types = [SqlError, UnknownCommitError, StaleRead, MissingLockRow, NodeFencedError];
  return types.some((type) => error instanceof type);
}

/** Kinds of errors that a single row may cause. The list is short on purpose: a row blamed by mistake would be delayed for no reason. */
const OF_A_ROW: ReadonlySet<SqlErrorKind> = new Set<SqlErrorKind>(['refused', 'duplicateKey', 'foreignKey']);

/** True if the error means that the whole store failed, so that a smaller batch would fail in the same way. */
function isStoreDown(error: unknown): boolean {
  if (error instanceof StoreClosedError) return true;
  const cause = causeOf(error);
  if (cause instanceof UnknownCommitError) return true;
  return cause instanceof SqlError && cause.kind !== 'deadlock' && !OF_A_ROW.has(cause.kind);
}

/** True if the error concerns the whole store, so that every other change of the schedule would fail in the same way. */
export function concernsStore(error: unknown): boolean {
  return isStoreDown(error) && !isRowLocked(causeOf(error));
}

/** True if one row may have caused the error, so that the rest of its batch would succeed without the row. */
export function mayBeOfOneRow(error: unknown): boolean {
  if (error instanceof StoreClosedError) return false;
  const cause = causeOf(error);
  if (cause instanceof SqlError) return OF_A_ROW.has(cause.kind);
  return !(cause instanceof UnknownCommitError || cause instanceof NodeFencedError);
}

/** True if another node has declared this node dead since the operation began. It then recovers the firings; the fencing is reported separately. */
export function isFencing(error: unknown): boolean {
  return causeOf(error) instanceof NodeFencedError;
}

/** True if the cluster's lock was not granted within the server's timeout. The holder may still need the lock, so the caller waits again. */
export function isQueueTimeout(error: unknown): boolean {
  return error instanceof SqlError && error.kind === 'lockTimeout' && error.statement === 'selectLock';
}

/** True if the error means that another session has locked a row other than the cluster's lock row. */
export function isRowLocked(error: unknown): boolean {
  if (!(error instanceof SqlError) || error.kind !== 'lockTimeout') return false;
  return error.statement !== null && error.statement !== 'selectLock';
}

/** True if the error of a schedule change that also fires triggers may be due to the firing, so that the change may succeed without firing. */
export function mayBeOfFiring(error: unknown): boolean {
  const cause = causeOf(error);
  return (
    cause instanceof NodeFencedError || (cause instanceof SqlError && cause.statement === 'insertImmediateFirings')
  );
}

function causeOf(error: unknown): unknown {
  return error instanceof SchedulerError && error.code === 'STORE_FAILURE' ? error.cause : error;
}
