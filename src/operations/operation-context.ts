import type { Scheduler } from '../api/scheduler';
import type { SchedulerControl } from '../scheduler/control';
import type { Role } from './role';

/** Who does something, and from where. */
export interface Actor {
  /** A login, the name of a token, or the user of the operating system; at most 190 characters. */
  readonly name: string;
  /** What they may do. */
  readonly role: Role;
  /** The face: a command line, the HTTP interface or the console. */
  readonly via: 'command' | 'http' | 'console';
  /** An address; null: this machine. */
  readonly from: string | null;
}

/** What an operation is given beside its input. */
export interface OperationContext {
  readonly scheduler: Scheduler;
  /** What a scheduler's own API does not offer. */
  readonly control: SchedulerControl;
  readonly actor: Actor;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}
