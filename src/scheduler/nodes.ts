import type { NodeInfo } from '../api/reading';
import type { Scheduler } from '../api/scheduler';
import { toDate } from '../api/trigger';
import type { EpochMs } from '../base/clock';
import { VERSION } from '../base/version';
import type { NodeJobTypes } from '../domain/job-types';
import { isOverdue, leaseTerm } from '../domain/liveness';
import type { NodeRecord } from '../store/cluster-store';
import type { SchedulerParts } from './scheduler-parts';

/** The part of the scheduler that shows the cluster. */
export function nodes(parts: SchedulerParts): Pick<Scheduler, 'listNodes'> {
  const { cluster, lifecycle, config } = parts;
  return {
    async listNodes() {
      lifecycle.assertUsable();
      if (cluster === null) return lifecycle.state === 'started' ? [thisProcess(parts)] : [];
      const { now, nodes: records } = await cluster.readNodes();
      const types = new Map((await cluster.readJobTypes()).map((each) => [each.instanceId, each]));
      return records.map((record) => ({
        ...toNodeInfo(record, now, types.get(record.instanceId)),
        isThisNode: record.instanceId === config.instanceId,
      }));
    },
  };
}

function toNodeInfo(record: NodeRecord, now: EpochMs, types: NodeJobTypes | undefined): Omit<NodeInfo, 'isThisNode'> {
  const { instanceId, lastCheckInTime, version, host, processId, startedAt } = record;
  const isJava = record.epoch === null;
  return {
    instanceId,
    isJava,
    // Judged by the store's clock alone, which is nobody's own.
    state: isOverdue(record, { now, ownLastCheckInTime: now }) ? 'overdue' : 'alive',
    lastCheckInTime: new Date(lastCheckInTime),
    leaseUntil: isJava ? null : new Date(leaseTerm(lastCheckInTime, record).heldUntil),
    startedAt: toDate(startedAt),
    version,
    host,
    processId,
    jobTypes: types?.jobTypes ?? null,
  };
}

/** Where nobody shares the store. */
function thisProcess({ config, registry, lifecycle }: SchedulerParts): NodeInfo {
  return {
    instanceId: config.instanceId,
    isThisNode: true,
    isJava: false,
    state: 'alive',
    lastCheckInTime: null,
    leaseUntil: null,
    startedAt: toDate(lifecycle.runningSince),
    version: VERSION,
    host: null,
    processId: process.pid,
    jobTypes: registry.types(),
  };
}
