import { NodeFence } from '../../../src/cluster/node-fence';
import { MIN_YIELD_MS } from '../../../src/domain/beats';
import type { TriggerFiring } from '../../../src/domain/firing';
import { jobKey, type TriggerKey, triggerKey } from '../../../src/domain/keys';
import type { ScheduleChange } from '../../../src/domain/schedule-change';
import type { Trigger } from '../../../src/domain/trigger';
import type { NodeIdentity, NodeRecord } from '../../../src/store/cluster-store';
import type { SqlDriver } from '../../../src/store/sql/runtime/sql-driver';
import { ending } from '../../conformance/areas/chains';
import { everyMinute, everyNoon, job, NOW, once, without } from '../../conformance/samples';
import { StoreDriver, storing, storingCalendar } from '../../conformance/store-driver';
import { type SqlStoresOfNode, storesOfNode } from '../../support/database/cluster-stores';
import type { Bystander } from '../../support/database/test-database';
import { calendarIntervalTrigger } from '../../support/sample-triggers';

export const RECOVERY = { maxRecoveryAttempts: 3, maxHandOvers: 10 };

/** Time at which every node may fire the triggers that are due at NOW. */
export const LATE = NOW + 20 * MIN_YIELD_MS + 1;

/** A node that has joined the cluster of its schedule. */
export class TrainNode extends StoreDriver {
  override now = LATE;
  readonly stores: SqlStoresOfNode;
  readonly identity: NodeIdentity;
  /** False once a peer may own the firings of this node. Its fence then withdraws them. */
  isMember = true;

  constructor(driver: SqlDriver, schedName: string, instanceId: string, epoch = instanceId) {
    const fence = new NodeFence(() => ({
      epoch,
      mayFire: this.isMember,
      hasJavaPeer: false,
      owns: async () => this.isMember,
    }));
    const stores = storesOfNode({ driver, close: async () => undefined }, { schedName, instanceId, fence });
    super(stores.store);
    this.stores = stores;
    const pace = { checkInInterval: 1_000, checkInGrace: 2_000 };
    this.identity = { instanceId, epoch, version: '1', host: 'h', processId: 1, ...pace };
  }

  async begin(): Promise<this> {
    await this.open();
    await this.stores.cluster.join(this.identity, null, RECOVERY);
    return this;
  }

  async record(): Promise<NodeRecord> {
    const { nodes } = await this.stores.cluster.readNodes();
    return nodes.find(({ instanceId }) => instanceId === this.identity.instanceId) as NodeRecord;
  }

  /** Ends firings. A job that stores its data counts its runs. */
  async end(firings: readonly TriggerFiring[]): Promise<void> {
    const completions = firings.map((firing) => {
      const { data, persistJobDataAfterExecution } = firing.jobDetail;
      const jobData = persistJobDataAfterExecution ? { jobData: { ...data, runs: Number(data.runs ?? 0) + 1 } } : {};
      return { ...ending(firing, this.now), ...jobData };
    });
    await this.store.completeTriggers(completions);
  }

  /** Leaves out the firings that the fence withdraws. */
  override async fireDue(fields: Parameters<StoreDriver['fireDue']>[0] = {}): Promise<readonly TriggerFiring[]> {
    const { fired } = await this.store.acquireTriggers(this.request({ fireWithin: 0, ...fields }));
    return fired.flatMap((result) => (result.status === 'fired' ? [result.firing] : []));
  }
}

/** Two nodes on one schedule, and a session of another client. */
export interface Scene {
  readonly schedName: string;
  /** The node whose train is interrupted. */
  readonly mine: TrainNode;
  readonly peer: TrainNode;
  readonly bystander: Bystander;
  /** A further node on the connections of the peer. */
  another(instanceId: string, epoch: string): TrainNode;
  /** Values that the event has prepared for itself. */
  readonly prepared: Map<string, unknown>;
}

/** The group that an event may pause. */
export const GROUP = 'grouped';

const of = (name: string, trigger: Trigger): Trigger => ({ ...trigger, jobKey: jobKey(name) });

/** One due trigger of each kind. Two jobs must not overlap, and each has two due triggers; one of them stores its data. */
export const TRIGGERS: readonly Trigger[] = [
  of('plain', everyMinute('due', { data: { a: 1 } })),
  of('plain', once('once', { key: triggerKey('once', GROUP) })),
  of('plain', everyNoon('noon', { calendarName: 'holidays' })),
  of('plain', { ...calendarIntervalTrigger(), ...times('daily') }),
  of('serial', everyMinute('serial 1')),
  of('serial', everyMinute('serial 2')),
  of('kept', everyMinute('kept 1')),
  of('kept', everyMinute('kept 2')),
];

function times(name: string): Pick<Trigger, 'key' | 'startTime' | 'endTime' | 'calendarName'> {
  const { key, startTime } = once(name);
  return { key, startTime, endTime: null, calendarName: null };
}

const JOBS = [
  job('plain', { requestsRecovery: true, data: { of: 'plain' } }),
  job('serial', { disallowConcurrentExecution: true, requestsRecovery: true }),
  job('kept', { disallowConcurrentExecution: true, persistJobDataAfterExecution: true }),
  job('spare', { durable: true }),
];

/** Stores the schedule on which every event happens. */
export function storeSchedule(node: StoreDriver): Promise<unknown> {
  const jobs = JOBS.map(
    (each): ScheduleChange => ({ type: 'storeJob', job: each, ifExists: 'fail', requireTrigger: false }),
  );
  return node.apply(storingCalendar(without('2026-01-02')), ...jobs, ...TRIGGERS.map(storing));
}

/** The stored definition of one of the triggers, with changes. */
export function changed<T extends Partial<Trigger>>(name: string, changes: T): Trigger {
  return { ...sample(name), ...changes } as Trigger;
}

export const keyOf = (name: string): TriggerKey => sample(name).key;

function sample(name: string): Trigger {
  return TRIGGERS.find(({ key }) => key.name === name) as Trigger;
}
