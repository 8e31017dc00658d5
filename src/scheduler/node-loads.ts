import type { NodeInfo } from '../api/reading';
import type { EpochMs } from '../base/clock';
import { figuresOf, type NodeLoad } from '../domain/node-load';
import type { SchedulerParts } from './scheduler-parts';

/**
 * Reads each node's load of the last 15 minutes, if published. Without a cluster, returns the load of this node only, and only once it has started.
 */
export async function readLoads({ node, lifecycle, load }: SchedulerParts): Promise<readonly NodeLoad[]> {
  lifecycle.assertUsable();
  if (node.cluster === null) return lifecycle.state === 'started' ? [load.read()] : [];
  const records = await node.cluster.store.readLoads();
  return records.flatMap((each) => each.load ?? []);
}

type OfLoad = Pick<NodeInfo, 'load' | 'holdsBack'>;

/**
 * Reads the load of each node that shares the store, by instance id. A node whose event loop was blocked leaves triggers to other nodes for a while; the
 * result then contains the start and end of this period.
 */
export async function readLoadInfos({ node }: SchedulerParts, now: EpochMs): Promise<ReadonlyMap<string, OfLoad>> {
  const records = (await node.cluster?.store.readLoads()) ?? [];
  return new Map(
    records.flatMap(({ instanceId, at, load }) =>
      load === null ? [] : [[instanceId, { load: figuresOf(load, at), holdsBack: holdsBackAt(load, now) }]],
    ),
  );
}

function holdsBackAt({ holdBack }: NodeLoad, now: EpochMs): OfLoad['holdsBack'] {
  if (holdBack === null || holdBack.until <= now) return null;
  return { since: new Date(holdBack.since), until: new Date(holdBack.until) };
}
