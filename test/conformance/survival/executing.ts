import { jobKey } from '../../../src/domain/keys';
import type { RunOutcome } from '../../../src/domain/run';
import { type Aftermath, aftermath, fateOf, SOON } from './fates';
import { change, HOLIDAY, later, store } from './kinds';
import { type Started, type StoreOfNode, SurvivalNode } from './survival-node';
import type { ExecutionEvent, Kind } from './table';

/** The run that is watched, while it executes on a node. */
class Watched {
  readonly node: SurvivalNode;
  /** Called when the run begins. */
  #onBegin: (started: Started) => void = () => undefined;
  #end: (error?: Error) => void = () => undefined;
  #ignoresSignal = false;
  #isFirst = true;

  constructor(store: StoreOfNode) {
    this.node = new SurvivalNode(store, { play: (started) => this.#play(started) });
  }

  /** Starts the node. Resolves when the run executes. */
  async begin(): Promise<Started> {
    await this.node.join();
    const begun = new Promise<Started>((resolve) => {
      this.#onBegin = resolve;
    });
    await this.node.engine.start();
    return begun;
  }

  /** Ends the function, and stores its completion. */
  async end(error?: Error): Promise<void> {
    await this.node.engine.standby();
    const quiet = this.node.quiesce();
    this.#end(error);
    await quiet;
  }

  ignoreSignal(): void {
    this.#ignoresSignal = true;
  }

  #play(started: Started): Promise<unknown> | undefined {
    const isWatched = started.job === 'job' && this.#isFirst;
    if (!isWatched) return undefined;
    this.#isFirst = false;
    return new Promise((resolve, reject) => {
      this.#end = (error) => (error === undefined ? resolve(undefined) : reject(error));
      const aborted = () => this.#ignoresSignal || reject(new Error('aborted'));
      started.signal.addEventListener('abort', aborted);
      this.#onBegin(started);
    });
  }
}

interface Scene {
  readonly kind: Kind;
  readonly run: Watched;
  readonly nodes: readonly [StoreOfNode, StoreOfNode];
  readonly peer: SurvivalNode;
}

const driverOf = ({ nodes }: Scene) => nodes[0].driver;

/** Beside the table: an event may follow another. */
export type ExecutionEvents = ExecutionEvent | 'deleted, then stopped';

const EVENTS: Readonly<Record<Exclude<ExecutionEvents, 'factory fails'>, (scene: Scene) => Promise<unknown>>> = {
  fails: ({ run }) => run.end(new Error('failed')),
  stopped: async ({ run, peer }) => {
    await run.node.stop();
    await peer.takeOverFrom(run.node);
  },
  'stopped, does not end': async ({ run, peer }) => {
    run.ignoreSignal();
    await run.node.stop();
    await peer.takeOverFrom(run.node);
  },
  killed: async ({ run, peer }) => {
    await run.node.engine.standby(); // no further firing of the node that is dead
    await peer.takeOverFrom(run.node);
  },
  fenced: async ({ run, peer }) => {
    await peer.takeOverFrom(run.node);
    await run.node.engine.standby();
    const quiet = run.node.quiesce();
    run.node.engine.abortJobs();
    await quiet;
  },
  'fenced alone': async ({ run }) => {
    await run.node.engine.standby();
    const quiet = run.node.quiesce();
    run.node.engine.abortJobs();
    await quiet;
  },
  changed: async (scene) => {
    await change(scene.kind, driverOf(scene), later);
    await scene.run.end();
  },
  deleted: async (scene) => {
    await driverOf(scene).applyOne({ type: 'deleteJob', key: jobKey('job') });
    await scene.run.end();
  },
  'deleted, then stopped': async (scene) => {
    await driverOf(scene).applyOne({ type: 'deleteJob', key: jobKey('job') });
    await EVENTS.stopped(scene);
  },
  paused: async (scene) => {
    const { store: paused } = driverOf(scene);
    await paused.pauseJobs([jobKey('job')]);
    await scene.run.end();
  },
  calendar: async (scene) => {
    await driverOf(scene).applyOne(HOLIDAY);
    await scene.run.end();
  },
};

/** Events that need a store which outlives the process of its node. */
export const NEED_CLUSTER: readonly ExecutionEvent[] = ['stopped, does not end', 'killed', 'fenced', 'fenced alone'];

/** Result for a run that was executing when an event happened. */
export interface ExecutionFate {
  readonly fate: ReturnType<typeof fateOf>;
  /** Recorded outcome of the run; absent: none. */
  readonly outcome: RunOutcome | undefined;
}

/** Plays an event on a run of the kind while it executes on the first node, and lets the second node go on for half a day. */
export async function playExecuting(kind: Kind, event: ExecutionEvents, nodes: Scene['nodes']): Promise<ExecutionFate> {
  if (event === 'factory fails') return playRefused(kind, nodes);
  const [{ driver }, second] = nodes;
  const run = new Watched(nodes[0]);
  const peer = new SurvivalNode(second);
  await peer.join();
  await store(kind, driver);
  const started = await run.begin();
  await EVENTS[event]({ kind, run, nodes, peer });
  const subject = { ...started, job: 'job' };
  const after = await aftermath(peer, driver, (each) => fateOf(subject, each) === 'ends');
  expectOthers(kind, event, after);
  const fate = fateOf(subject, after);
  return { fate, outcome: after.runs.find(({ runId }) => runId === started.runId)?.outcome };
}

/** The first node refuses to make the job object of the first run. */
async function playRefused(kind: Kind, [first, second]: Scene['nodes']): Promise<ExecutionFate> {
  let refuse: () => void = () => undefined;
  const refused = new Promise<void>((resolve) => {
    refuse = resolve;
  });
  const make = (job: string) => {
    if (job !== 'job') return;
    refuse();
    throw new Error('the container is not ready');
  };
  const node = new SurvivalNode(first, { make });
  const peer = new SurvivalNode(second);
  await node.join();
  await peer.join();
  await store(kind, first.driver);
  await node.engine.start();
  await refused;
  await node.engine.standby();
  await node.quiesce();
  const after = await aftermath(peer, first.driver, () => false);
  expectOthers(kind, 'factory fails', { ...after, started: after.started.slice(1) });
  const mine = after.started.filter(({ job, attempt }) => job === 'job' && attempt === 1);
  const [run] = after.runs.filter(({ outcome }) => outcome !== 'succeeded');
  return { fate: mine.length > 0 ? 'runs again' : 'ends', outcome: run?.outcome };
}

/** The event concerns one run: another part, and a trigger that waits for the limit, run in any case unless their job is deleted or paused. */
function expectOthers(kind: Kind, event: ExecutionEvents, { started }: Aftermath): void {
  if (event.startsWith('deleted') || event === 'paused' || event === 'changed' || event === 'calendar') return;
  if (kind === 'shard') expect(started.filter(({ part, at }) => part === 1 && at === SOON)).toHaveLength(1);
  if (kind === 'limited') expect(started.filter(({ at }) => at === SOON)).toHaveLength(1);
}
