import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { isDeadProcess, ownProcess } from '../../../../src/scheduler/node/processes';
import type { ProcessFacts } from '../../../../src/store/cluster-store';

const own = ownProcess();
const facts: ProcessFacts = own ?? { scope: 'unknown', start: 0 };
/** True on Linux. On other systems the state of other processes is unknown, and all count as alive. */
const isKnown = own !== null;

/** A process that runs until it is killed. */
async function child() {
  const started = spawn(process.execPath, ['-e', 'console.log("up"); setInterval(() => {}, 1000)']);
  await once(started.stdout, 'data');
  return {
    processId: started.pid as number,
    kill: () => Promise.all([once(started, 'exit'), started.kill('SIGKILL')]),
  };
}

describe('the state of processes on this machine', () => {
  it('is known on Linux', () => {
    expect(isKnown).toBe(process.platform === 'linux');
  });

  it('is alive until the process ends', async () => {
    const { processId, kill } = await child();
    const start = startOf(processId);
    const node = { processId, process: { ...facts, start } };
    expect(isDeadProcess(node)).toBe(false);
    await kill();
    expect(isDeadProcess(node)).toBe(isKnown);
  });

  it('is alive while the process is stopped', async () => {
    const { processId, kill } = await child();
    process.kill(processId, 'SIGSTOP');
    expect(isDeadProcess({ processId, process: { ...facts, start: startOf(processId) } })).toBe(false);
    await kill();
  });

  it('is dead if another process now has the same id', () => {
    expect(isDeadProcess({ processId: process.pid, process: facts })).toBe(false);
    expect(isDeadProcess({ processId: process.pid, process: { ...facts, start: facts.start - 1 } })).toBe(isKnown);
  });

  it('is unknown for processes of other machines, boots and namespaces', async () => {
    const { processId, kill } = await child();
    await kill();
    expect(isDeadProcess({ processId, process: facts })).toBe(isKnown);
    expect(isDeadProcess({ processId, process: { ...facts, scope: facts.scope.replace(/^./, '-') } })).toBe(false);
    expect(isDeadProcess({ processId, process: null })).toBe(false);
    expect(isDeadProcess({ processId: null, process: facts })).toBe(false);
    expect(isDeadProcess({ processId: 0, process: facts })).toBe(false);
  });
});

/** Start time of a process as the process itself would report it. */
function startOf(processId: number): number {
  if (!isKnown) return 0;
  const stat = readFileSync(`/proc/${processId}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
}
