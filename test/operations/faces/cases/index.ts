import type { OperationName } from '../../../../src/operations/operations';
import type { CasesOf } from './case';
import { CLUSTER } from './cluster';
import { JOBS } from './jobs';
import { LIVE, type LiveName } from './live';
import { RUNS } from './runs';
import { SCHEDULES } from './schedule';
import { TRIGGERS } from './triggers';

/** Cases of operations that need no running node. A new operation needs a case here or in LIVE. */
export const CASES: CasesOf<Exclude<OperationName, LiveName>> = {
  ...JOBS,
  ...TRIGGERS,
  ...RUNS,
  ...SCHEDULES,
  ...CLUSTER,
};

/** Refused input of every operation, with the code of its problem. */
export const REFUSED = Object.fromEntries(
  Object.entries({ ...CASES, ...LIVE }).map(([name, { refused }]) => [name, refused]),
);
