import type { Clock } from '../base/clock';
import type { Service } from '../base/service';
import type { NodeHooks } from '../cluster/node-hooks';
import { loopOf } from '../cluster/retrying-loop';
import type { NodeJobTypes } from '../domain/job-types';
import { firstOfEach, keyText } from '../domain/keys';
import { completedOccurrence, isOfGoneNode } from '../domain/shards';
import type { SpreadOccurrence } from '../domain/spread-occurrence';
import { UNFIRED_STATES } from '../domain/trigger-state';
import type { JobStore } from '../store/job-store';
import { firstTriggers } from './read-pages';
import { deletedRunEvents } from './schedule-events';

export interface OccurrenceWatchParts {
  readonly store: Pick<JobStore, 'endOccurrences' | 'getOccurrences' | 'pageTriggers' | 'applySchedule'>;
  readonly clock: Clock;
  readonly publish: NodeHooks['publish'];
  /** Reads the nodes of the cluster and their job types. Null if no other node shares the store. */
  readonly readNodes: (() => Promise<readonly NodeJobTypes[]>) | null;
  /** Time after which a late trigger counts as misfired, in milliseconds. */
  readonly misfireThreshold: number;
}

const INTERVAL_MS = 30_000;
/** Delay between the start of the service and the first poll, in milliseconds. Firings that are due at the start take precedence. */
const FIRST_POLL_MS = 4_500;
/** Number of occurrences to check in one transaction. */
const PAGE = 100;

/** Maximum number of triggers to check per job in one poll. */
const TRIGGERS = 2_000;

/**
 * Ends sharded and broadcast occurrences whose remaining parts can no longer run, because another program deleted their triggers or their node has
 * left. If this library deletes the last part, it ends the occurrence in the same transaction. All nodes poll, but only one ends each occurrence.
 */
export class OccurrenceWatch {
  readonly service: Service;
  readonly #parts: OccurrenceWatchParts;
  /** Id of the last occurrence checked; null to start from the first. */
  #last: string | null = null;

  constructor(parts: OccurrenceWatchParts) {
    const { clock, publish } = parts;
    this.#parts = parts;
    this.service = loopOf('occurrence watch', {
      clock,
      publish,
      during: 'checking for occurrences whose parts are gone',
      runOnce: () => this.runOnce(),
      firstDelayMs: FIRST_POLL_MS,
      delay: () => INTERVAL_MS,
    });
  }

  async runOnce(): Promise<void> {
    const { store, clock } = this.#parts;
    await this.#dropPartsOfGoneNodes();
    const { ended, next } = await store.endOccurrences({ after: this.#last, maxCount: PAGE, now: clock.now() });
    this.#last = next;
    this.#report(ended);
  }

  #report(ended: readonly SpreadOccurrence[] = []): void {
    const { clock, publish } = this.#parts;
    for (const occurrence of ended) publish({ at: clock.now(), ...completedOccurrence(occurrence) });
  }

  /** Deletes the broadcast parts of nodes that have left or failed. Each broadcast part runs on one particular node, so no other node may run it. */
  async #dropPartsOfGoneNodes(): Promise<void> {
    const { store, clock, readNodes, misfireThreshold } = this.#parts;
    if (readNodes === null) return;
    const broadcasts = (await store.getOccurrences()).filter(({ isBroadcast }) => isBroadcast);
    if (broadcasts.length === 0) return;
    const nodes = new Set((await readNodes()).map(({ instanceId }) => instanceId));
    for (const { jobKey } of firstOfEach(broadcasts, (each) => keyText(each.jobKey))) {
      const query = { jobKey, states: UNFIRED_STATES, sort: 'key', take: TRIGGERS, omitTotal: true } as const;
      const { items } = await firstTriggers(store, query);
      const gone = items.filter(({ trigger }) => isOfGoneNode(trigger, (id) => nodes.has(id)));
      const changes = gone.map(({ trigger: { key } }) => ({ type: 'deleteTrigger', key }) as const);
      if (changes.length === 0) continue;
      const { endedOccurrences, endedRuns = [] } = await store.applySchedule(changes, {
        now: clock.now(),
        misfireThreshold,
      });
      this.#report(endedOccurrences);
      for (const event of deletedRunEvents(endedRuns)) this.#parts.publish({ at: clock.now(), ...event });
    }
  }
}
