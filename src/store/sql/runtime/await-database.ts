import type { Clock } from '../../../base/clock';
import { toError } from '../../../base/errors';
import type { RandomSource } from '../../../base/ids';
import { backoffDelay } from '../../../base/retry';
import { sleepFor } from '../../../base/sleep';
import { SqlError, type SqlErrorKind } from './sql-driver';

export interface AwaitDatabaseOptions {
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Time for which a step of the start is retried, in milliseconds. 0: it runs once. */
  readonly startTimeout: number;
  readonly onWarning: (warning: string) => void;
  /** Ends the wait. Default: it is not ended early. */
  readonly signal?: AbortSignal;
}

/** Delay between two attempts, in milliseconds. A database container that starts at the same time takes seconds. */
const START_DELAY_MS = { firstDelay: 250, longestDelay: 2_000 };

const NEVER = new AbortController().signal;

/** Runs a step of the start, and retries it while the database is not up yet or busy. Rejects with the error of the last attempt in time. */
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
      const what = left <= 0 || signal.aborted ? undefined : passing(error);
      if (what === undefined) throw error;
      if (failures === 1) {
        onWarning(
          `The database ${what}. Waiting up to ${startTimeout / 1_000} s (jobStore.startTimeout). ${toError(error).message}`,
        );
      }
      await sleepFor(clock, Math.min(left, backoffDelay(failures, { ...START_DELAY_MS, random })), signal);
    }
  }
}

/** Failures that end without intervention: a server that is starting or unreachable, or kept busy by others. All other failures are permanent. */
const PASSING: Readonly<Partial<Record<SqlErrorKind, string>>> = {
  connectionLost: 'cannot be reached',
  connectionLimit: 'refuses connections',
  readOnly: 'is read-only',
  lockTimeout: 'is busy',
  deadlock: 'is busy',
  busy: 'is busy',
};

function passing(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof SqlError ? PASSING[cause.kind] : undefined;
}
