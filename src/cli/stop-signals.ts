import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { SystemClock } from '../base/clock';
import { sleepFor } from '../base/sleep';
import { EXIT_CODES } from './exit-codes';

interface SignalProcess {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  exit(code: number): void;
}

/**
 * Returns a signal that aborts at the first SIGTERM or SIGINT, with the name of that signal as the reason. Also aborts
 * when the npm that started this process has ended. A second SIGTERM or SIGINT ends the process immediately. Listens
 * until the process ends, so that a first signal never interrupts the last steps of a command.
 */
export function listenForStop(source: SignalProcess = process): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    const { code } = EXIT_CODES[name === 'SIGINT' ? 'INTERRUPTED' : 'TERMINATED'];
    source.on(name, () => (stop.signal.aborted ? source.exit(code) : stop.abort(name)));
  }
  watchNpm(process.env, stop);
  return stop.signal;
}

/*
 * npm and npx start a command in a shell. SIGTERM to npm ends only that shell, and SIGKILL ends only npm. In both cases the command would continue
 * without a supervisor. A command that npm started therefore polls the processes between npm and itself.
 */

const INTERVAL_MS = 500;

/** Maximum number of shells between npm and the command. */
const MAX_DEPTH = 10;

/**
 * Aborts when the npm, npx, pnpm or yarn that started this process has ended. Has no effect if none of them started the process. Also has no effect
 * if the process leads its own process group (setsid, `detached: true`): such a daemon outlives its parents.
 */
function watchNpm(env: Readonly<Record<string, string | undefined>>, stop: AbortController): void {
  if (env.npm_command === undefined && env.npm_lifecycle_event === undefined) return;
  const self = readProcess(process.pid);
  if (self === null || self.group === process.pid) return;
  const { ppid } = process;
  const runner = runnerAbove(ppid);
  const clock = new SystemClock({ keepsAlive: false });
  const poll = async () => {
    while (!stop.signal.aborted && process.ppid === ppid && isAlive(runner))
      await sleepFor(clock, INTERVAL_MS, stop.signal);
    stop.abort('npm, which started this process, has ended');
  };
  void poll();
}

/** Returns the id of the nearest ancestor process, starting at `pid`, that is not a shell: npm, npx, pnpm or yarn. */
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
  readonly name: string;
}

/** Returns the entry of a process. Null if the process has ended, or on Windows, where no signal ends npm alone. */
function readProcess(pid: number): ProcessEntry | null {
  try {
    if (process.platform === 'linux') return fromStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    if (process.platform === 'win32') return null;
    return fromPs(execFileSync('ps', ['-o', 'ppid=,pgid=,comm=', '-p', String(pid)], { encoding: 'utf8' }));
  } catch {
    return null;
  }
}

/** Parses the content of `/proc/<pid>/stat`. The program name is in parentheses and may contain parentheses. */
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
