import type { Clock } from '../base/clock';
import { toError } from '../base/errors';
import { sleepFor } from '../base/sleep';
import { type Refusal, refuse } from '../domain/admission';
import type { TriggerFiring } from '../domain/firing';
import type { NodeJobTypes } from '../domain/job-types';
import { nodesOfBroadcast } from '../domain/shards';

/** How often a broadcast asks which nodes there are, and how long it waits in between. */
const MAX_READINGS = 60;
const READING_PAUSE_MS = 1_000;
const NEVER = new AbortController().signal;

export interface BroadcastParts {
  readonly clock: Clock;
  /** This node. */
  readonly instanceId: string;
  readonly readNodes: () => Promise<readonly NodeJobTypes[]>;
  /** Called with the first failure of reading them. */
  readonly onError: (error: Error) => void;
}

/** What takes the place of a broadcast, which needs to know the nodes: while the store does not tell them, it waits; after that, it is this node's. */
export async function refuseBroadcast(
  firing: TriggerFiring,
  { clock, instanceId, readNodes, onError }: BroadcastParts,
): Promise<Refusal | null> {
  for (let attempt = 1; attempt <= MAX_READINGS; attempt++) {
    try {
      return refuse(firing, nodesOfBroadcast(firing, await readNodes(), instanceId));
    } catch (thrown) {
      if (attempt === 1) onError(toError(thrown));
      await sleepFor(clock, READING_PAUSE_MS, NEVER);
    }
  }
  return refuse(firing, [instanceId]);
}
