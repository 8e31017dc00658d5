import type { PauseDetails } from '../api/reading';
import type { JobDetail } from '../domain/job-detail';
import type { TriggerKey } from '../domain/keys';
import type { JobPageQuery, KeyPage, StoredTrigger, TriggerPageQuery } from '../store/job-store';
import { pausesOf } from './read-methods';
import type { SchedulerParts } from './scheduler-parts';

/** A trigger as it is stored, and why it is paused. */
export interface FoundTrigger extends StoredTrigger {
  /** Null: it is not paused, or nobody has said why. */
  readonly pause: PauseDetails | null;
}

/** Reads for the faces. All reject with SCHEDULER_STATE or STORE_FAILURE. */
export interface ControlReads {
  /** Jobs by name and group, read on by key. */
  pageJobs(query: JobPageQuery): Promise<KeyPage<JobDetail>>;
  /** Triggers, read on by key or by time. */
  pageTriggers(query: TriggerPageQuery): Promise<KeyPage<FoundTrigger>>;
  /** Null: there is none under that key. */
  findTrigger(key: TriggerKey): Promise<FoundTrigger | null>;
}

export function controlReads({ store, lifecycle }: SchedulerParts): ControlReads {
  const withPauses = async (items: readonly StoredTrigger[]): Promise<readonly FoundTrigger[]> => {
    const pauses = await pausesOf(store, items);
    return items.map((item, index) => ({ ...item, pause: pauses[index] ?? null }));
  };
  return {
    async pageJobs(query) {
      lifecycle.assertUsable();
      return store.pageJobs(query);
    },
    async pageTriggers(query) {
      lifecycle.assertUsable();
      const page = await store.pageTriggers(query);
      return { ...page, items: await withPauses(page.items) };
    },
    async findTrigger(key) {
      lifecycle.assertUsable();
      const [found = null] = await withPauses(await store.getTriggers([key]));
      return found;
    },
  };
}
