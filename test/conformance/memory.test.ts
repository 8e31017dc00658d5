import { MemoryJobStore } from '../../src/store/memory/memory-job-store';
import { describeJobStore } from './describe-job-store';

let count = 0;

describeJobStore({
  name: 'memory',
  create: async () => new MemoryJobStore(() => `memory.${++count}`),
  capabilities: { exactKeys: true, largeSchedules: true },
});
