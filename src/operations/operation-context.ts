import type { Scheduler } from '../api/scheduler';
import type { SchedulerControl } from '../scheduler/control';
import type { Role } from './role';

/** Person or program that performs an action, and the interface it uses. */
export interface Actor {
  /** Login name, token name, or operating system user. At most 190 characters. */
  readonly name: string;
  /** Role of the actor. */
  readonly role: Role;
  /** Interface: a command, the HTTP API, or the console's page. */
  readonly via: 'command' | 'http' | 'console';
  /** IP address of the client. Null: this machine. */
  readonly from: string | null;
}

export interface Caller {
  readonly scheduler: Scheduler;
  readonly control: SchedulerControl;
  readonly actor: Actor;
  /** Aborts when no client is waiting for the response any more. */
  readonly signal: AbortSignal;
}

/** Details of an action for the action log, in addition to actor, time and input, which are always logged. */
export interface ActionDetails {
  /** Target of the action, if the input does not name it. */
  readonly target?: string;
  /** Changes that the action made, as plain data. Secrets are masked before they are stored. */
  readonly changes?: Readonly<Record<string, unknown>>;
}

export interface OperationContext extends Caller {
  readonly note: (details: ActionDetails) => void;
}
