import type { Scenario } from '../scenario';
import { CHURN_SCENARIOS } from './churn';
import { CLOCK_SCENARIOS } from './clocks';
import { CROSSING_SCENARIOS } from './crossings';
import { DATABASE_SCENARIOS } from './database';
import { FILE_SCENARIOS } from './files';
import { FURTHER_RUN_SCENARIOS } from './further-runs';
import { LIMIT_SCENARIOS } from './limits';
import { LOCK_SCENARIOS } from './locks';
import { NETWORK_SCENARIOS } from './network';
import { ODD_JOB_SCENARIOS } from './odd-jobs';
import { OPERATION_SCENARIOS } from './operations';
import { POLICY_SCENARIOS } from './policies';
import { PROCESS_SCENARIOS } from './processes';
import { SERVER_SCENARIOS } from './server';
import { SOAK_SCENARIOS } from './soak';
import { TABLE_SCENARIOS } from './tables';
import { WAKE_UP_SCENARIOS } from './wake-ups';

/** All scenarios, in the order in which they are played. */
export const SCENARIOS: readonly Scenario[] = [
  ...PROCESS_SCENARIOS,
  ...DATABASE_SCENARIOS,
  ...SERVER_SCENARIOS,
  ...NETWORK_SCENARIOS,
  ...WAKE_UP_SCENARIOS,
  ...LOCK_SCENARIOS,
  ...CHURN_SCENARIOS,
  ...ODD_JOB_SCENARIOS,
  ...LIMIT_SCENARIOS,
  ...FURTHER_RUN_SCENARIOS,
  ...CROSSING_SCENARIOS,
  ...POLICY_SCENARIOS,
  ...OPERATION_SCENARIOS,
  ...TABLE_SCENARIOS,
  ...FILE_SCENARIOS,
  ...CLOCK_SCENARIOS,
  ...SOAK_SCENARIOS,
];
