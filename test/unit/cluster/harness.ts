import { ManualClock } from '../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';
import { ClusterNode } from '../../../src/cluster/cluster-node';
import type { FencingReason, SchedulerEvent, SchedulerEventOf } from '../../../src/domain/scheduler-event';
import type { NodeSignal } from '../../../src/store/cluster-store';
import { FakeClusterStore } from './fake-cluster-store';

export const INTERVAL = 1_000;
export const GRACE = 2_000;
/** interval + grace. */
export const DETECTION = 3_000;

export interface NodeOptions {
  readonly checkInInterval?: number;
  readonly checkInGrace?: number;
  /** What this node's wall clock says more than the store's. */
  readonly skew?: number;
  readonly maxMainStall?: number;
  readonly isReadableByJava?: boolean;
  readonly mainStall?: () => number;
  readonly hasExclusiveWork?: () => boolean;
  /** What acting on a signal comes to. */
  readonly receive?: (signal: NodeSignal) => Promise<void>;
}

const accept = async () => undefined;

/** A node and what it told. */
export interface TestNode {
  readonly node: ClusterNode;
  readonly clock: ManualClock;
  readonly events: readonly SchedulerEvent[];
  readonly firingAllowed: readonly boolean[];
  readonly leasesLost: readonly FencingReason[];
  readonly changes: readonly (number | null)[];
  readonly received: readonly NodeSignal[];
  eventsOf<Type extends SchedulerEvent['type']>(type: Type): readonly SchedulerEventOf<Type>[];
  /** From now on nothing of it happens any more, until `resume`: SIGSTOP. Its monotonic clock goes on. */
  stop(): void;
  resume(): void;
}

/** Several nodes on one store, and one time that passes for all of them. */
export class World {
  readonly storeClock = new ManualClock(1_000_000_000);
  readonly store = new FakeClusterStore(this.storeClock);
  readonly #nodes: (TestNode & { stopped: boolean; missed: number })[] = [];
  #count = 0;

  node(instanceId: string, options: NodeOptions = {}): TestNode {
    const {
      checkInInterval = INTERVAL,
      checkInGrace = GRACE,
      skew = 0,
      maxMainStall = 0,
      isReadableByJava = true,
      receive = accept,
      ...others
    } = options;
    const clock = new ManualClock(this.storeClock.now() + skew);
    const told = { events: [], firingAllowed: [], leasesLost: [], changes: [], received: [] } as {
      events: SchedulerEvent[];
      firingAllowed: boolean[];
      leasesLost: FencingReason[];
      changes: (number | null)[];
      received: NodeSignal[];
    };
    const node = new ClusterNode(
      {
        store: this.store,
        clock,
        random: { token: (length) => String(++this.#count).padStart(length, '0') },
        hooks: {
          publish: (event) => told.events.push(event),
          firingAllowed: (isAllowed) => told.firingAllowed.push(isAllowed),
          leaseLost: (reason) => told.leasesLost.push(reason),
          scheduleChanged: (earliest) => told.changes.push(earliest),
          receive: async (signal) => {
            await receive(signal);
            told.received.push(signal);
          },
        },
        ...others,
      },
      {
        node: { instanceId, version: '1.0.0', host: 'host', processId: 1, checkInInterval, checkInGrace },
        maxMainStall,
        isReadableByJava,
        maxRecoveryAttempts: 3,
      },
    );
    const entry = {
      ...told,
      node,
      clock,
      stopped: false,
      missed: 0,
      eventsOf: <Type extends SchedulerEvent['type']>(type: Type) =>
        told.events.filter((event): event is SchedulerEventOf<Type> => event.type === type),
      stop: () => {
        entry.stopped = true;
      },
      resume: () => {
        entry.stopped = false;
        clock.advanceBy(entry.missed);
        entry.missed = 0;
      },
    };
    this.#nodes.push(entry);
    return entry;
  }

  /** Lets everything happen that waits for no clock. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 6; turn++) await yieldToEventLoop();
  }

  /** Lets time pass for everyone, a little at a time. */
  async advance(milliseconds: number, step = 50): Promise<void> {
    await this.settle();
    for (let left = milliseconds; left > 0; left -= step) {
      const passed = Math.min(step, left);
      this.storeClock.advanceBy(passed);
      for (const node of this.#nodes) {
        if (node.stopped) node.missed += passed;
        else node.clock.advanceBy(passed);
      }
      await this.settle();
    }
  }

  /** Starts a node while time passes; rejects with what its start rejects with. */
  async start(...nodes: readonly TestNode[]): Promise<void> {
    const started = Promise.all(nodes.map(({ node }) => node.start()));
    let isDone = false;
    const end = () => {
      isDone = true;
    };
    started.then(end, end);
    await this.settle();
    while (!isDone) await this.advance(100);
    await started;
  }

  async close(): Promise<void> {
    for (const node of this.#nodes) if (node.stopped) node.resume();
    await Promise.all(this.#nodes.map(({ node }) => node.stop()));
  }
}
