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
import { assertNotWithinTransaction } from '../store/job-transaction';

export interface CheckpointParts {
  readonly store: Pick<CheckpointStore, 'readCheckpoint' | 'saveCheckpoint'>;
  readonly clock: Clock;
}

/** Minimum time between the starts of two checkpoint writes of one run. */
const INTERVAL_MS = 1_000;

interface Waiting {
  value: string;
  readonly written: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Saves the checkpoints of one run: one write at a time, and one a second except the last in `end`. A newer checkpoint replaces a pending one. */
export class RunCheckpoints {
  readonly #parts: CheckpointParts;
  readonly #runId: string;
  readonly #key: CheckpointKey;
  readonly #jobName: string;
  readonly #hurry = new AbortController();
  #newest: string | null = null;
  #waiting: Waiting | null = null;
  #writing: Promise<void> | null = null;
  /** Start of the last write, in monotonic time. */
  #lastWrite = Number.NEGATIVE_INFINITY;
  /** Error for further calls of `save`; null while checkpoints are accepted. */
  #refusal: Error | null = null;

  constructor(firing: TriggerFiring, parts: CheckpointParts) {
    this.#parts = parts;
    this.#runId = firing.runId;
    this.#key = checkpointKeyOf(occurrenceOf(firing));
    this.#jobName = formatKey(firing.jobDetail.key);
  }

  /** Newest checkpoint as JSON; null if there is none. */
  get newest(): string | null {
    return this.#newest;
  }

  /**
   * Saves a checkpoint. Resolves when `value` or a newer checkpoint is stored. Rejects with INVALID_ARGUMENT if `value`
   * is not a valid checkpoint, with SCHEDULER_STATE if the run has ended or is lost, or with the store's error.
   */
  save(value: unknown): Promise<void> {
    try {
      assertNotWithinTransaction('context.checkpoint');
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

  /** Writes the pending checkpoint immediately and rejects later calls of `save`. Resolves when no write is in progress. */
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
      reject(error as Error); // the previous checkpoint remains stored
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
  written.catch(() => undefined); // an unhandled rejection must not end the process if the job does not await the promise
  return { value, written, resolve, reject };
}

/** Returns the error of a checkpoint saved after the end of a run, by a job that exceeded its time limit or left code running when it returned. */
export function hasEnded(jobName: string): SchedulerStateError {
  return new SchedulerStateError(`The run of '${jobName}' has ended, so its checkpoint was not stored.`);
}

function isLost(jobName: string): SchedulerStateError {
  return new SchedulerStateError(
    `The checkpoint was not stored: the run of '${jobName}' has ended, or another node has taken it over. ` +
      'Stop the job.',
  );
}

/** Maximum number of attempts to read a checkpoint. A failed read is retried, because a run without its checkpoint would repeat finished work. */
const READ_ATTEMPTS = 8;
const READ_BACKOFF_MS = { firstDelay: 50, maxDelay: 5_000 } as const;

/** Returns the occurrence's checkpoint as JSON, or null. Rejects with the store's error after 8 attempts, or with the abort reason of `signal`. */
export async function loadCheckpoint(
  firing: TriggerFiring,
  { store, clock, random }: CheckpointParts & { readonly random: RandomSource },
  signal: AbortSignal,
): Promise<string | null> {
  const key = checkpointKeyOf(occurrenceOf(firing));
  for (let failures = 1; ; failures++) {
    try {
      const found = await store.readCheckpoint(key);
      signal.throwIfAborted(); // the signal also aborts when the lease is lost: another node may already run this firing
      return found;
    } catch (error) {
      if (failures === READ_ATTEMPTS || signal.aborted) throw error;
      await sleepFor(clock, backoffDelay(failures, { ...READ_BACKOFF_MS, random }), signal);
    }
  }
}
