import type { z } from 'zod';
import { expectedBy } from '../base/expected-by';
import { keyedDigest } from '../base/keyed-digest';
import { describeValue, isWellFormed } from '../domain/check-text';
import { beginning, secretsOf, withoutSecrets } from '../domain/recorded-input';
import type { RecordedAction } from '../scheduler/action-log';
import { choiceMessage } from './choice-message';
import type { ActionDetails, Caller, Operation, OperationContext } from './operation';
import type { OperationName } from './operations';
import { furtherProblems, invalidField, invalidInput, MAX_PROBLEMS, meaningOf, Problem } from './problem';
import { mayDo } from './role';
import { salvage } from './salvage';
import { splitKeys } from './split-keys';
import { toProblem } from './to-problem';
import { maskOutput } from './views/plain';

/** Call of an operation. The input is not validated yet. */
export interface Request {
  readonly name: OperationName;
  readonly operation: Operation;
  readonly input: unknown;
}

/**
 * Performs an operation for any interface: checks the role, validates the input, and records the action unless it only reads or is a dry run.
 * Resolves with plain JSON. Rejects with a `Problem` or an unexpected error. If it rejects with NOT_RECORDED, the operation itself has succeeded.
 */
export async function perform({ name, operation, input }: Request, caller: Caller): Promise<unknown> {
  const { actor } = caller;
  if (!mayDo(actor.role, operation.role)) {
    throw new Problem(
      'FORBIDDEN',
      `${name} requires the role ${operation.role}, but ${actor.name} has the role ${actor.role}.`,
    );
  }
  const checked = checkInput(operation.input, input);
  let details: ActionDetails = { target: targetOf(operation, checked) };
  const note = (more: ActionDetails) => {
    details = { ...details, ...more };
  };
  const work = () => run(operation, { ...caller, note }, checked);
  if (operation.effect === 'reads' || checked.dryRun === true) return work();
  const action = { actor, operation: name, input: await recordableInput(operation, checked, caller) };
  return recorded(action, { control: caller.control, detailsOf: () => details }, work);
}

/** Replaces the content of a file in the input with its length and digest, because any part of the content may be secret. */
async function recordableInput(
  { command: { textField } }: Operation,
  input: Record<string, unknown>,
  { control }: Caller,
): Promise<Record<string, unknown>> {
  const text = textField === undefined ? undefined : input[textField];
  if (textField === undefined || typeof text !== 'string') return input;
  const digest = keyedDigest(text, await control.versionKey());
  return { ...input, [textField]: { length: text.length, digest } };
}

/** Runs `work` and records its success or error. Rejects with the error of `work`, or with NOT_RECORDED if recording a success failed. */
async function recorded(
  action: Pick<RecordedAction, 'actor' | 'operation' | 'input'>,
  { control, detailsOf }: Pick<Caller, 'control'> & { readonly detailsOf: () => ActionDetails },
  work: () => Promise<unknown>,
): Promise<unknown> {
  let output: unknown;
  try {
    output = await work();
  } catch (failure) {
    // The caller must receive the original error, so a failure to record that error is only reported.
    await control
      .recordAction({ ...action, ...wholeOf(detailsOf()), error: recordedError(failure) })
      .catch((error) => control.report(`recording the failure of ${action.operation}`, error));
    throw failure;
  }
  try {
    await control.recordAction({ ...action, ...wholeOf(detailsOf()), error: null });
  } catch (cause) {
    throw new Problem(
      'NOT_RECORDED',
      `${action.operation} succeeded, but it could not be recorded in the action log.`,
      { cause },
    );
  }
  return output;
}

const wholeOf = ({ target = '', changes }: ActionDetails) => ({ target, changes: changes ?? null });

/** Returns the error text for the action log. The messages of unexpected errors and database errors appear only in the program's log. */
function recordedError(failure: unknown): string {
  const problem = toProblem(failure);
  if (problem === null) return 'INTERNAL';
  return meaningOf(problem.code).status < 500 ? `${problem.code}: ${problem.message}` : problem.code;
}

