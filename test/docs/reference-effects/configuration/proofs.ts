import { allOf } from '../support/proof';
import { firingProofs } from './firing';
import { identityProofs } from './identity';

export const configurationProofs = allOf(identityProofs, firingProofs);
