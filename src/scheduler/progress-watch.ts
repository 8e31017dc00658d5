import type { Clock } from '../base/clock';
import { LoopService, type Service } from '../base/service';
import { sleepFor } from '../base/sleep';
import { WakeSignal } from '../base/wake-signal';
import { MAX_TAIL_BYTES, type RunningNote } from '../domain/progress';
import type { RunState } from '../engine/run-state';
import { ErrorThrottle } from '../events/error-throttle';
import type { EventBus } from '../events/event-bus';
import type { ClusterStore } from '../store/cluster-store';

interface ProgressWatchParts {
  readonly store: Pick<ClusterStore, 'saveProgress'>;
  readonly clock: Clock;
  readonly bus: Pick<EventBus, 'publish'>;
  readonly executing: () => readonly RunState[];
}

/** Minimum interval between two writes, in milliseconds, because a job may log in a loop. */
const INTERVAL_MS = 1_000;

/** Stores progress and last log lines of this node's runs for other nodes. Waits for output, then stores all jobs' output in one statement. */
export class ProgressWatch {
  readonly service: Service;
  readonly #parts: ProgressWatchParts;
  readonly #wake: WakeSignal;
  /** Runs with output that is not stored yet. */
  #changed = new Set<RunState>();
  readonly #written = new Set<RunState>();

  constructor(parts: ProgressWatchParts) {
    const { clock, bus } = parts;
    this.#parts = parts;
    this.#wake = new WakeSignal(clock);
    const errors = new ErrorThrottle(clock, bus);
    this.service = new LoopService('progress of runs', async (signal) => {
      while (!signal.aborted) {
        this.#wake.clear();
        try {
          await this.runOnce();
          errors.end();
        } catch (thrown) {
          errors.report('storing the progress of runs', thrown);
        }
        await sleepFor(clock, INTERVAL_MS, signal);
        if (this.#changed.size + this.#written.size === 0) await this.#wake.waitUntil(Number.POSITIVE_INFINITY, signal);
      }
    });
  }

  /** Schedules a write, because a job has logged a line or set its progress. */
  readonly onOutput = (run: RunState): void => {
    this.#changed.add(run);
    this.#wake.notify(null);
  };

  /** Stops the service and deletes the stored output of ended runs. If the store fails, a later sweep deletes it. */
  async end(): Promise<void> {
    await this.service.stop();
    await this.runOnce().catch(() => undefined);
  }

  /** Stores new output, and deletes the output of ended runs. Rejects if the store fails; the next call retries. */
  async runOnce(): Promise<void> {
    const executing = new Set(this.#parts.executing());
    const changed = [...this.#changed].filter((run) => executing.has(run));
    const ended = [...this.#written].filter((run) => !executing.has(run));
    this.#changed = new Set();
    if (changed.length + ended.length === 0) return;
    try {
      await this.#parts.store.saveProgress(
        changed.map(noteOf),
        ended.map(({ firing }) => firing.runId),
      );
    } catch (error) {
      for (const run of changed) this.#changed.add(run);
      throw error;
    }
    for (const run of changed) this.#written.add(run);
    for (const run of ended) this.#written.delete(run);
  }
}

function noteOf({ firing, notes, interruption }: RunState): RunningNote {
  const progress = notes?.progress ?? null;
  return {
    runId: firing.runId,
    progress: progress === null ? null : { ...progress, at: progress.at.getTime() },
    tail: notes?.tail(MAX_TAIL_BYTES) ?? { skipped: 0, lines: [] },
    interruption,
  };
}
