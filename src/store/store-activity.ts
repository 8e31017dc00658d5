import type { ClassCounts } from '../base/counted-classes';

/*
 * A store's use of its database in plain numbers. Counters always run, and are read all at once.
 */

/** Past and current activity of one kind of connection. */
export interface ConnectionActivity {
  /** Purpose of the connections, as the store names it. */
  readonly connection: string;
  /** Connections that are open. */
  readonly open: number;
  /** Connections in use. */
  readonly inUse: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
  /** Statements that were run, except those that begin and end transactions. */
  readonly statements: number;
  /** Transactions that were committed. */
  readonly commits: number;
}

/** Activity since the store was created. */
export interface StoreActivity {
  readonly connections: readonly ConnectionActivity[];
  /** Number of waits for the lock under which triggers are fired, by `LOCK_WAIT_BOUNDS_MS`. */
  readonly lockWaits: ClassCounts;
}

/** Upper bounds of the classes of lock waits, in milliseconds. */
export const LOCK_WAIT_BOUNDS_MS: readonly number[] = [
  1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000,
];

/** Sums the activity of several kinds of connections. */
export function summedUp(
  connection: string,
  parts: readonly Omit<ConnectionActivity, 'connection'>[],
): ConnectionActivity {
  const sum = (key: Exclude<keyof ConnectionActivity, 'connection'>) =>
    parts.reduce((total, part) => total + part[key], 0);
  return {
    connection,
    open: sum('open'),
    inUse: sum('inUse'),
    waiting: sum('waiting'),
    statements: sum('statements'),
    commits: sum('commits'),
  };
}
