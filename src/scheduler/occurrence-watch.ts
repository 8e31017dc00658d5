import type { Clock } from '../base/clock';
import type { Service } from '../base/service';
import type { NodeHooks } from '../cluster/node-hooks';
import { loopOf } from '../cluster/retrying-loop';
import { completedOccurrence } from '../domain/shards';
import type { OccurrenceStore } from '../store/job-store';

export interface OccurrenceWatchParts {
  readonly store: Pick<OccurrenceStore, 'endOccurrences'>;
  readonly clock: Clock;
  readonly publish: NodeHooks['publish'];
}

const INTERVAL_MS = 30_000;
/** Looked at in one transaction. */
const PAGE = 100;

/**
 * Ends occurrences whose last parts will not end by themselves, because their triggers were deleted or are in ERROR. Every node looks, and
 * one of them does it.
 */
export class OccurrenceWatch {
  readonly service: Service;
  readonly #parts: OccurrenceWatchParts;
  /** Up to where it has looked. */
  #last: string | null = null;

  constructor(parts: OccurrenceWatchParts) {
    const { clock, publish } = parts;
    this.#parts = parts;
    this.service = loopOf('occurrence watch', {
      clock,
      publish,
      during: 'looking for occurrences whose parts are gone',
      runOnce: () => this.runOnce(),
      delay: () => INTERVAL_MS,
    });
  }

  /** Looks at the next ones once. Rejects with what the store failed with. */
  async runOnce(): Promise<void> {
    const { store, clock, publish } = this.#parts;
    const { ended, next } = await store.endOccurrences({ after: this.#last, maxCount: PAGE, now: clock.now() });
    this.#last = next;
    for (const occurrence of ended) publish({ at: clock.now(), ...completedOccurrence(occurrence) });
  }
}
