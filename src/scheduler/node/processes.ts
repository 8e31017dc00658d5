import { readFileSync, readlinkSync, writeSync } from 'node:fs';
import { url } from 'node:inspector';
import { hostname } from 'node:os';
import type { Clock } from '../../base/clock';
import { NEVER, sleepFor } from '../../base/sleep';
import type { NodeHooks } from '../../cluster/node-hooks';
import type { NodeRecord, ProcessFacts } from '../../store/cluster-store';

/*
 * Identifies this process, detects whether another process on this machine has ended, and kills this process. A process id identifies one process
 * within one boot and one pid namespace, until the system reuses the id. Containers on one host have separate pid namespaces, and each machine has
 * its own boot id. Another process counts as ended only if the system proves it. A process that cannot be compared counts as alive until its
 * check-ins stop.
 */

/** Files that identify the machine and namespaces of a process. The time namespace, which shifts start times, is optional: old kernels lack it. */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';
const PID_NAMESPACE = '/proc/self/ns/pid';
const TIME_NAMESPACE = '/proc/self/ns/time';

const MAX_SCOPE = 190;

interface ProcessState {
  /** Start time, in clock ticks since boot. */
  readonly start: number;
  /** True if the process has ended but its parent process has not yet collected the exit status. */
  readonly isZombie: boolean;
}

let own: ProcessFacts | null | undefined;

/** Returns the identity of this process, or null if the system does not provide it. Only Linux provides it. */
export function ownProcess(): ProcessFacts | null {
  own = own === undefined ? readOwnProcess() : own;
  return own;
}

function readOwnProcess(): ProcessFacts | null {
  try {
    if (readlinkSync('/proc/self') !== String(process.pid)) return null; // /proc belongs to another pid namespace
    const state = stateOf(process.pid);
    const parts = [readFileSync(BOOT_ID, 'utf8').trim(), readlinkSync(PID_NAMESPACE), timeNamespace(), hostname()];
    const scope = parts.join(' ');
    return state === null || scope.length > MAX_SCOPE ? null : { scope, start: state.start };
  } catch {
    return null;
  }
}

/** Returns true if the node's process ran on this machine and has certainly ended. */
export function isDeadProcess({ processId, process: facts }: Pick<NodeRecord, 'processId' | 'process'>): boolean {
  if (processId === null || processId <= 0 || facts === null) return false;
  if (ownProcess()?.scope !== facts.scope) return false;
  if (!exists(processId)) return true;
  const state = stateOf(processId);
  return state !== null && (state.start !== facts.start || state.isZombie);
}

/** Returns true if the process exists. The kernel responds even for processes of other users, which a restricted /proc hides. */
function exists(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Returns the state of a process. Null if the system does not show it. */
function stateOf(processId: number): ProcessState | null {
  try {
    return parseStat(readFileSync(`/proc/${processId}/stat`, 'utf8'));
  } catch {
    return null;
  }
}

/** Parses `/proc/PID/stat`: `pid (name) state …`. The name may contain any character, so the fields are counted from the last parenthesis. */
function parseStat(text: string): ProcessState | null {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, threads, start] = [fields[0], Number(fields[17]), Number(fields[19])];
  if (state === undefined || !Number.isSafeInteger(start)) return null;
  return { start, isZombie: state === 'X' || (state === 'Z' && threads <= 1) };
}

function timeNamespace(): string {
  try {
    return readlinkSync(TIME_NAMESPACE);
  } catch {
    return '';
  }
}

interface ProcessEnd {
  readonly clock: Clock;
  /** True if a debugger is attached, so that a lost lease may be the result of a breakpoint. */
  readonly isDebugged: () => boolean;
  readonly end: () => void;
}

/** Delay before the process is killed, in milliseconds, so that the main thread can still write its log. */
const FLUSH_TIMEOUT_MS = 500;

/** Returns true if a debugger is attached to this process. Correct only in the main thread. */
export function isDebugged(): boolean {
  return url() !== undefined;
}

/** Kills the process when its node loses the lease, so that jobs stop and a supervisor restarts it. Does nothing while a debugger is attached. */
export function endingHooks(hooks: NodeHooks, { clock, isDebugged: isPaused, end }: ProcessEnd): NodeHooks {
  return {
    ...hooks,
    leaseLost(reason) {
      hooks.leaseLost(reason);
      if (!isPaused()) void sleepFor(clock, FLUSH_TIMEOUT_MS, NEVER).then(end);
    },
  };
}

/**
 * Kills this process with SIGKILL, from any of its threads. If this process is the first process (pid 1) of a container, the kernel ignores its own
 * SIGKILL. The process then exits through `exitMain` in the main thread, once that thread's event loop is free.
 */
export function killProcess(exitMain: () => void, kill: (signal: 'SIGKILL') => void = killSelf): void {
  try {
    // The calling thread writes the message itself, because the main thread may be blocked.
    writeSync(STANDARD_ERROR, LAST_WORDS);
  } catch {} // standard error is closed
  kill('SIGKILL');
  exitMain();
}

function killSelf(signal: 'SIGKILL'): void {
  process.kill(process.pid, signal);
}

/** Exits with code 137, as after SIGKILL. Must be called in the main thread. */
export function exitMain(): void {
  process.exit(137);
}

const STANDARD_ERROR = 2;
const LAST_WORDS =
  'error: This node lost its lease and kills its process with SIGKILL (jobStore.onLeaseLost: exit-process). Other nodes take over its work; ' +
  'the process supervisor should restart it.\n';
