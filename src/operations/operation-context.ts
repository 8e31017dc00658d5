import type { Scheduler } from '../api/scheduler';
import type { SchedulerControl } from '../scheduler/control';
import type { Role } from './role';

/** Author of an action, and the interface that it used. */
export interface Actor {
  /** Login name, name of a token, or user of the operating system. At most 190 characters. */
  readonly name: string;
  /** Role of the actor. */
  readonly role: Role;
  /** Interface: a command, the HTTP API or the console's page. */
  readonly via: 'command' | 'http' | 'console';
  /** IP address. Null: this machine. */
  readonly from: string | null;
}

/** Caller of an operation, and the target scheduler. */
export interface Caller {
  readonly scheduler: Scheduler;
  /** Functions beyond the scheduler's public API. */
  readonly control: SchedulerControl;
  readonly actor: Actor;
  /** Aborted when no client waits for the response any longer. */
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
