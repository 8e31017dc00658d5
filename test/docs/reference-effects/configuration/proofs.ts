import { allOf } from '../support/proof';
import { clusterProofs } from './cluster';
import { consoleProofs } from './console';
import { firingProofs } from './firing';
import { identityProofs } from './identity';
import { otherNameProofs } from './other-names';
import { pluginProofs } from './plugins';
import { runProofs } from './runs';
import { serverProofs } from './server';
import { storeProofs } from './store';

/** Of everything that docs/reference/configuration.md names. */
export const configurationProofs = allOf(
  identityProofs,
  firingProofs,
  storeProofs,
  runProofs,
  clusterProofs,
  serverProofs,
  consoleProofs,
  pluginProofs,
  otherNameProofs,
);
