import type { Clock } from '../base/clock';
import type { RandomSource } from '../base/ids';
import type { Service } from '../base/service';
import { sleepFor } from '../base/sleep';
import type { NodeHooks } from '../cluster/node-hooks';
import { loopOf } from '../cluster/retrying-loop';
import type { HistoryConfig } from '../config/scheduler-config';
import { MIN_PRUNED, RUN_OUTCOMES, type RunOutcome, type RunRetention } from '../domain/run';
import type { ActionStore, CheckpointStore, RunStore } from '../store/job-store';

interface RunRetentionParts {
  readonly store: Pick<RunStore, 'listRuns' | 'findRunEnd' | 'pruneRuns'> &
    Pick<CheckpointStore, 'pruneCheckpoints'> &
    Pick<ActionStore, 'pruneActions'>;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly publish: NodeHooks['publish'];
  readonly history: HistoryConfig;
}

const INTERVAL_MS = 60_000;
/** Interval between expensive or rarely needed checks, in milliseconds: for dead letters, the number of runs, checkpoints and actions. */
const SLOW_INTERVAL_MS = 600_000;
/** Limits of one transaction: rows and milliseconds. If the database allows only one writer at a time, a firing has to wait for it. */
const PIECE = { maxCount: 5_000, maxMs: 15 } as const;
/** Minimum pause between two transactions, in milliseconds. */
const PAUSE_MS = 30;
/** Minimum ratio of a pause to the duration of the preceding transaction. During the pause, the database is free for firings. */
const PAUSES_A_PIECE = 2;

const RANDOM_CHARACTERS = 4;

/** Deletes runs beyond the age and count limits, unneeded checkpoints and old actions. Every node does so, skipping rows that others have deleted. */
export class RunRetentionWatch {
  readonly service: Service;
  readonly #parts: RunRetentionParts;
  /** Time of the next check of checkpoints and actions, on the monotonic clock. */
  #nextOtherPrune = Number.NEGATIVE_INFINITY;
  /** Time of the next check of dead letters and the number of runs, on the monotonic clock. */
  #nextSlowPrune = Number.NEGATIVE_INFINITY;

  constructor(parts: RunRetentionParts) {
    const { clock, random, publish } = parts;
    this.#parts = parts;
    const fraction = Number.parseInt(random.token(RANDOM_CHARACTERS), 36) / 36 ** RANDOM_CHARACTERS;
    this.service = loopOf('run retention', {
      clock,
      publish,
      during: 'deleting runs whose retention has ended',
      runOnce: (signal) => this.runOnce(signal),
      firstDelayMs: Math.floor(fraction * INTERVAL_MS), // spreads the polls of nodes that start at the same time
      delay: () => INTERVAL_MS,
    });
  }

  /** Deletes all expired rows, in several transactions, until `signal` aborts. Rejects with the store's error. */
  async runOnce(signal: AbortSignal): Promise<void> {
    const { store, clock, history } = this.#parts;
    await this.#pruneOthers(signal);
    const { items } = await store.listRuns({ take: 1, detail: 'none' });
    if (items.length === 0) return; // the only query of runs if none is recorded
    const now = clock.now();
    for (const [retentionMs, outcomes] of outcomesByRetention(history)) {
      await this.#prune({ before: now - retentionMs, outcomes }, signal);
    }
    if (signal.aborted || clock.monotonic() < this.#nextSlowPrune) return;
    await this.#prune({ before: now - history.deadLetterRetentionMs, deadLetters: true }, signal);
    const end = await store.findRunEnd(history.maxCount);
    if (end !== null) await this.#prune({ before: end + 1 }, signal);
    this.#nextSlowPrune = clock.monotonic() + SLOW_INTERVAL_MS;
  }

  /** Deletes old checkpoints and actions. Keeps checkpoints for the longest run retention, because reruns of dead letters need them. */
  async #pruneOthers(signal: AbortSignal): Promise<void> {
    const { store, clock, history } = this.#parts;
    if (clock.monotonic() < this.#nextOtherPrune) return;
    const before = clock.now() - Math.max(history.retentionMs, history.deadLetterRetentionMs);
    await this.#inPieces(() => store.pruneCheckpoints(before, MIN_PRUNED), signal);
    const actionsBefore = clock.now() - history.actionRetentionMs;
    await this.#inPieces(() => store.pruneActions(actionsBefore, MIN_PRUNED), signal);
    this.#nextOtherPrune = clock.monotonic() + SLOW_INTERVAL_MS;
  }

  #prune(retention: Omit<RunRetention, 'maxCount' | 'maxMs'>, signal: AbortSignal): Promise<void> {
    return this.#inPieces(() => this.#parts.store.pruneRuns({ ...retention, ...PIECE }), signal);
  }

  /** Calls `deletePiece` until it deletes fewer than `MIN_PRUNED` rows. Few or no expired rows are then left. */
  async #inPieces(deletePiece: () => Promise<number>, signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    while (!signal.aborted) {
      const startedAt = clock.monotonic();
      if ((await deletePiece()) < MIN_PRUNED) return;
      const took = clock.monotonic() - startedAt;
      await sleepFor(clock, Math.max(PAUSE_MS, PAUSES_A_PIECE * took), signal);
    }
  }
}

function outcomesByRetention({
  retentionMs,
  retentionOfOutcomes = {},
}: HistoryConfig): ReadonlyMap<number, readonly RunOutcome[]> {
  const found = new Map<number, RunOutcome[]>();
  for (const outcome of RUN_OUTCOMES) {
    const kept = retentionOfOutcomes[outcome] ?? retentionMs;
    found.set(kept, [...(found.get(kept) ?? []), outcome]);
  }
  return found;
}
