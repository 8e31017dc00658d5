import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { NodeRecord, ProcessFacts } from '../../store/cluster-store';

/*
 * Which process this is, and whether another one of this machine has ended. Only where the system leaves no doubt: an id means one
 * process within one boot and one pid namespace, and until it is given to another. Containers on one host have namespaces of their own,
 * machines have boots of their own; whatever cannot be compared is alive, and only its silence tells otherwise.
 */

/** The parts of a scope that must be readable: without them nothing is compared. Time namespaces came later, and shift start times. */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';
const PID_NAMESPACE = '/proc/self/ns/pid';
const TIME_NAMESPACE = '/proc/self/ns/time';

const LONGEST_SCOPE = 190;

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
    return state === null || scope.length > LONGEST_SCOPE ? null : { scope, start: state.start };
  } catch {
    return null;
  }
}

/** Whether a node was a process of this machine that has ended. False when in doubt. */
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

/** Null: not shown. */
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
