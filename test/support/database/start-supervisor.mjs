import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { memoryFolder } from '../memory-folder.cjs';

/**
 * Starts the process that owns the database servers of this run, and ends with this process. It starts servers only when a test needs them.
 * @returns {{ socket: string, stop: () => Promise<void> }}
 */
export function startSupervisor() {
  const folder = memoryFolder('qts-'); // short: a socket's path has 108 characters
  const script = join(dirname(fileURLToPath(import.meta.url)), 'supervisor.mjs');
  // A separate process group, so that Ctrl-C reaches it only through this process, with time to clean up.
  const child = spawn(process.execPath, [script, folder], { stdio: ['pipe', 'ignore', 'inherit'], detached: true });
  child.unref();
  child.stdin.unref?.();
  const stop = () =>
    new Promise((resolve) => {
      child.ref();
      child.once('exit', resolve);
      child.stdin.end();
    });
  return { socket: join(folder, 'supervisor'), stop };
}
