import type { z } from 'zod';
import type { OperationContext } from './operation-context';
import type { Role } from './role';

/**
 * Effect of an operation. `reads`: changes nothing. `changes`: can be undone by another operation. `destroys`: cannot be undone, so each
 * interface asks for confirmation.
 */
export type Effect = 'reads' | 'changes' | 'destroys';

/** HTTP route of an operation, below the path of its scheduler. `:name` stands for the input field of that name. */
export interface HttpPlace {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
}

/** Form of an operation on a command line. Fields that are not arguments are options. */
export interface CommandPlace {
  /** Words of the command: `['jobs', 'list']` for `quartz jobs list`. */
  readonly words: readonly string[];
  /** Shorter forms of the command: `[['fire']]` for `quartz fire`. */
  readonly aliases?: readonly (readonly string[])[];
  /** Names of the input fields that are positional arguments. */
  readonly arguments?: readonly string[];
  /** Field for the text of a file, if the argument is the path of a file. The name of the file goes into the argument's field. */
  readonly textField?: string;
  /** Columns of a list that fit on a terminal, as paths into an item, such as `key.name`. Default: all. */
  readonly columns?: readonly string[];
  /** True if the operation is for diagnosis, and runs even if the tables are damaged or outdated. */
  readonly looksAtBroken?: true;
}

/**
 * An action on a scheduler from outside of its program. From one definition come a command, an HTTP route with its entry in the OpenAPI
 * document, and an action on the console's page.
 */
export interface Operation<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> {
  /** One sentence, for help texts, the OpenAPI document and the console. */
  readonly summary: string;
  /** Minimum role that may perform it. */
  readonly role: Role;
  readonly effect: Effect;
  readonly http: HttpPlace;
  readonly command: CommandPlace;
  /** Object schema whose fields all have a description. Unknown fields are refused. */
  readonly input: Input;
  /** Schema of the output: plain JSON, with times as ISO-8601 texts. */
  readonly output: Output;
  /** Runs the operation. Rejects with the errors of the API or a `Problem`. */
  run(context: OperationContext, input: z.output<Input>): Promise<z.input<Output>>;
}

/** Returns the definition unchanged, with the types of its input and output. */
export function operation<Input extends z.ZodObject, Output extends z.ZodType>(
  definition: Operation<Input, Output>,
): Operation<Input, Output> {
  return definition;
}
