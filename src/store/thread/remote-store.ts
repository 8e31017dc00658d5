import type { EpochMs } from '../../base/clock';
import type { JobStore } from '../job-store';
import type { MethodNames, Methods, Notice } from './calls';
import { type ReferringStore, referringStore } from './firing-references';
import { StoreThread, type StoreThreadOptions } from './store-thread';

/** What is called after `open` and before `close`. */
export type StoreMethods = Pick<JobStore, Exclude<MethodNames<JobStore>, 'open' | 'close'>>;

/** Every one of them: a method missing here does not compile. */
const STORE_METHODS: Readonly<Record<keyof StoreMethods, true>> = {
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
  getUnreadableRows: true,
  getDeclaredTriggers: true,
};

/** The notice by which a store in a thread says that a fire time may have come forward. */
export const SCHEDULE_CHANGED = 'scheduleChanged';

/** The methods of a store as functions of their own. */
export function storeMethods(store: JobStore): StoreMethods {
  const names = Object.keys(STORE_METHODS) as (keyof StoreMethods)[];
  const methods = names.map((name) => [name, (store[name] as Methods[string]).bind(store)]);
  return Object.fromEntries(methods) as unknown as StoreMethods;
}

/** A store in a thread of its own, and the way to whatever else is there. */
export interface RemoteStore {
  readonly store: JobStore;
  readonly call: (method: string, args: readonly unknown[]) => Promise<unknown>;
}

/** Starts a thread in which a store is built. Rejects with what kept it from being built, and leaves no thread behind. */
export async function startRemoteStore(options: StoreThreadOptions): Promise<RemoteStore> {
  let onScheduleChanged: Parameters<JobStore['open']>[0] = () => {};
  const onNotice = (notice: Notice) => {
    if (notice.notice === SCHEDULE_CHANGED) onScheduleChanged(notice.value as EpochMs | null);
    else options.onNotice(notice);
  };
  const thread = new StoreThread({ ...options, onNotice });
  const call = (method: string, args: readonly unknown[]) => thread.call(method, args);
  const description = await call('build', []).catch(async (error: unknown) => {
    await thread.close();
    throw error;
  });
  const names = Object.keys(STORE_METHODS);
  const methods = Object.fromEntries(names.map((name) => [name, (...args: unknown[]) => call(name, args)]));
  const store: JobStore = {
    ...(methods as unknown as StoreMethods),
    ...referringStore(methods as unknown as ReferringStore),
    description: description as JobStore['description'],
    async open(listener) {
      onScheduleChanged = listener;
      await call('open', []);
    },
    close: (patience) => thread.close(patience),
  };
  return { store, call };
}
