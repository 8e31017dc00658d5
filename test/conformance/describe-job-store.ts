import type { NodeScope } from '../../src/domain/placement';
import type { JobStore } from '../../src/store/job-store';
import { describeAcquiring } from './areas/acquire';
import { describeActions } from './areas/actions';
import { describeCalendars } from './areas/calendars';
import { describeCatchUp } from './areas/catch-up';
import { describeChains } from './areas/chains';
import { describeChangedSchedules } from './areas/changed-schedules';
import { describeCheckpoints } from './areas/checkpoints';
import { type CreateNodes, describeCluster } from './areas/cluster';
import { describeCompleting } from './areas/complete';
import { describeCrossings } from './areas/crossings';
import { describeDeclared } from './areas/declared';
import { describeDeletedRuns } from './areas/deleted-runs';
import { describeEndedTriggers } from './areas/ended-triggers';
import { describeEndingCalendars } from './areas/ending-calendars';
import { describeExpectations } from './areas/expectations';
import { describeFiring } from './areas/fire';
import { describeGroupLimits } from './areas/group-limits';
import { describeHeldRuns } from './areas/held-runs';
import { describeJitter } from './areas/jitter';
import { describeKeys } from './areas/keys';
import { describeLimits } from './areas/limits';
import { describeMisfires } from './areas/misfire';
import { describeOverlap } from './areas/overlap';
import { describeOverrides } from './areas/overrides';
import { describePages } from './areas/pages';
import { describePausing } from './areas/pause';
import { describePauses } from './areas/pauses';
import { describePlacement } from './areas/placement';
import { AGEING, describePriorityOrder } from './areas/priority-order';
import { describeRates } from './areas/rates';
import { describeReading } from './areas/read';
import { describeRegistration } from './areas/registration';
import { describeRetries } from './areas/retries';
import { describeRuns } from './areas/runs';
import { describeSchedule } from './areas/schedule';
import { describeSessions } from './areas/sessions';
import { describeSetFireTime } from './areas/set-fire-time';
import { describeShards } from './areas/shards';
import { describeShardsAndRules } from './areas/shards-and-rules';
import { describeStates } from './areas/states';
import { describeStoredRules } from './areas/stored-rules';
import { describeWaitingTime } from './areas/waiting-time';
import { SCOPE } from './samples';
import { StoreDriver } from './store-driver';

/** A kind of store, for the suite. */
export interface JobStoreUnderTest {
  readonly name: string;
  /** An empty store. The suite opens it. */
  readonly create: () => Promise<JobStore>;
  /** The same with another scope of the node, if the scope can be chosen. */
  readonly createInScope?: (scope: NodeScope) => Promise<JobStore>;
  /** Frees what `create` made beyond the store, which the suite has closed. */
  readonly destroy?: (store: JobStore) => Promise<void>;
  readonly capabilities: JobStoreCapabilities;
  /**
   * `core`: only behavior that depends on Quartz's own tables and on transactions between nodes, if other tests cover the rest. `rest`:
   * everything except the core.
   * `transactions`: only behavior that depends on the isolation level and the character set, if other tests cover the core.
   */
  readonly areas?: 'all' | 'core' | 'rest' | 'transactions';
  /** Set if several nodes can share a store. */
  readonly createNodes?: CreateNodes;
}

/** Differences between stores. Stores guarantee everything else. */
export interface JobStoreCapabilities {
  /** Keys that differ in case or in trailing blanks only are different keys. */
  readonly exactKeys: boolean;
  /** Large schedules (10,000 triggers and more) are stored within seconds. */
  readonly largeSchedules: boolean;
  /** The store of a node in a cluster, which fires by trains: it reserves no trigger before its fire time. */
  readonly byTrains?: boolean;
}

/** Context of an area of the suite. */
export interface StoreContext {
  /** The driver of the present test. */
  readonly driver: () => StoreDriver;
  readonly capabilities: JobStoreCapabilities;
}

/** Registers the whole suite: the guarantees of every store. */
export function describeJobStore(underTest: JobStoreUnderTest): void {
  const { name, create, createInScope, destroy, capabilities, createNodes, areas = 'all' } = underTest;
  describe(`${name} store`, () => {
    let driver: StoreDriver;

    beforeEach(async () => {
      driver = new StoreDriver(await create());
      await driver.open();
    });

    afterEach(async () => {
      await driver.store.close();
      await destroy?.(driver.store);
    });

    const context: StoreContext = { driver: () => driver, capabilities };
    if (areas !== 'rest') describeTransactions(context);
    if (areas === 'all' || areas === 'core') describeCore(context);
    if (areas === 'all' || areas === 'rest') describeRest(context);
  });

  if (createInScope !== undefined) {
    describe(`${name} store`, () => {
      let driver: StoreDriver;

      beforeEach(async () => {
        driver = new StoreDriver(await createInScope({ ...SCOPE, ageing: AGEING }));
        await driver.open();
      });

      afterEach(() => driver.store.close());

      describePriorityOrder({ driver: () => driver });
      describeWaitingTime({ driver: () => driver }, AGEING);
    });
  }

  if (createNodes !== undefined) describe(`${name} store`, () => describeCluster(createNodes));
}

function describeTransactions(context: StoreContext): void {
  describeSchedule(context);
  describeKeys(context);
  describeAcquiring(context);
  describeFiring(context);
  describeCompleting(context);
}

function describeCore(context: StoreContext): void {
  describeCalendars(context);
  describeEndingCalendars(context);
  describeRegistration(context);
  describePausing(context);
  describeMisfires(context);
  describeChangedSchedules(context);
  describeEndedTriggers(context);
  describePages(context);
  describeReading(context);
  describeRetries(context);
  describeCrossings(context);
}

function describeRest(context: StoreContext): void {
  describeDeclared(context);
  describeOverrides(context);
  describeStates(context);
  describePauses(context);
  describeHeldRuns(context);
  describeLimits(context);
  describeGroupLimits(context);
  describePlacement(context);
  describeOverlap(context);
  describeJitter(context);
  describeRates(context);
  describeRuns(context);
  describeDeletedRuns(context);
  describeCatchUp(context);
  describeCheckpoints(context);
  describeActions(context);
  describeSessions(context);
  if (!context.capabilities.byTrains) describeStoredRules(context); // rules that no living node uses
  describeSetFireTime(context);
  describeChains(context);
  describeShards(context);
  describeShardsAndRules(context);
  describeExpectations(context);
}
