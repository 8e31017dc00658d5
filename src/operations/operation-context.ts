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

/** Who asks for an operation, and of which scheduler. */
export interface Caller {
  readonly scheduler: Scheduler;
  /** What a scheduler's own API does not offer. */
  readonly control: SchedulerControl;
  readonly actor: Actor;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** What the log of actions says of an operation besides who, when and with which input. */
export interface ActionDetails {
  /** What it was done to, where the input does not say it. */
  readonly subject?: string;
  /** What it changed: plain data; secrets are masked. */
  readonly changes?: Readonly<Record<string, unknown>>;
}

/** What an operation is given beside its input. */
export interface OperationContext extends Caller {
  /** Adds to what the log of actions will say. */
  readonly note: (details: ActionDetails) => void;
}
