import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { isDeadProcess, ownProcess } from '../../../../src/scheduler/node/processes';
import type { ProcessFacts } from '../../../../src/store/cluster-store';

const own = ownProcess();
const facts: ProcessFacts = own ?? { scope: 'unknown', start: 0 };
/** Linux tells; elsewhere nothing is known of other processes, and all of them are alive. */
const isKnown = own !== null;

/** A process that lives until it is told to end. */
async function child() {
  const started = spawn(process.execPath, ['-e', 'console.log("up"); setInterval(() => {}, 1000)']);
  await once(started.stdout, 'data');
  return {
    processId: started.pid as number,
    kill: () => Promise.all([once(started, 'exit'), started.kill('SIGKILL')]),
  };
}

describe('processes of this machine', () => {
  it('are known on Linux', () => {
    expect(isKnown).toBe(process.platform === 'linux');
  });

  it('are alive until they end', async () => {
    const { processId, kill } = await child();
    const start = startOf(processId);
    const node = { processId, process: { ...facts, start } };
    expect(isDeadProcess(node)).toBe(false);
    await kill();
    expect(isDeadProcess(node)).toBe(isKnown);
  });

  it('are alive while they are stopped', async () => {
    const { processId, kill } = await child();
    process.kill(processId, 'SIGSTOP');
    expect(isDeadProcess({ processId, process: { ...facts, start: startOf(processId) } })).toBe(false);
    await kill();
  });

  it('are dead where another process has their id by now', () => {
    expect(isDeadProcess({ processId: process.pid, process: facts })).toBe(false);
    expect(isDeadProcess({ processId: process.pid, process: { ...facts, start: facts.start - 1 } })).toBe(isKnown);
  });

  it('are not judged where an id means another process: other machines, boots and namespaces', async () => {
    const { processId, kill } = await child();
    await kill();
    expect(isDeadProcess({ processId, process: facts })).toBe(isKnown);
    expect(isDeadProcess({ processId, process: { ...facts, scope: facts.scope.replace(/^./, '-') } })).toBe(false);
    expect(isDeadProcess({ processId, process: null })).toBe(false);
    expect(isDeadProcess({ processId: null, process: facts })).toBe(false);
    expect(isDeadProcess({ processId: 0, process: facts })).toBe(false);
  });
});

/** As the process itself would tell. */
function startOf(processId: number): number {
  if (!isKnown) return 0;
  const stat = readFileSync(`/proc/${processId}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
}
