import type { Scheduler } from '../api/scheduler';
import type { SchedulerControl } from '../scheduler/control';
import type { Role } from './role';

/** Caller of an action, and its origin. */
export interface Actor {
  /** A login, the name of a token, or the user of the operating system; at most 190 characters. */
  readonly name: string;
  /** Role of the actor. */
  readonly role: Role;
  /** The face: a command line, the HTTP interface or the console. */
  readonly via: 'command' | 'http' | 'console';
  /** An address; null: this machine. */
  readonly from: string | null;
}

/** Caller of an operation, and the target scheduler. */
export interface Caller {
  readonly scheduler: Scheduler;
  /** Functions beyond the scheduler's public API. */
  readonly control: SchedulerControl;
  readonly actor: Actor;
  /** Aborted when no client waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** Details for the action log, in addition to the actor, time and input. */
export interface ActionDetails {
  /** Target of the action, if the input does not name it. */
  readonly subject?: string;
  /** Changes that the action made, as plain data; secrets are masked. */
  readonly changes?: Readonly<Record<string, unknown>>;
}

/** Context that an operation receives with its input. */
export interface OperationContext extends Caller {
  /** Adds details to the action log entry. */
  readonly note: (details: ActionDetails) => void;
}
