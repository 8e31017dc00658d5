import { z } from 'zod';
import { timeView } from '../fields';
import { query } from '../operation';

export const schedulerShow = query({
  summary: 'Shows the scheduler: its name, state, store and version.',
  http: { method: 'GET', path: '' },
  command: { words: ['scheduler', 'show'] },
  input: z.strictObject({}),
  output: z.object({
    schedulerName: z.string(),
    schedulerInstanceId: z.string(),
    version: z.string(),
    timeZone: z.string().describe('Time zone of triggers without one.'),
    runningSince: timeView.nullable(),
    numberOfJobsExecuted: z.int(),
    numberOfAbandonedJobs: z.int(),
    isStarted: z.boolean(),
    isInStandbyMode: z.boolean(),
    isShutdown: z.boolean(),
    isFenced: z.boolean(),
    isStoreAvailable: z.boolean(),
    jobStore: z.object({ name: z.string(), persistent: z.boolean(), clustered: z.boolean() }),
    threadPool: z.object({ name: z.string(), size: z.int() }),
  }),
  async run({ scheduler, control }) {
    return { ...scheduler.getMetaData(), timeZone: control.timeZone };
  },
});
