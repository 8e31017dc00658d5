import { parentPort } from 'node:worker_threads';
import type { JobStore } from '../job-store';
import type { Methods } from './calls';
import { Connection } from './connection';
import { resolvingStore } from './firing-references';
import { SCHEDULE_CHANGED, storeMethods } from './remote-store';

/** A store that has been built in a thread, and what else the other end may call. */
export interface ServedStore {
  readonly store: JobStore;
  readonly methods?: Methods;
}

/** The way from the store's thread to the scheduler's. */
export type ToScheduler = Pick<Connection, 'call' | 'notify'>;

/** Runs in the thread: serves the store that `build` makes. */
export function serveStore(build: (scheduler: ToScheduler) => Promise<ServedStore>): void {
  if (parentPort === null) throw new TypeError('This file runs in a thread of its own.');
  let store: JobStore | null = null;
  const methods = {
    async build() {
      const served = await build(connection);
      store = served.store;
      Object.assign(methods, storeMethods(store), resolvingStore(store), served.methods);
      return store.description;
    },
    open: async () => store?.open((earliest) => connection.notify(SCHEDULE_CHANGED, earliest)),
    close: async () => store?.close(),
  };
  const connection = new Connection(parentPort, { methods, onNotice: () => {} });
}
