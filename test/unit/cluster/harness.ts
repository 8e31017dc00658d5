import { Availability } from '../../../src/base/availability';
import { SchedulerError } from '../../../src/base/errors';
import { ManualClock } from '../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';
import { ClusterNode } from '../../../src/cluster/cluster-node';
import type { InFlightRuns } from '../../../src/cluster/node-fence';
import type { NodeLoad } from '../../../src/domain/node-load';
import type { FencingReason, SchedulerEvent, SchedulerEventOf } from '../../../src/domain/scheduler-event';
import type { ClusterStore, NodeRecord, NodeSignal } from '../../../src/store/cluster-store';
import { FakeClusterStore } from './fake-cluster-store';
import { NodeClock } from './node-clock';

export const INTERVAL = 1_000;
export const GRACE = 2_000;
/** INTERVAL + GRACE. */
export const DETECTION = 3_000;

export interface NodeOptions {
  readonly checkInInterval?: number;
  readonly checkInGrace?: number;
  /** Milliseconds by which the wall clock of this node is ahead of the store clock. */
  readonly skew?: number;
  readonly maxMainStall?: number;
  readonly isReadableByJava?: boolean;
  readonly mainStall?: () => number;
  readonly hasNonConcurrentWork?: () => boolean;
  readonly suspendedTime?: () => number;
  readonly isDeadProcess?: (peer: NodeRecord) => boolean;
  readonly inFlight?: InFlightRuns;
  readonly readLoad?: () => NodeLoad | null;
  /** Handles a signal. */
  readonly receive?: (signal: NodeSignal) => Promise<void>;
}

/** In-flight runs that contain every firing. */
const EVERYTHING = { holds: () => true, isEmpty: false, watchRequests: () => () => true };

const accept = async () => undefined;
const NEVER = new AbortController().signal;

/** A node with the events and callbacks that it has emitted. */
export interface TestNode {
  readonly node: ClusterNode;
  readonly clock: NodeClock;
  readonly events: readonly SchedulerEvent[];
  readonly firingAllowed: readonly boolean[];
  readonly leasesLost: readonly FencingReason[];
  readonly changes: readonly (number | null)[];
  readonly received: readonly NodeSignal[];
  /** Store times at which it reported that the store answers again. */
  readonly available: readonly number[];
  /** Values that the node received for "another node takes work". */
  readonly others: readonly boolean[];
  eventsOf<Type extends SchedulerEvent['type']>(type: Type): readonly SchedulerEventOf<Type>[];
  /** Suspends the node until `resume`, as SIGSTOP does. Its monotonic clock continues. */
  stop(): void;
  /** Resumes the node and wakes all due sleepers at once. */
  resume(): void;
  /** Resumes the node. Its timers fire one after another, as in a real process, in the order of `choices`. */
  resumeInOrder(choices: readonly number[]): Promise<void>;
  /** Cuts the node off from the store until `mend`. */
  cut(): void;
  mend(): void;
  /** Milliseconds that a message takes to the store, and back. */
  latency: number;
}

interface Entry extends TestNode {
  readonly instanceId: string;
  stopped: boolean;
  missed: number;
  isCut: boolean;
  wasRecovered: boolean;
}

/** Several nodes on one store that share the passing of time. */
export class World {
  readonly storeClock = new ManualClock(1_000_000_000);
  readonly store = new FakeClusterStore(this.storeClock);
  /** Nodes that were recovered while their lease was still valid by their own clock. */
  readonly recoveredTooEarly: string[] = [];
  readonly #nodes: Entry[] = [];
  #count = 0;

  constructor() {
    this.store.onRecovered = (instanceId) => this.#recovered(instanceId);
  }

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
    const clock = new NodeClock(this.storeClock.now() + skew);
    const told = {
      events: [],
      firingAllowed: [],
      leasesLost: [],
      changes: [],
      received: [],
      available: [],
      others: [],
    } as {
      events: SchedulerEvent[];
      firingAllowed: boolean[];
      leasesLost: FencingReason[];
      changes: (number | null)[];
      received: NodeSignal[];
      available: number[];
      others: boolean[];
    };
    const node: ClusterNode = new ClusterNode(
      {
        inFlight: EVERYTHING,
        availability: new Availability(clock, () => told.available.push(this.storeClock.now())),
        hasNonConcurrentWork: () => true,
        suspendedTime: () => 0,
        readLoad: () => null,
        isDeadProcess: () => false,
        store: reachable(this.store, clock, () => entry),
        clock,
        random: { token: (length) => String(++this.#count).padStart(length, '0') },
        hooks: {
          publish: (event) => told.events.push(event),
          firingAllowed: (isAllowed) => told.firingAllowed.push(isAllowed),
          leaseLost: (reason) => told.leasesLost.push(reason),
          scheduleChanged: (earliest) => told.changes.push(earliest),
          othersTakeWork: (takeWork) => told.others.push(takeWork),
          storeAvailable: () => told.available.push(this.storeClock.now()),
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
        maxHandOvers: 10,
      },
    );
    const entry: Entry = {
      ...told,
      instanceId,
      node,
      clock,
      latency: 0,
      stopped: false,
      missed: 0,
      isCut: false,
      wasRecovered: false,
      eventsOf: <Type extends SchedulerEvent['type']>(type: Type) =>
        told.events.filter((event): event is SchedulerEventOf<Type> => event.type === type),
      stop: () => {
        entry.stopped = true;
      },
      resume: () => {
        this.#goOn(entry);
        clock.advanceBy(0);
      },
      resumeInOrder: async (choices) => {
        this.#goOn(entry);
        await this.settle(); // first runs work that waits for no timer
        for (let turn = 0; clock.fireOne(choices[turn % choices.length] ?? 0); turn++) await this.settle();
      },
      cut: () => {
        entry.isCut = true;
      },
      mend: () => {
        entry.isCut = false;
      },
    };
    this.#nodes.push(entry);
    return entry;
  }

  /** Stored row of a node. */
  row(node: TestNode): NodeRecord | undefined {
    const entry = this.#nodes.find((each) => each === node);
    return entry === undefined ? undefined : this.store.row(entry.instanceId);
  }

  #goOn(entry: Entry): void {
    entry.stopped = false;
    entry.clock.skip(entry.missed);
    entry.missed = 0;
    if (entry.wasRecovered && entry.node.lease.state !== 'lost') this.recoveredTooEarly.push(entry.instanceId);
    entry.wasRecovered = false;
  }

  /** Called for every recovery. Checks that the node had stopped acting by then. */
  #recovered(instanceId: string): void {
    const entry = this.#nodes.find((node) => node.instanceId === instanceId);
    if (entry === undefined) return;
    if (entry.stopped) entry.wasRecovered = true;
    else if (entry.node.lease.state !== 'lost') this.recoveredTooEarly.push(instanceId);
  }

  /** Runs all pending work that does not wait for the clock. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 6; turn++) await yieldToEventLoop();
  }

  /** Advances all clocks in small steps. */
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

  /** Starts nodes while time passes, and rejects if their start rejects. */
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

/** The store as seen by one node. */
function reachable(store: FakeClusterStore, clock: NodeClock, entry: () => Entry): ClusterStore {
  const travel = async () => {
    const { latency } = entry();
    if (latency > 0) await clock.sleepUntil(clock.now() + latency, NEVER);
    if (entry().isCut) throw new SchedulerError('STORE_FAILURE', 'cut off');
  };
  return new Proxy(store, {
    get: (target, name) => {
      const method = target[name as keyof ClusterStore] as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        await travel();
        const answer = await method.apply(target, args);
        await travel();
        return answer;
      };
    },
  });
}
