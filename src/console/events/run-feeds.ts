import type { Clock } from '../../base/clock';
import { Problem } from '../../operations/problem';
import type { ServedScheduler } from '../served-schedulers';
import { requireFewOf } from './event-client';
import { type OpenFeedOptions, RunFeed } from './run-feed';

/** Limits per scheduler: streams of run output, and followed runs, each of which is polled once a second. */
export const MAX_FOLLOWERS = 200;
export const MAX_FOLLOWED_RUNS = 100;

export class RunFeeds {
  readonly #served: ServedScheduler;
  readonly #clock: Clock;
  readonly #feeds = new Map<string, RunFeed>();
  #isClosed = false;

  constructor(served: ServedScheduler, clock: Clock) {
    this.#served = served;
    this.#clock = clock;
  }

  /** Number of runs with a feed, including runs that have ended in the last 30 s. */
  get size(): number {
    return this.#feeds.size;
  }

  /**
   * Opens a stream with the log lines and progress of a run. Rejects with NOT_FOUND if the run is not executing, with TOO_MANY_REQUESTS if a limit on
   * streams or followed runs is reached, with SCHEDULER_STATE if the console or the scheduler was shut down, or with STORE_FAILURE.
   */
  async open(runId: string, options: OpenFeedOptions): Promise<ReadableStream<Uint8Array>> {
    const feed = this.#feeds.get(runId) ?? this.#begin(runId);
    if (!(await feed.isFound)) {
      throw new Problem(
        'NOT_FOUND',
        'No run with this id is executing. If the run has ended and was recorded, `runs show` shows its log lines.',
      );
    }
    const followers = [...this.#feeds.values()].flatMap(({ clients }) => [...clients]);
    if (followers.length >= MAX_FOLLOWERS) throw tooMany(`${MAX_FOLLOWERS} streams of run output`);
    requireFewOf(options.actor, followers);
    return feed.open(options);
  }

  close(): void {
    this.#isClosed = true;
    for (const feed of this.#feeds.values()) feed.close();
  }

  #begin(runId: string): RunFeed {
    const { scheduler, control } = this.#served;
    if (this.#isClosed || scheduler.isShutdown()) {
      throw new Problem('SCHEDULER_STATE', 'Runs cannot be followed: the scheduler or the console was shut down.');
    }
    if (this.#feeds.size >= MAX_FOLLOWED_RUNS) throw tooMany(`${MAX_FOLLOWED_RUNS} followed runs`);
    const feed: RunFeed = new RunFeed({
      clock: this.#clock,
      follow: (onNews, signal) => control.followRun(runId, onNews, signal),
      onOver: () => {
        if (this.#feeds.get(runId) === feed) this.#feeds.delete(runId);
      },
    });
    this.#feeds.set(runId, feed);
    return feed;
  }
}

function tooMany(limit: string): Problem {
  return new Problem('TOO_MANY_REQUESTS', `Expected at most ${limit} of this scheduler. Close one first.`);
}
