import { readFileSync, readlinkSync, writeSync } from 'node:fs';
import { url } from 'node:inspector';
import { hostname } from 'node:os';
import type { Clock } from '../../base/clock';
import { sleepFor } from '../../base/sleep';
import type { NodeHooks } from '../../cluster/node-hooks';
import type { NodeRecord, ProcessFacts } from '../../store/cluster-store';

/*
 * Identifies this process, checks whether another process of this machine has ended, and ends this one. Another process counts as ended only if the
 * system leaves no doubt. A process id identifies one process within one boot and one pid namespace, until it is reused. Containers on one host have
 * their own namespaces, and machines have their own boots. A process that cannot be compared counts as alive until its check-ins stop.
 */

/** The parts of a scope that must be readable: without them nothing is compared. Time namespaces came later, and shift start times. */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';
const PID_NAMESPACE = '/proc/self/ns/pid';
const TIME_NAMESPACE = '/proc/self/ns/time';

const MAX_SCOPE = 190;

/** A process as the kernel shows it. */
interface ProcessState {
  /** Ticks since the boot. */
  readonly start: number;
  /** It has ended, and its parent has not asked for that yet. */
  readonly isZombie: boolean;
}

let own: ProcessFacts | null | undefined;

/** This process; null where the system does not show enough (only Linux does). */
export function ownProcess(): ProcessFacts | null {
  own = own === undefined ? readOwnProcess() : own;
  return own;
}

function readOwnProcess(): ProcessFacts | null {
  try {
    if (readlinkSync('/proc/self') !== String(process.pid)) return null; // the /proc of another namespace
    const state = stateOf(process.pid);
    const parts = [readFileSync(BOOT_ID, 'utf8').trim(), readlinkSync(PID_NAMESPACE), timeNamespace(), hostname()];
    const scope = parts.join(' ');
    return state === null || scope.length > MAX_SCOPE ? null : { scope, start: state.start };
  } catch {
    return null;
  }
}

/** True if the node was a process of this machine that has ended. False when in doubt. */
export function isDeadProcess({ processId, process: facts }: Pick<NodeRecord, 'processId' | 'process'>): boolean {
  if (processId === null || processId <= 0 || facts === null) return false;
  if (ownProcess()?.scope !== facts.scope) return false;
  if (!exists(processId)) return true;
  const state = stateOf(processId);
  return state !== null && (state.start !== facts.start || state.isZombie);
}

/** Asks the kernel, which answers for processes of other users too, unlike a /proc that hides them. */
function exists(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Returns the state of a process, or null if the system does not show it. */
function stateOf(processId: number): ProcessState | null {
  try {
    return parseStat(readFileSync(`/proc/${processId}/stat`, 'utf8'));
  } catch {
    return null;
  }
}

/** `pid (name) state …`: the name may hold anything, so the fields are counted from its end. */
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
  /** True if a debugger is attached, so that the process may stall on purpose. */
  readonly isDebugged: () => boolean;
  readonly end: () => void;
}

/** Before the process ends, so that the log is written if the main thread can still do that. */
const FLUSH_TIMEOUT_MS = 500;

const NEVER = new AbortController().signal;

/** True if a debugger is attached to this process. Call it in the main thread. */
export function isDebugged(): boolean {
  return url() !== undefined;
}

/**
 * The hooks of a node that ends its process rather than go on without its lease: a supervisor starts a new process, and the jobs of the
 * old one cannot disturb anyone any more.
 */
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
 * Ends this process as `kill -9` does, from any of its threads. A container's first process survives its own SIGKILL, as the kernel
 * protects it; then `exitMain`, called in the main thread, ends it, as soon as that thread is not blocked any more.
 */
export function killProcess(exitMain: () => void, kill: (signal: 'SIGKILL') => void = killSelf): void {
  try {
    // Written by the calling thread, because a blocked main thread may be why the lease was lost.
    writeSync(STANDARD_ERROR, LAST_WORDS);
  } catch {} // standard error is closed
  kill('SIGKILL');
  exitMain();
}

function killSelf(signal: 'SIGKILL'): void {
  process.kill(process.pid, signal);
}

/** Exits with the exit code of a process that SIGKILL ended. Call it in the main thread. */
export function exitMain(): void {
  process.exit(137);
}

const STANDARD_ERROR = 2;
const LAST_WORDS =
  'error: This node lost its lease and kills its process with SIGKILL (jobStore.onLeaseLost: exit-process). Other nodes take over its work; ' +
  'the process supervisor should restart it.\n';
