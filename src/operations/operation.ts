import type { z } from 'zod';
import type { OperationContext } from './operation-context';
import type { Role } from './role';

/** `reads` changes nothing, `changes` can be undone by another operation, `destroys` cannot: each face asks before it does that. */
export type Effect = 'reads' | 'changes' | 'destroys';

/** HTTP route of an operation, below the path of its scheduler. `:name` stands for the input field of that name. */
export interface HttpPlace {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
}

/** Form of an operation on a command line. Fields that are not arguments are options. */
export interface CommandPlace {
  /** `['jobs', 'list']` for `quartz jobs list`. */
  readonly words: readonly string[];
  /** Shorter ways to write it: `[['fire']]` for `quartz fire`. */
  readonly aliases?: readonly (readonly string[])[];
  /** Names of the input's fields that are given by their position. */
  readonly arguments?: readonly string[];
  /** The argument is the path of a file: its name goes into the argument's field, and its text into this one. */
  readonly textField?: string;
  /** The columns of a list that fit on a terminal, as paths into an item: `key.name`. Default: all. */
  readonly columns?: readonly string[];
  /** True if the operation is for diagnosis, and runs even if the tables are not as they must be. */
  readonly looksAtBroken?: true;
}

/**
 * Something that can be done to a scheduler from outside its program, written once: a command, a call over HTTP with its entry in the OpenAPI
 * document, and an action of the console are made from it.
 */
export interface Operation<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> {
  /** One sentence, for help texts, the OpenAPI document and the console. */
  readonly summary: string;
  /** The least that is needed to do it. */
  readonly role: Role;
  readonly effect: Effect;
  readonly http: HttpPlace;
  readonly command: CommandPlace;
  /** An object whose fields each have a description; unknown fields are refused. */
  readonly input: Input;
  /** Plain JSON; times are ISO-8601 texts. */
  readonly output: Output;
  /** Runs the operation. Rejects with the errors of the API or a `Problem`. */
  run(context: OperationContext, input: z.output<Input>): Promise<z.input<Output>>;
}

/** Keeps the types of an operation's input and output. */
export function operation<Input extends z.ZodObject, Output extends z.ZodType>(
  definition: Operation<Input, Output>,
): Operation<Input, Output> {
  return definition;
}
