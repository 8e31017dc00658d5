import type { z } from 'zod';
import type { Operation } from './operation';
import { nodesDrain, nodesList, nodesUndrain } from './table/nodes';

/** Everything that can be done from outside, by its name. Names are stable for ever. */
export const OPERATIONS = {
  'nodes.list': nodesList,
  'nodes.drain': nodesDrain,
  'nodes.undrain': nodesUndrain,
} as const satisfies Readonly<Record<string, Operation<z.ZodObject, z.ZodType>>>;

export type OperationName = keyof typeof OPERATIONS;

/** What an operation is asked with, before its defaults. */
export type InputOf<Name extends OperationName> = z.input<(typeof OPERATIONS)[Name]['input']>;

/** What an operation answers with. */
export type OutputOf<Name extends OperationName> = z.output<(typeof OPERATIONS)[Name]['output']>;

/** By name and operation, for the faces. */
export function allOperations(): readonly (readonly [OperationName, Operation])[] {
  return Object.entries(OPERATIONS) as unknown as readonly (readonly [OperationName, Operation])[];
}
