import { resolve } from 'node:path';
import { SystemClock } from '../../src/base/clock';
import type { JobStore } from '../../src/store/job-store';
import { startRemoteStore } from '../../src/store/thread/remote-store';
import { freshDist } from '../support/fresh-dist';
import { describeJobStore } from './describe-job-store';

/** One thread for all tests: starting one takes longer than most of them. */
let remote: JobStore;
let onScheduleChanged: Parameters<JobStore['open']>[0] = () => {};

beforeAll(async () => {
  freshDist();
  const started = await startRemoteStore({
    program: { file: resolve(__dirname, '../support/threads/memory-store.cjs') },
    setup: {},
    clock: new SystemClock(),
    methods: {},
    onNotice: () => {},
    onCrash: (error) => {
      throw error;
    },
  });
  remote = started.store;
  await remote.open((earliest) => onScheduleChanged(earliest));
});

afterAll(() => remote.close());

describeJobStore({
  name: 'memory, in a thread of its own',
  create: async () => ({
    ...remote,
    async open(listener) {
      await remote.getCalendar('renew');
      onScheduleChanged = listener;
    },
    async close() {
      onScheduleChanged = () => {};
    },
  }),
  capabilities: { exactKeys: true, largeSchedules: true },
});
