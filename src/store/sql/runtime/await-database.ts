import type { Clock } from '../../../base/clock';
import { toError } from '../../../base/errors';
import type { RandomSource } from '../../../base/ids';
import { backoffDelay } from '../../../base/retry';
import { sleepFor } from '../../../base/sleep';
import { SqlError, type SqlErrorKind } from './sql-driver';

export interface AwaitOptions {
  readonly clock: Clock;
  readonly random: RandomSource;
  /** How long a database that cannot be reached is waited for; 0: not at all. Milliseconds. */
  readonly startTimeout: number;
  /** Hears once that it is waited for. */
  readonly onWarning: (warning: string) => void;
}

/** Between two attempts: a container that starts beside this one takes seconds. Milliseconds. */
const DELAY = { firstDelay: 250, longestDelay: 2_000 };

/** Of a server that is starting, or that is not there yet. Whatever else is wrong stays so. */
const NOT_UP_YET: ReadonlySet<SqlErrorKind> = new Set<SqlErrorKind>(['connectionLost', 'connectionLimit']);

const NEVER = new AbortController().signal;

/** Opens a database, again and again while it is not up yet. Rejects with what the last attempt in time failed with. */
export async function awaitDatabase<T>(
  open: () => Promise<T>,
  { clock, random, startTimeout, onWarning }: AwaitOptions,
): Promise<T> {
  const end = clock.monotonic() + startTimeout;
  for (let failures = 1; ; failures++) {
    try {
      return await open();
    } catch (error) {
      const left = end - clock.monotonic();
      if (left <= 0 || !isNotUpYet(error)) throw error;
      if (failures === 1) onWarning(waitingFor(error, startTimeout));
      await sleepFor(clock, Math.min(left, backoffDelay(failures, { ...DELAY, random })), NEVER);
    }
  }
}

function isNotUpYet(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof SqlError && NOT_UP_YET.has(cause.kind);
}

function waitingFor(error: unknown, startTimeout: number): string {
  return `The database cannot be reached yet; waiting for it, ${startTimeout / 1_000} s at most (jobStore.startTimeout). ${toError(error).message}`;
}
