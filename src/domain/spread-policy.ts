import { checkJobData } from './check-job-data';
import { invalidArgument } from './check-text';
import type { JsonValue } from './job-data';

/** An occurrence in so many parts, each with a number and, where they are given, a value of its own. */
export interface ShardPolicy {
  /** 1 to 1,000. */
  readonly shards: number;
  /** What each part is given, in the order of their numbers: as many as there are parts. JSON of at most 32 KiB together. */
  readonly params?: readonly JsonValue[];
}

/** In how many parts an occurrence is run. `broadcast`: one on each node that can run the job. */
export type SpreadPolicy = ShardPolicy | 'broadcast';

/** Bounds of what a policy may say. */
export const SPREAD_LIMITS = { shards: 1_000, paramBytes: 32 * 1024 } as const;

/** A frozen copy of what a user wrote. `owner`: whose it is, for messages. Throws INVALID_ARGUMENT or INVALID_JOB_DATA. */
export function checkSpread(given: unknown, owner: string): SpreadPolicy {
  if (given === 'broadcast') return given;
  if (typeof given !== 'object' || given === null) {
    throw invalidArgument(`{ shards, params } or broadcast as the spread of ${owner}`, given);
  }
  const { shards, params, ...others } = given as Readonly<Record<string, unknown>>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw invalidArgument(`shards and params in the spread of ${owner}`, unknown);
  if (typeof shards !== 'number' || !Number.isInteger(shards) || shards < 1 || shards > SPREAD_LIMITS.shards) {
    throw invalidArgument(`a whole number from 1 to ${SPREAD_LIMITS.shards} as the shards of ${owner}`, shards);
  }
  return Object.freeze(params === undefined ? { shards } : { shards, params: checkParams(params, shards, owner) });
}

function checkParams(given: unknown, shards: number, owner: string): readonly JsonValue[] {
  if (!Array.isArray(given) || given.length !== shards) {
    const found = Array.isArray(given) ? given.length : given;
    throw invalidArgument(`${shards} params, one for each of the ${shards} shards of ${owner}`, found);
  }
  const { params } = checkJobData({ params: given }, `the spread of ${owner}`, SPREAD_LIMITS.paramBytes);
  return params as readonly JsonValue[];
}
