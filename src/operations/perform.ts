import type { z } from 'zod';
import { toError } from '../base/errors';
import type { Operation } from './operation';
import type { OperationContext } from './operation-context';
import type { OperationName } from './operations';
import { Problem } from './problem';
import { mayDo } from './role';
import { toProblem } from './to-problem';

/** An operation, by its name, with the input as it came: nothing of it has been checked. */
export interface Request {
  readonly name: OperationName;
  readonly operation: Operation;
  readonly input: unknown;
}

/**
 * Does what somebody asks for, through whichever face: checks the role and the input, runs the operation, and records who did what, if it was
 * more than reading. Resolves with plain JSON. Rejects with a `Problem`, or with what was not foreseen.
 */
export async function perform({ name, operation, input }: Request, context: OperationContext): Promise<unknown> {
  const { actor } = context;
  if (!mayDo(actor.role, operation.role)) {
    throw new Problem('FORBIDDEN', `${name} needs the role ${operation.role}; ${actor.name} is ${actor.role}.`);
  }
  const checked = checkInput(operation.input, input);
  if (operation.effect === 'reads') return run(operation, context, checked);
  try {
    const output = await run(operation, context, checked);
    await context.control.recordAction({ actor, operation: name, input: checked, error: null });
    return output;
  } catch (error) {
    await context.control.recordAction({ actor, operation: name, input: checked, error: toError(error).message });
    throw error;
  }
}

async function run(operation: Operation, context: OperationContext, input: Record<string, unknown>): Promise<unknown> {
  try {
    return operation.output.parse(await operation.run(context, input));
  } catch (error) {
    throw toProblem(error) ?? error;
  }
}

/** The input as its schema has it. Throws INVALID_INPUT with every field that is wrong. */
function checkInput(schema: z.ZodObject, input: unknown): Record<string, unknown> {
  const { success, data, error } = schema.safeParse(input);
  if (success) return data;
  const fields = error.issues.map(({ path, message }) => ({ field: path.join('.'), message }));
  const message = fields
    .map((each) => (each.field === '' ? each.message : `${each.field}: ${each.message}`))
    .join('; ');
  throw new Problem('INVALID_INPUT', message, { fields });
}
