import type { z } from 'zod';
import type { Scheduler } from '../api/scheduler';
import type { Author } from '../domain/override';
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

/** Returns the author of a change made through an operation. Such a change counts as a manual edit and overrides a declaration. */
export function authorOf({ actor }: Pick<OperationContext, 'actor'>): Author {
  return { by: actor.name, via: actor.via };
}

/** `reads`: changes nothing. `changes`: another operation can undo it. `destroys`: cannot be undone, so every interface asks for confirmation. */
export type Effect = 'reads' | 'changes' | 'destroys';

/** HTTP route of an operation, relative to the path of its scheduler. `:name` is a placeholder for the input field `name`. */
export interface HttpPlace {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
}

/** Command-line form of an operation. Input fields that are not arguments become options. */
interface CommandPlace {
  /** Words of the command, such as `['jobs', 'list']` for `quartz jobs list`. */
  readonly words: readonly string[];
  /** Shorter forms of the command, such as `[['fire']]` for `quartz fire`. */
  readonly aliases?: readonly (readonly string[])[];
  /** Names of the input fields that are positional arguments of the command. */
  readonly arguments?: readonly string[];
  /** Field for a file's content. The command's argument is then the file's path, and the argument's own input field receives the file's name. */
  readonly textField?: string;
  /** Columns of a list that fit on a terminal, as paths into an item, such as `key.name`. Default: all fields of an item. */
  readonly columns?: readonly string[];
  /** True for a diagnostic operation, which runs even if tables are damaged or outdated. */
  readonly allowsDamagedTables?: true;
}

/**
 * Definition of an action that can be performed on a scheduler from outside its program. Each definition provides a command, an HTTP route with its
 * entry in the OpenAPI document, and an action on the console's page.
 */
export interface Operation<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType>
  extends OperationDefinition<Input, Output> {
  /** Minimum role that may perform the operation. */
  readonly role: Role;
  readonly effect: Effect;
}

/** Purpose, place, input and output of an operation. Its role and effect come from the function that defines it. */
interface OperationDefinition<Input extends z.ZodObject, Output extends z.ZodType> {
  /** One sentence for help texts, the OpenAPI document and the console. */
  readonly summary: string;
  readonly http: HttpPlace;
  readonly command: CommandPlace;
  /** Object schema of the input. Every field has a description, and unknown fields are rejected. */
  readonly input: Input;
  /** Schema of the output: plain JSON with times as ISO-8601 texts. */
  readonly output: Output;
  /** Performs the operation. Rejects with a `Problem` or an error of the API. */
  run(context: OperationContext, input: z.output<Input>): Promise<Shown<Output>>;
}

/** A value that a schema accepts. May be data of the API, whose objects and lists are readonly, and have fields that the schema leaves out. */
export type Shown<Schema extends z.ZodType> = DeepReadonly<z.input<Schema>>;

type DeepReadonly<T> = T extends object ? { readonly [Name in keyof T]: DeepReadonly<T[Name]> } : T;

/** Returns the definition unchanged, with the types of its input and output inferred. */
export function operation<Input extends z.ZodObject, Output extends z.ZodType>(
  definition: Operation<Input, Output>,
): Operation<Input, Output> {
  return definition;
}

/** Defines an operation that every role may perform, because it only reads. */
export function query<Input extends z.ZodObject, Output extends z.ZodType>(
  definition: OperationDefinition<Input, Output>,
) {
  return operation({ ...definition, role: 'viewer', effect: 'reads' });
}

/** Defines an operation whose effect another operation can undo. */
export function action<Input extends z.ZodObject, Output extends z.ZodType>(
  role: Role,
  definition: OperationDefinition<Input, Output>,
) {
  return operation({ ...definition, role, effect: 'changes' });
}

/** Defines an operation that cannot be undone. */
export function irreversible<Input extends z.ZodObject, Output extends z.ZodType>(
  role: Role,
  definition: OperationDefinition<Input, Output>,
) {
  return operation({ ...definition, role, effect: 'destroys' });
}
