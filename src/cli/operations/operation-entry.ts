import type { Operation } from '../../operations/operation';
import type { OperationName } from '../../operations/operations';
import { groupFieldOf } from '../../operations/split-keys';
import { fieldsOf, type InputField } from './input-fields';

/** An operation, prepared for its command. */
export interface OperationEntry {
  readonly name: OperationName;
  readonly operation: Operation;
  /** Fields that have an option or argument. */
  readonly fields: readonly InputField[];
  /** True if the output is a page of a list. */
  readonly isPaged: boolean;
  /** True if the input is better written in a file. */
  readonly takesFile: boolean;
  /** True if it changes all matches. The command is then a dry run without `--yes`. */
  readonly isBulk: boolean;
}

/** Field of a bulk operation that `--yes` sets on the command line. */
const DRY_RUN = 'dryRun';

/** Prepares an operation of the table for its command. */
export function entryOf(name: OperationName, operation: Operation): OperationEntry {
  const { textField } = operation.command;
  const fields = fieldsOf(operation.input).filter(({ name }) => name !== textField && name !== DRY_RUN);
  return {
    name,
    operation,
    fields,
    isPaged: fields.some((field) => field.name === 'after') && 'limit' in operation.input.shape,
    takesFile: operation.effect !== 'reads' && fields.some(({ kind }) => kind === 'yaml'),
    isBulk: DRY_RUN in operation.input.shape,
  };
}

/** Returns the field with the group of a name. Undefined: the field is not a name, or has no group. */
export function groupFieldIn(fields: readonly InputField[], { name }: InputField): InputField | undefined {
  const group = groupFieldOf(name);
  return fields.find((each) => each.name === group);
}
