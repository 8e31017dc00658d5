import type { NodeLoadInfo } from '../api/reading';
import { figuresOf, type NodeLoad } from '../domain/node-load';
import type { SchedulerParts } from './scheduler-parts';

/** What each node that tells it did in the last 15 minutes. */
export async function readLoads({ node, lifecycle, load }: SchedulerParts): Promise<readonly NodeLoad[]> {
  lifecycle.assertUsable();
  if (node.cluster === null) return lifecycle.state === 'started' ? [load.read()] : [];
  const told = await node.cluster.store.readLoads();
  return told.flatMap((each) => each.load ?? []);
}

/** What each of the nodes that share the store does, by its id. */
export async function readLoadInfos({ node }: SchedulerParts): Promise<ReadonlyMap<string, NodeLoadInfo>> {
  const told = (await node.cluster?.store.readLoads()) ?? [];
  return new Map(
    told.flatMap(({ instanceId, at, load }) => (load === null ? [] : [[instanceId, figuresOf(load, at)]])),
  );
}
