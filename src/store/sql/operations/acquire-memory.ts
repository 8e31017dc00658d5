import type { NodeTransactions } from '../rows/node-transaction';
import { ScanMemory } from './scan-memory';
import { Trains } from './train';

/** Memory of a node from one acquisition to the next. Its job store and its cluster store share it. */
export interface AcquireMemory {
  readonly scan: ScanMemory;
  /** Trains of the node; null on a database that runs no scripts, where the node acquires every batch under the lock. */
  readonly trains: Trains | null;
}

/** Creates the empty memory of a node. */
export function newAcquireMemory({ node, plain }: NodeTransactions): AcquireMemory {
  return { scan: new ScanMemory(node), trains: plain.runsScripts ? new Trains() : null };
}
