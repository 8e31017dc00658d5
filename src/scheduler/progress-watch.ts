import type { Clock } from '../base/clock';
import { LoopService, type Service } from '../base/service';
import { sleepFor } from '../base/sleep';
import { WakeSignal } from '../base/wake-signal';
import { MAX_TAIL_BYTES, type RunningNote } from '../domain/progress';
import { JobContext } from '../engine/job-context';
import { ErrorThrottle } from '../events/error-throttle';
import type { EventBus } from '../events/event-bus';
import type { ClusterStore } from '../store/cluster-store';

export interface ProgressWatchParts {
  readonly store: Pick<ClusterStore, 'saveProgress'>;
  readonly clock: Clock;
  readonly bus: Pick<EventBus, 'publish'>;
  /** What runs here now. */
  readonly executing: () => readonly unknown[];
}

/** Between two writes: what a job says in a loop must not become a write each time. */
const INTERVAL_MS = 1_000;

/**
 * Tells the other nodes how far the runs of this one are, and what they logged last. Sleeps until a job says something, and writes what
 * all of them said at once.
 */
export class ProgressWatch {
  readonly service: Service;
  readonly #parts: ProgressWatchParts;
  readonly #wake: WakeSignal;
  /** Those that have said something since it was written. */
  #said = new Set<JobContext>();
  /** Those of which something is written. */
  readonly #written = new Set<JobContext>();

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
          errors.report('telling the other nodes how far runs are', thrown);
        }
        await sleepFor(clock, INTERVAL_MS, signal);
        if (this.#said.size + this.#written.size === 0) await this.#wake.waitUntil(Number.POSITIVE_INFINITY, signal);
      }
    });
  }

  /** A job has said something. */
  readonly onSaid = (context: JobContext): void => {
    this.#said.add(context);
    this.#wake.notify(null);
  };

  /** Stops, and forgets the runs that have ended; whatever keeps it from that, a sweep forgets them. */
  async end(): Promise<void> {
    await this.service.stop();
    await this.runOnce().catch(() => undefined);
  }

  /** Writes what is new. Rejects with what the store failed with, and what it did not take is written the next time. */
  async runOnce(): Promise<void> {
    const executing = new Set(this.#parts.executing());
    const said = [...this.#said].filter((context) => executing.has(context));
    const ended = [...this.#written].filter((context) => !executing.has(context));
    this.#said = new Set();
    if (said.length + ended.length === 0) return;
    try {
      await this.#parts.store.saveProgress(said.map(noteOf), ended.map(idOf));
    } catch (error) {
      for (const context of said) this.#said.add(context);
      throw error;
    }
    for (const context of said) this.#written.add(context);
    for (const context of ended) this.#written.delete(context);
  }
}

function idOf(context: JobContext): string {
  return JobContext.firingOf(context).runId;
}

function noteOf(context: JobContext): RunningNote {
  const notes = JobContext.notesOf(context);
  const progress = notes?.progress ?? null;
  return {
    runId: idOf(context),
    progress: progress === null ? null : { ...progress, at: progress.at.getTime() },
    tail: notes?.tail(MAX_TAIL_BYTES) ?? { skipped: 0, lines: [] },
  };
}
