import type { NodeTransactions } from '../rows/node-transaction';
import { ScanMemory } from './scan-memory';
import { Trains } from './train';

/** Memory of a node from one acquisition to the next. Its job store and its cluster store share it. */
export interface AcquireMemory {
  readonly scan: ScanMemory;
  /** Null if the database runs no scripts: every batch is then acquired under the lock. */
  readonly trains: Trains | null;
}

export function newAcquireMemory({ node, plain }: NodeTransactions): AcquireMemory {
  return { scan: new ScanMemory(node), trains: plain.runsScripts ? new Trains() : null };
}
