import type { EpochMs } from '../../base/clock';
import type { JobStore } from '../job-store';
import type { MethodNames, Methods, Notice } from './calls';
import { StoreThread, type StoreThreadOptions } from './store-thread';

type StoreMethod = Exclude<MethodNames<JobStore>, 'open' | 'close'>;

/** Every method that is called from outside, besides `open` and `close`. */
const STORE_METHODS: Readonly<Record<StoreMethod, true>> = {
  applySchedule: true,
  pauseTriggers: true,
  resumeTriggers: true,
  pauseJobs: true,
  resumeJobs: true,
  resetTriggersFromError: true,
  acquireTriggers: true,
  releaseTriggers: true,
  fireTriggers: true,
  completeTriggers: true,
  recoverMisfires: true,
  getJobs: true,
  getTriggers: true,
  queryJobs: true,
  queryTriggers: true,
  getJobGroupNames: true,
  getTriggerGroupNames: true,
  getPausedTriggerGroups: true,
  getCalendar: true,
  getCalendarNames: true,
};

/** The notice by which a store in a thread says that a fire time may have come forward. */
export const SCHEDULE_CHANGED = 'scheduleChanged';

/** The methods of a store, to be served to another thread. */
export function methodsOf(store: JobStore): Methods {
  const names = Object.keys(STORE_METHODS) as StoreMethod[];
  return Object.fromEntries(names.map((name) => [name, store[name].bind(store) as Methods[string]]));
}

/** A store as seen from another thread: each method is one message there and one back. The thread is started by `open`. */
export function remoteStore(options: StoreThreadOptions & Pick<JobStore, 'description'>): JobStore {
  let thread: StoreThread | null = null;
  const call = (method: string, args: readonly unknown[]) => {
    if (thread === null) throw new TypeError('The store is used before it is open.');
    return thread.call(method, args);
  };
  const names = Object.keys(STORE_METHODS);
  const methods = Object.fromEntries(names.map((name) => [name, async (...args: unknown[]) => call(name, args)]));
  return {
    ...(methods as unknown as Pick<JobStore, StoreMethod>),
    description: options.description,
    async open(onScheduleChanged) {
      const onNotice = (notice: Notice) => {
        if (notice.notice === SCHEDULE_CHANGED) onScheduleChanged(notice.value as EpochMs | null);
        else options.onNotice(notice);
      };
      thread = new StoreThread({ ...options, onNotice });
      await thread.call('open', []).catch(async (error: unknown) => {
        await thread?.close();
        throw error;
      });
    },
    async close() {
      await thread?.close();
    },
  };
}
