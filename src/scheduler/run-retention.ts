import type { Clock } from '../base/clock';
import type { RandomSource } from '../base/ids';
import type { Service } from '../base/service';
import { sleepFor } from '../base/sleep';
import type { NodeHooks } from '../cluster/node-hooks';
import { loopOf } from '../cluster/retrying-loop';
import type { HistoryConfig } from '../config/scheduler-config';
import type { RunRetention } from '../domain/run';
import type { CheckpointStore, RunStore } from '../store/job-store';

export interface RunRetentionParts {
  readonly store: Pick<RunStore & CheckpointStore, 'listRuns' | 'findRunEnd' | 'pruneRuns' | 'pruneCheckpoints'>;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly publish: NodeHooks['publish'];
  readonly history: HistoryConfig;
}

const INTERVAL_MS = 60_000;
/** Between two looks at what changes slowly, or is searched for long: dead letters, and how many runs there are. */
const SLOW_INTERVAL_MS = 600_000;
/** Rows deleted in one transaction: the first one, and the fewest and most that follow from how long it took. */
const PIECE = { first: 200, least: 50, most: 2_000 } as const;
/** What one transaction is to take: where writes exclude each other, a firing may wait for it. */
const PIECE_MS = 20;
/** The least between two of them. */
const PAUSE_MS = 50;
/** A pause is as many times as long as the piece before it: what is deleted leaves most of the database to the firing. */
const PAUSES_A_PIECE = 3;

const RANDOM_CHARACTERS = 4;

/**
 * Deletes recorded runs that are older, or more, than are to be kept, and checkpoints that are left over. Every node does so, each at moments of its own: what another one has
 * deleted is not there any more.
 */
export class RunRetentionWatch {
  readonly service: Service;
  readonly #parts: RunRetentionParts;
  /** On the monotonic clock. */
  #nextCheckpointLook = Number.NEGATIVE_INFINITY;
  /** On the monotonic clock. */
  #nextSlowLook = Number.NEGATIVE_INFINITY;
  /** Kept from one look to the next, as the database is the same. */
  #piece: number = PIECE.first;

  constructor(parts: RunRetentionParts) {
    const { clock, random, publish } = parts;
    this.#parts = parts;
    const fraction = Number.parseInt(random.token(RANDOM_CHARACTERS), 36) / 36 ** RANDOM_CHARACTERS;
    this.service = loopOf('run retention', {
      clock,
      publish,
      during: 'deleting runs that are not kept any longer',
      runOnce: (signal) => this.runOnce(signal),
      firstDelayMs: Math.floor(fraction * INTERVAL_MS), // nodes that start together do not look together
      delay: () => INTERVAL_MS,
    });
  }

  /** Deletes all that is over, piece by piece, until `signal` aborts. Rejects with what the store failed with. */
  async runOnce(signal: AbortSignal): Promise<void> {
    const { store, clock, history } = this.#parts;
    await this.#pruneCheckpoints(signal);
    const { items } = await store.listRuns({ take: 1, omitDetail: true });
    if (items.length === 0) return; // where nothing is recorded, that is all
    const now = clock.now();
    await this.#prune({ before: now - history.retentionMs }, signal);
    if (signal.aborted || clock.monotonic() < this.#nextSlowLook) return;
    await this.#prune({ before: now - history.deadLetterRetentionMs, deadLetters: true }, signal);
    const end = await store.findRunEnd(history.maxCount);
    if (end !== null) await this.#prune({ before: end + 1 }, signal);
    this.#nextSlowLook = clock.monotonic() + SLOW_INTERVAL_MS;
  }

  /** A dead letter is younger than its checkpoint, and its rerun needs it: it is kept as long as the longest kept. */
  async #pruneCheckpoints(signal: AbortSignal): Promise<void> {
    const { store, clock, history } = this.#parts;
    if (clock.monotonic() < this.#nextCheckpointLook) return;
    const before = clock.now() - Math.max(history.retentionMs, history.deadLetterRetentionMs);
    await this.#inPieces((maxCount) => store.pruneCheckpoints(before, maxCount), signal);
    this.#nextCheckpointLook = clock.monotonic() + SLOW_INTERVAL_MS;
  }

  #prune(retention: Omit<RunRetention, 'maxCount'>, signal: AbortSignal): Promise<void> {
    return this.#inPieces((maxCount) => this.#parts.store.pruneRuns({ ...retention, maxCount }), signal);
  }

  /** Until `deletePiece` has found fewer than it might delete. */
  async #inPieces(deletePiece: (maxCount: number) => Promise<number>, signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    while (!signal.aborted) {
      const maxCount = this.#piece;
      const begun = clock.monotonic();
      const count = await deletePiece(maxCount);
      if (count < maxCount) return;
      const took = clock.monotonic() - begun;
      this.#piece = nextPiece(maxCount, took);
      await sleepFor(clock, Math.max(PAUSE_MS, PAUSES_A_PIECE * took), signal);
    }
  }
}

/** How many rows the next piece may have, after one of `count` rows took `took` ms: at most twice as many, or half. */
export function nextPiece(count: number, took: number): number {
  const fitting = Math.floor((count * PIECE_MS) / Math.max(1, took));
  const near = Math.min(2 * count, Math.max(Math.ceil(count / 2), fitting));
  return Math.min(PIECE.most, Math.max(PIECE.least, near));
}
