import type { Clock } from '../../../base/clock';
import { toError } from '../../../base/errors';
import type { RandomSource } from '../../../base/ids';
import { backoffDelay } from '../../../base/retry';
import { NEVER, sleepFor } from '../../../base/sleep';
import { SqlError, type SqlErrorKind } from './sql-driver';

export interface AwaitDatabaseOptions {
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Time for which a startup step is retried, in milliseconds. 0: no retry. */
  readonly startTimeout: number;
  readonly onWarning: (warning: string) => void;
  /** Ends the retries early when aborted. Default: retries end only after `startTimeout`. */
  readonly signal?: AbortSignal;
}

/** Delays between two attempts, in milliseconds. A database container that starts at the same time needs seconds. */
const START_DELAY_MS = { firstDelay: 250, maxDelay: 2_000 };

/** Runs a startup step. Retries for up to `startTimeout` while the database is unreachable, busy or read-only, with one warning, then rejects. */
export async function awaitDatabase<T>(
  step: () => Promise<T>,
  { clock, random, startTimeout, onWarning, signal = NEVER }: AwaitDatabaseOptions,
): Promise<T> {
  const end = clock.monotonic() + startTimeout;
  for (let failures = 1; ; failures++) {
    try {
      return await step();
    } catch (error) {
      const left = end - clock.monotonic();
      const cause = error instanceof Error ? error.cause : undefined;
      const what = cause instanceof SqlError ? PASSING[cause.kind] : undefined;
      if (what === undefined || left <= 0 || signal.aborted) throw error;
      if (failures === 1) {
        onWarning(
          `The database ${what}. Waiting up to ${startTimeout / 1_000} s (jobStore.startTimeout). ${toError(error).message}`,
        );
      }
      await sleepFor(clock, Math.min(left, backoffDelay(failures, { ...START_DELAY_MS, random })), signal);
    }
  }
}

/** Failures that may end without intervention: the server is starting, unreachable, read-only or busy. All others are permanent. */
const PASSING: Readonly<Partial<Record<SqlErrorKind, string>>> = {
  connectionLost: 'cannot be reached',
  connectionLimit: 'refuses connections',
  readOnly: 'is read-only',
  lockTimeout: 'is busy',
  deadlock: 'is busy',
  busy: 'is busy',
};
