import type { InputOf, OperationName } from '../../../../src/operations/operations';
import type { Known } from '../furnished';

/** How an operation is asked for on a furnished store, and what comes of it through every face. */
export interface Case<Name extends OperationName = OperationName> {
  readonly input: InputOf<Name> | ((known: Known) => InputOf<Name>);
  /** A part of the answer: it is about what is stored there. */
  readonly answers: object;
  /** An input that is refused, and by which problem. */
  readonly refused: { readonly input: object; readonly code: string };
  /** What changes something is asked of a store at rest, but where nodes have to be known, which have job types. */
  readonly needsNodes?: true;
  /** What it asks for is stored already: a server does not change it while it runs. */
  readonly changesNothing?: true;
  /** Fields of the answer, or ids of its items, in which the program that answers speaks of itself: not compared between two of them. */
  readonly ofAnswerer?: readonly string[];
}

export type CasesOf<Names extends OperationName> = { readonly [Name in Names]: Case<Name> };

/** For operations that take nothing: nothing can be wrong with it but that something is given. */
export const TAKES_NOTHING = { input: { nothing: 'x' }, code: 'INVALID_INPUT' } as const;
