import { parentPort } from 'node:worker_threads';
import type { JobStore } from '../job-store';
import { Connection, type Targets } from './connection';
import { resolvingStore } from './firing-references';

/** What has been built in a thread: a store, and whatever else the other end may call. */
export type Served = Targets & { readonly store: JobStore };

/** Runs in the thread: serves what `build` makes. */
export function serveStore(build: (scheduler: Connection) => Promise<Served>): void {
  if (parentPort === null) throw new TypeError('This file runs in a thread of its own.');
  let store: JobStore | null = null;
  const targets: Record<string, object> = {
    thread: {
      async build() {
        const served = await build(connection);
        store = served.store;
        Object.assign(targets, served, { store: resolvingStore(store) });
        return store.description;
      },
      open: async () => store?.open((earliest) => connection.notify('store', 'scheduleChanged', [earliest])),
      close: async () => store?.close(),
    },
  };
  const connection = new Connection(parentPort, targets);
}
