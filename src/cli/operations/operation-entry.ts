import type { Operation } from '../../operations/operation';
import type { OperationName } from '../../operations/operations';
import { groupFieldOf } from '../../operations/split-keys';
import { fieldsOf, type InputField } from './input-fields';

/** An operation as commands need it. */
export interface OperationEntry {
  readonly name: OperationName;
  readonly operation: Operation;
  /** Those that are written on a command line. */
  readonly fields: readonly InputField[];
  /** Its output is a page of a list. */
  readonly isPaged: boolean;
  /** It takes what is better written in a file. */
  readonly takesFile: boolean;
  /** Changes everything that matches; as a command a dry run unless `--yes` is given. */
  readonly isBulk: boolean;
}

/** The field of a bulk operation that a command line has `--yes` for. */
const DRY_RUN = 'dryRun';

/** An operation of the table, looked at for a command. */
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

/** Where the group of a named thing goes; undefined: the field is no name, or there is no group. */
export function groupFieldIn(fields: readonly InputField[], { name }: InputField): InputField | undefined {
  const group = groupFieldOf(name);
  return fields.find((each) => each.name === group);
}
