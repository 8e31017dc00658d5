import { MemoryJobStore } from '../../src/store/memory/memory-job-store';
import { describeJobStore } from './describe-job-store';
import { POLICY, SCOPE } from './samples';

let count = 0;

describeJobStore({
  name: 'memory',
  create: async () => new MemoryJobStore(() => `memory.${++count}`, { scope: SCOPE, policy: POLICY }),
  createInScope: async (scope) => new MemoryJobStore(() => `memory.${++count}`, { scope, policy: POLICY }),
  capabilities: { exactKeys: true, largeSchedules: true },
});
