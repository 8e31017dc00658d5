import type { InputOf, OperationName } from '../../../../src/operations/operations';
import type { Known } from '../furnished';

/** Input of an operation on a filled store, and its expected result through every interface. */
export interface Case<Name extends OperationName = OperationName> {
  readonly input: InputOf<Name> | ((known: Known) => InputOf<Name>);
  /** Expected part of the output: it depends on the stored data. */
  readonly answers: object;
  /** An input that is refused, and the code of the problem. */
  readonly refused: { readonly input: object; readonly code: string };
  /** True for changes that need the job types of known nodes. Other changes use the idle store. */
  readonly needsNodes?: true;
  /** True if the requested data is already stored. */
  readonly changesNothing?: true;
  /** Fields of the output, or ids of its items, that describe the responding program itself. They are not compared between two programs. */
  readonly ofAnswerer?: readonly string[];
}

export type CasesOf<Names extends OperationName> = { readonly [Name in Names]: Case<Name> };

/** Refused input of operations without fields: any field is an error. */
export const TAKES_NOTHING = { input: { nothing: 'x' }, code: 'INVALID_INPUT' } as const;
