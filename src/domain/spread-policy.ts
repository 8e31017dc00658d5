import { checkJson } from './check-job-data';
import { checkCount, invalidArgument, refuseOthers } from './check-text';
import type { JsonValue } from './job-data';

/** Divides each occurrence into a fixed number of parts (shards). Each part has an index and may have a parameter. */
export interface ShardPolicy {
  /** Number of parts (shards), 1 to 1,000. */
  readonly shards: number;
  /** Parameters of the parts (shards), one per part, by index. At most 32 KiB of JSON in total. */
  readonly params?: readonly JsonValue[];
}

/** Division of each occurrence into parts (shards). `broadcast`: one part on each node that can run the job. */
export type SpreadPolicy = ShardPolicy | 'broadcast';

export const SPREAD_LIMITS = { shards: 1_000, paramBytes: 32 * 1024 } as const;

/** Validates a spread policy and returns a frozen copy. Throws INVALID_ARGUMENT or INVALID_JOB_DATA. */
export function checkSpread(given: unknown, owner: string): SpreadPolicy {
  if (given === 'broadcast') return given;
  if (typeof given !== 'object' || given === null) {
    throw invalidArgument(`{ shards, params } or broadcast as the spread of ${owner}`, given);
  }
  const { shards: count, params, ...others } = given as Readonly<Record<string, unknown>>;
  refuseOthers(others, `only shards and params in the spread of ${owner}`);
  const shards = checkCount(count, `the shards of ${owner}`, SPREAD_LIMITS.shards);
  return Object.freeze(params === undefined ? { shards } : { shards, params: checkParams(params, shards, owner) });
}

function checkParams(given: unknown, shards: number, owner: string): readonly JsonValue[] {
  if (!Array.isArray(given) || given.length !== shards) {
    const found = Array.isArray(given) ? given.length : given;
    throw invalidArgument(`as many params as shards (${shards}) in the spread of ${owner}`, found);
  }
  const what = `the params in the spread of ${owner}`;
  return checkJson(given, { what, root: 'params', limit: SPREAD_LIMITS.paramBytes }) as readonly JsonValue[];
}
