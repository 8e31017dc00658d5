import type { Scenario } from '../scenario';
import { DATABASE_SCENARIOS } from './database';
import { LOCK_SCENARIOS } from './locks';
import { NETWORK_SCENARIOS } from './network';
import { PROCESS_SCENARIOS } from './processes';
import { SERVER_SCENARIOS } from './server';

/** All of them, in the order in which they are played. */
export const SCENARIOS: readonly Scenario[] = [
  ...PROCESS_SCENARIOS,
  ...DATABASE_SCENARIOS,
  ...SERVER_SCENARIOS,
  ...NETWORK_SCENARIOS,
  ...LOCK_SCENARIOS,
];
