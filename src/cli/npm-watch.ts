import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/*
 * npm and npx start a command in a shell. SIGTERM ends that shell, and SIGKILL ends npm alone: in both cases the command would go on as a
 * process that nothing supervises. A command that npm started therefore polls the processes between npm and itself.
 */

const INTERVAL_MS = 500;

/** More shells than this between npm and the command are not followed. */
const MAX_DEPTH = 10;

/**
 * Calls `onEnd` once, with the reason, when the npm, npx, pnpm or yarn that started this process has ended. Does nothing in a process that
 * none of them started, and in a daemon: a process that leads a process group of its own (setsid, `detached: true`) outlives its parents.
 */
export function watchNpm(env: Readonly<Record<string, string | undefined>>, onEnd: (reason: string) => void): void {
  if (env.npm_command === undefined && env.npm_lifecycle_event === undefined) return;
  const self = readProcess(process.pid);
  if (self === null || self.group === process.pid) return;
  const { ppid } = process;
  const runner = runnerAbove(ppid);
  const timer = setInterval(() => {
    if (process.ppid === ppid && isAlive(runner)) return;
    clearInterval(timer);
    onEnd('npm, which started this process, has ended');
  }, INTERVAL_MS);
  timer.unref();
}

/** The first process above that is no shell: npm. */
function runnerAbove(pid: number): number {
  let runner = pid;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const found = readProcess(runner);
    if (found === null || found.parent <= 1 || !/^-?(\w*sh|busybox)$/.test(found.name)) break;
    runner = found.parent;
  }
  return runner;
}

interface ProcessEntry {
  readonly parent: number;
  readonly group: number;
  /** Its program, without the folder. */
  readonly name: string;
}

/** Null: it has ended, or the system does not tell (Windows, where no signal ends npm alone). */
function readProcess(pid: number): ProcessEntry | null {
  try {
    if (process.platform === 'linux') return fromStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    if (process.platform === 'win32') return null;
    return fromPs(execFileSync('ps', ['-o', 'ppid=,pgid=,comm=', '-p', String(pid)], { encoding: 'utf8' }));
  } catch {
    return null;
  }
}

/** The name is in parentheses and may itself contain some. */
function fromStat(text: string): ProcessEntry {
  const end = text.lastIndexOf(')');
  const [, parent, group] = text.slice(end + 2).split(' ');
  return { parent: Number(parent), group: Number(group), name: text.slice(text.indexOf('(') + 1, end) };
}

function fromPs(text: string): ProcessEntry {
  const [parent, group, ...command] = text.trim().split(/\s+/);
  return { parent: Number(parent), group: Number(group), name: command.join(' ').split('/').at(-1) ?? '' };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
