import type { ClassCounts } from '../base/counted-classes';

/* A store's use of its database, as plain numbers. The counters are always active, and are read together. */

/** Past and current activity of the connections with one purpose. */
export interface ConnectionActivity {
  /** Purpose of the connections, as named by the store. */
  readonly connection: string;
  readonly open: number;
  readonly inUse: number;
  /** Number of callers that wait for a connection. */
  readonly waiting: number;
  /** Number of statements that were run, without statements that begin or end transactions. */
  readonly statements: number;
  readonly commits: number;
}

/** Trains of this node: transactions that were decided before they had the lock. */
interface TrainActivity {
  readonly sent: number;
  /** Number of triggers that trains fired. */
  readonly fired: number;
}

/** Activity since the store was created. */
export interface StoreActivity {
  readonly connections: readonly ConnectionActivity[];
  /** Histogram of the waits for the lock under which triggers fire, with the buckets of `LOCK_WAIT_BOUNDS_MS`. */
  readonly lockWaits: ClassCounts;
  readonly trains: TrainActivity;
}

/** Upper bounds of the histogram buckets for lock waits, in milliseconds. */
export const LOCK_WAIT_BOUNDS_MS: readonly number[] = [
  1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000,
];

/** Sums the activity of several connections or groups of connections. */
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
