import type { Service } from '../../base/service';
import type { SchedulerConfig, SqlStoreConfig } from '../../config/scheduler-config';
import type { ClusterStore } from '../../store/cluster-store';
import type { JobStore } from '../../store/job-store';

/** The store of a scheduler, and what makes it a node among others; null: nobody shares the store. */
export interface StoreNode {
  readonly store: JobStore;
  readonly cluster: ClusterMember | null;
}

/** A store that several nodes share. */
export type SharedStoreNode = StoreNode & { readonly cluster: ClusterMember };

/** What a scheduler asks of the store of a cluster beyond its schedule. */
export type ClusterReader = Pick<
  ClusterStore,
  'readClock' | 'readNodes' | 'getFirings' | 'sendSignal' | 'publishJobTypes' | 'readJobTypes' | 'readOverdueTriggers'
>;

/** This scheduler as a node of the cluster. */
export interface ClusterMember {
  readonly store: ClusterReader;
  /** Joins, and checks in from then on. Rejects with INSTANCE_ID_TAKEN. No effect when it has joined. */
  start(): Promise<void>;
  /** Leaves. */
  stop(): Promise<void>;
  /** Has the lease reported as lost if it is, before any timer of this process may have noticed that. */
  lookAtLease(): Promise<void>;
}

/** What a store in a database needs to know of the configuration; plain data, because it may be built in another thread. */
export interface StoreNodeSetup extends Pick<SchedulerConfig, 'instanceName' | 'instanceId' | 'timeZone'> {
  readonly sql: SqlStoreConfig;
  /** The main thread is asked for the password of each connection. */
  readonly asksPassword?: boolean;
}

/** The member, with a service that runs as long as it is one. */
export function alongside(member: ClusterMember, service: Service): ClusterMember {
  return {
    store: member.store,
    async start() {
      await member.start();
      await service.start();
    },
    async stop() {
      await service.stop();
      await member.stop();
    },
    lookAtLease: () => member.lookAtLease(),
  };
}
