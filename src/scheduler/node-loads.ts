import type { NodeInfo } from '../api/reading';
import type { EpochMs } from '../base/clock';
import { figuresOf, type NodeLoad } from '../domain/node-load';
import type { SchedulerParts } from './scheduler-parts';

/** Reads each node's published load of the last 15 minutes. Without a cluster, returns the load of this node, and only once it has started. */
export async function readLoads({ node, lifecycle, load }: SchedulerParts): Promise<readonly NodeLoad[]> {
  lifecycle.assertUsable();
  if (node.cluster === null) return lifecycle.state === 'started' ? [load.read()] : [];
  const records = await node.cluster.store.readLoads();
  return records.flatMap((each) => each.load ?? []);
}

type OfLoad = Pick<NodeInfo, 'load' | 'holdsBack'>;

/** Reads each node's load by instance id. If a node leaves triggers to others after a stall, the load contains the start and end of that period. */
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
