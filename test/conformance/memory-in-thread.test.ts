import { resolve } from 'node:path';
import { SystemClock } from '../../src/base/clock';
import type { JobStore } from '../../src/store/job-store';
import { StoreThread } from '../../src/store/thread/store-thread';
import { freshDist } from '../support/fresh-dist';
import { IS_LONG } from '../support/long-forms';
import { describeJobStore } from './describe-job-store';

/** One thread for all tests, because starting it takes longer than most of them. */
let remote: JobStore;
let onScheduleChanged: Parameters<JobStore['open']>[0] = () => {};

beforeAll(async () => {
  freshDist();
  const started = await StoreThread.start({
    program: { file: resolve(__dirname, '../support/threads/memory-store.cjs') },
    setup: {},
    clock: new SystemClock(),
    targets: {},
    onCrash: (error) => {
      throw error;
    },
  });
  remote = started.store;
  await remote.open((earliest) => onScheduleChanged(earliest));
});

afterAll(() => remote.close());

/** The short form plays `core`: the thread passes every call on, and the store behind it plays all areas. */
describeJobStore({
  name: 'threaded memory',
  areas: IS_LONG ? 'all' : 'core',
  create: async () => {
    const own: Partial<JobStore> = {
      async open(listener) {
        await remote.getCalendar('renew');
        onScheduleChanged = listener;
      },
      async close() {
        onScheduleChanged = () => {};
      },
    };
    return new Proxy(remote, { get: (_, name: keyof JobStore) => own[name] ?? remote[name] });
  },
  capabilities: { exactKeys: true, largeSchedules: true },
});
