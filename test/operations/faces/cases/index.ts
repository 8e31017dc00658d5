import type { OperationName } from '../../../../src/operations/operations';
import type { CasesOf } from './case';
import { CLUSTER } from './cluster';
import { JOBS } from './jobs';
import { LIVE, type LiveName } from './live';
import { RUNS } from './runs';
import { SCHEDULES } from './schedule';
import { TRIGGERS } from './triggers';

/** What is asked of a store beside which no node has to run. A new operation needs its case here or among the live ones. */
export const CASES: CasesOf<Exclude<OperationName, LiveName>> = {
  ...JOBS,
  ...TRIGGERS,
  ...RUNS,
  ...SCHEDULES,
  ...CLUSTER,
};

/** Of every operation, what is refused, and how. */
export const REFUSED = Object.fromEntries(
  Object.entries({ ...CASES, ...LIVE }).map(([name, { refused }]) => [name, refused]),
);
