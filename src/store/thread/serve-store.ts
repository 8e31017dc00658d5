import { parentPort } from 'node:worker_threads';
import type { JobStore } from '../job-store';
import { methodsOf, SCHEDULE_CHANGED } from './remote-store';
import { sendNotice, serveCalls } from './serve-calls';

/** What a store in a thread tells the thread in front of it, besides its answers. */
export type Tell = (notice: string, value: unknown) => void;

/** Runs in the thread: serves the store that `build` makes when it is opened. */
export function serveStore(build: (tell: Tell) => Promise<JobStore>): void {
  const port = parentPort;
  if (port === null) throw new TypeError('This file runs in a thread of its own.');
  const tell: Tell = (notice, value) => sendNotice(port, notice, value);
  let store: JobStore | null = null;
  const methods = {
    async open() {
      store = await build(tell);
      Object.assign(methods, methodsOf(store));
      await store.open((earliest) => tell(SCHEDULE_CHANGED, earliest));
    },
    async close() {
      await store?.close();
    },
  };
  serveCalls(port, methods);
}