async function run(operation: Operation, context: OperationContext, input: Record<string, unknown>): Promise<unknown> {
  try {
    const slice = context.control.timeSlice();
    const output = await operation.run(context, input);
    await slice.rest(); // with a page of 1,000 rows, each step takes several milliseconds
    const whole = salvage(operation.output, output);
    await slice.rest();
    const masked = maskOutput(whole);
    await slice.rest();
    return masked;
  } catch (error) {
    const problem = toProblem(error);
    throw problem === null ? error : withoutSecretTexts(problem, secretsOf(input));
  }
}

/** Removes secrets from the messages of a problem: the given secrets, and anything else that looks like a secret. */
function withoutSecretTexts(
  { code, message, cause, fields, retryAfterS }: Problem,
  secrets: readonly string[],
): Problem {
  const clean = (text: string) => withoutSecrets(text, secrets);
  const cleanFields = fields.map((each) => ({ ...each, message: clean(each.message) }));
  return new Problem(code, clean(message), { cause, fields: cleanFields, retryAfterS });
}

/** Validates the input against its schema. Throws INVALID_INPUT with at most 100 invalid fields. */
function checkInput(schema: z.ZodObject, input: unknown): Record<string, unknown> {
  const broken = halfCharacterIn(input, '');
  if (broken !== null) throw invalidField(broken, 'expected well-formed Unicode, found a lone surrogate');
  const { success, data, error } = schema.safeParse(splitKeys(Object.keys(schema.shape), input), {
    error: (issue) => `expected ${expectedBy(issue)}, found ${foundText(issue)}`,
  });
  if (success) return data;
  const issues = error.issues.slice(0, MAX_PROBLEMS);
  const found = issues.map((issue) => ({ field: issue.path.join('.'), message: messageOf(issue, input) }));
  const left = error.issues.length - issues.length;
  throw invalidInput(left === 0 ? found : [...found, furtherProblems(left)]);
}

/** Describes the value of an issue. Does not quote a string, which may be a secret. */
function foundText({ code, input }: z.core.$ZodRawIssue): string {
  if (typeof input !== 'string' && !Array.isArray(input)) return describeValue(input);
  const [kind, unit] = typeof input === 'string' ? ['string', 'characters'] : ['list', 'values'];
  if (input.length === 0) return `an empty ${kind}`;
  return code === 'too_big' || code === 'too_small' ? `${input.length} ${unit}` : `a ${kind}`;
}

function messageOf(issue: z.core.$ZodIssue, input: unknown): string {
  const value = valueAt(input, issue.path);
  if (issue.code === 'unrecognized_keys') return unknownKeysMessage(issue.keys);
  if (issue.code.startsWith('invalid_') && value === undefined) return 'expected a value, found none';
  return issue.code === 'invalid_value' ? choiceMessage(value, issue.values.map(String)) : issue.message;
}

const MAX_KEYS = 20;
const MAX_KEY = 100;

function unknownKeysMessage(keys: readonly string[]): string {
  const named = keys.slice(0, MAX_KEYS).map((key) => `"${beginning(key, MAX_KEY)}"`);
  const left = keys.length - named.length;
  return `Unrecognized key${keys.length === 1 ? '' : 's'}: ${named.join(', ')}${left === 0 ? '' : ` and ${left} more`}`;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input as Readonly<Record<PropertyKey, unknown>> | null | undefined;
  for (const name of path) value = value?.[name] as typeof value;
  return value;
}

/** Returns the path of a string that contains a lone surrogate, which neither a database column nor UTF-8 can represent. Null if there is none. */
function halfCharacterIn(value: unknown, path: string): string | null {
  if (typeof value === 'string') return isWellFormed(value) ? null : path;
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    const found = isWellFormed(name) ? halfCharacterIn(inner, path === '' ? name : `${path}.${name}`) : path;
    if (found !== null) return found;
  }
  return null;
}

/** Returns the target of an operation, such as `DEFAULT/nightly` or an instance id. Empty if the target is the whole scheduler. */
function targetOf({ http }: Pick<Operation, 'http'>, input: Readonly<Record<string, unknown>>): string {
  const names = [...http.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const shown = names.length > 0 ? names : ['group', 'name'];
  return shown
    .map((name) => input[name])
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .join('/');
}
