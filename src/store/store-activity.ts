import type { ClassCounts } from '../base/counted-classes';

/*
 * What a store does with its database, in plain numbers: counted where it happens, whether somebody asks or not, and read all at once.
 */

/** What one kind of connections has done, and does now. */
export interface ConnectionActivity {
  /** What they are for, as the store names it. */
  readonly connection: string;
  /** How many are open. */
  readonly open: number;
  /** How many of them work for somebody. */
  readonly inUse: number;
  /** How many callers wait for one. */
  readonly waiting: number;
  /** How many statements were run, without those that begin and end transactions. */
  readonly statements: number;
  /** How many transactions were ended well. */
  readonly commits: number;
}

/** All of it, since the store was made. */
export interface StoreActivity {
  readonly connections: readonly ConnectionActivity[];
  /** How long the lock was waited for under which triggers are fired, by `LOCK_WAIT_BOUNDS_MS`. */
  readonly lockWaits: ClassCounts;
}

/** Milliseconds. */
export const LOCK_WAIT_BOUNDS_MS: readonly number[] = [
  1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000,
];

/** Several as one kind. */
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
