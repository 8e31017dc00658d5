import type { Operation } from '../../operations/operation';
import type { OperationName } from '../../operations/operations';
import { groupFieldOf } from '../../operations/split-keys';
import { fieldsOf, type InputField } from './input-fields';

export interface OperationEntry {
  readonly name: OperationName;
  readonly operation: Operation;
  /** Input fields that have an option or argument. */
  readonly fields: readonly InputField[];
  readonly isPaged: boolean;
  /** True if the command accepts `--file`, because its input is structured. */
  readonly takesFile: boolean;
  /** True if the operation changes all objects that match. Its command is a dry run without `--yes`. */
  readonly isBulk: boolean;
}

/** Input field of bulk operations. The command sets it to false with `--yes`, otherwise to true. */
const DRY_RUN = 'dryRun';

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

/** Returns the field with the group for a name field. Undefined if it is not a name or has no group field. */
export function groupFieldIn(fields: readonly InputField[], { name }: InputField): InputField | undefined {
  const group = groupFieldOf(name);
  return fields.find((each) => each.name === group);
}
