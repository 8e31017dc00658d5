import type { Clock } from '../base/clock';
import { SchedulerStateError } from '../base/errors';
import type { RandomSource } from '../base/ids';
import { backoffDelay } from '../base/retry';
import { sleepFor } from '../base/sleep';
import { type CheckpointKey, checkpointKeyOf, checkpointText } from '../domain/checkpoint';
import type { TriggerFiring } from '../domain/firing';
import { formatKey } from '../domain/keys';
import { occurrenceOf } from '../domain/occurrence';
import type { CheckpointStore } from '../store/job-store';

export interface CheckpointParts {
  readonly store: Pick<CheckpointStore, 'readCheckpoint' | 'saveCheckpoint'>;
  readonly clock: Clock;
}

/** The shortest time between the beginnings of two writes of one run. */
const INTERVAL_MS = 1_000;

/** A value that is to be written, and the promises that wait for it. */
interface Waiting {
  value: string;
  readonly written: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** What one run saves of how far it has come: the newest value at most once a second, one write after the other. Made when it first does so. */
export class RunCheckpoints {
  readonly #parts: CheckpointParts;
  readonly #runId: string;
  readonly #key: CheckpointKey;
  readonly #jobName: string;
  readonly #hurry = new AbortController();
  #newest: string | null = null;
  #waiting: Waiting | null = null;
  #writing: Promise<void> | null = null;
  /** When the last write began, by the monotonic clock. */
  #lastWrite = Number.NEGATIVE_INFINITY;
  /** Why nothing is taken any more; null: it is. */
  #refusal: Error | null = null;

  constructor(firing: TriggerFiring, parts: CheckpointParts) {
    this.#parts = parts;
    this.#runId = firing.runId;
    this.#key = checkpointKeyOf(occurrenceOf(firing));
    this.#jobName = formatKey(firing.jobDetail.key);
  }

  /** What was given last, as JSON; null: nothing yet. */
  get newest(): string | null {
    return this.#newest;
  }

  /** Resolves when this value, or a newer one, is stored. */
  save(value: unknown): Promise<void> {
    try {
      const text = checkpointText(value, `job '${this.#jobName}'`);
      if (this.#refusal !== null) throw this.#refusal;
      this.#newest = text;
      if (this.#waiting === null) this.#waiting = waitingFor(text);
      else this.#waiting.value = text;
    } catch (error) {
      return Promise.reject(error);
    }
    const { written } = this.#waiting;
    this.#writing ??= this.#writeAll();
    return written;
  }

  /** Writes what waits, and takes nothing any more. Resolves when nothing is under way. */
  async end(): Promise<void> {
    this.#refusal ??= hasEnded(this.#jobName);
    this.#hurry.abort();
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    const { clock } = this.#parts;
    while (this.#waiting !== null) {
      const left = this.#lastWrite + INTERVAL_MS - clock.monotonic();
      if (left > 0 && !this.#hurry.signal.aborted) await sleepFor(clock, left, this.#hurry.signal);
      const next: Waiting = this.#waiting;
      this.#waiting = null;
      this.#lastWrite = clock.monotonic();
      await this.#write(next);
    }
    this.#writing = null;
  }

  async #write({ value, resolve, reject }: Waiting): Promise<void> {
    const { store, clock } = this.#parts;
    try {
      const isOurs = await store.saveCheckpoint({ ...this.#key, runId: this.#runId, value }, clock.now());
      if (isOurs) return resolve();
      this.#refusal = isLost(this.#jobName);
      reject(this.#refusal);
    } catch (error) {
      reject(error as Error); // what was stored before stays
    }
  }
}

function waitingFor(value: string): Waiting {
  let resolve: Waiting['resolve'] = () => undefined;
  let reject: Waiting['reject'] = () => undefined;
  const written = new Promise<void>((onWritten, onFailed) => {
    resolve = onWritten;
    reject = onFailed;
  });
  written.catch(() => undefined); // a job that does not wait for it must not end the process
  return { value, written, resolve, reject };
}

/** Of a run to which nothing may be added: its job goes on beyond its time limit, or has left something running. */
export function hasEnded(jobName: string): SchedulerStateError {
  return new SchedulerStateError(
    `The run of '${jobName}' has ended: what it gives as its checkpoint now is not stored.`,
  );
}

function isLost(jobName: string): SchedulerStateError {
  return new SchedulerStateError(
    `The run of '${jobName}' is no longer this node's: it has ended, or another node has taken it over, so the checkpoint was not stored. ` +
      'Stop the job.',
  );
}

/** How often a store that fails is asked again, with growing pauses: a run that begins from the start would do again what was done. */
const READ_ATTEMPTS = 8;
const READ_BACKOFF_MS = { firstDelay: 50, longestDelay: 5_000 } as const;

/**
 * What an earlier run of the occurrence saved, as JSON; null: nothing. Rejects with what the store fails with, and
 * with the reason of `signal` if that has aborted.
 */
export async function loadCheckpoint(
  firing: TriggerFiring,
  { store, clock, random }: CheckpointParts & { readonly random: RandomSource },
  signal: AbortSignal,
): Promise<string | null> {
  const key = checkpointKeyOf(occurrenceOf(firing));
  for (let failures = 1; ; failures++) {
    try {
      const found = await store.readCheckpoint(key);
      signal.throwIfAborted(); // a node that lost its lease while it read must not begin: another node may run this
      return found;
    } catch (error) {
      if (failures === READ_ATTEMPTS || signal.aborted) throw error;
      await sleepFor(clock, backoffDelay(failures, { ...READ_BACKOFF_MS, random }), signal);
    }
  }
}
