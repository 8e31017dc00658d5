import { setTimeout as sleep } from 'node:timers/promises';
import type { Configuration, Scheduler } from 'quartz-ts';
import { DemoBoard } from './board';
import { type FromNode, type NodeProcess, startNode } from './node-process';
import { type DemoPlan, RECOVERABLE_JOB } from './schedule';
import { type DemoSummary, firingName, hasSucceeded, type Kill, summarize } from './summary';
import { type DemoOutput, DemoView } from './view';

/** Delay after which a due firing counts as missing. A busy machine may fire it later than usual. */
const MISSING_AFTER_MS = 20_000;

/** Time at which a node is killed, as a share of the time in which triggers fire. */
const KILL_AFTER = 0.3;
const REFRESH_INTERVAL_MS = 100;

/** More runs than one node can hold at the same time. */
const MAX_LOST = 1_000;

export interface DemoParts {
  readonly nodes: number;
  readonly plan: DemoPlan;
  readonly output: DemoOutput;
  /** Scheduler from which the recorded runs are read. */
  readonly onlooker: Pick<Scheduler, 'listRuns'>;
  /** URL of the console. */
  readonly consoleUrl: string;
  /** Aborts the demo. */
  readonly signal: AbortSignal;
  /** Receives each process when it starts. The caller must end them. */
  readonly processes: NodeProcess[];
}

/** Starts the nodes, kills one of them, and counts their firings. */
export class Demo {
  readonly #parts: DemoParts;
  readonly #board = new DemoBoard();
  readonly #view: DemoView;
  readonly #declaredDead = new Set<string>();

  constructor(parts: DemoParts) {
    this.#parts = parts;
    this.#view = new DemoView(parts.output, this.#board, parts.consoleUrl);
  }

  async run(configOf: (instanceId: string) => Configuration): Promise<DemoSummary> {
    const names = Array.from({ length: this.#parts.nodes }, (_, index) => `node-${index + 1}`);
    await Promise.all(names.map((name) => this.#start(name, configOf(name))));
    const { firstFireTime, lastFireTime } = this.#parts.plan;
    const kill = await this.#killOne(firstFireTime + (lastFireTime - firstFireTime) * KILL_AFTER);
    await this.#watchUntil(() => Date.now() >= lastFireTime);
    const isTooLate = () => Date.now() >= lastFireTime + MISSING_AFTER_MS;
    await this.#watchUntil(() => this.#board.node(kill.node).state === 'recovered' || isTooLate());
    const lost = await this.#lostWith(kill.node);
    const summary = () => summarize(this.#parts.plan, this.#board, kill, lost);
    await this.#watchUntil(() => (this.#isQuiet() && hasSucceeded(summary())) || isTooLate());
    this.#view.end();
    const living = this.#parts.processes.filter(({ name }) => name !== kill.node);
    await Promise.all(living.map((node) => node.stop()));
    return summary();
  }

  /** Returns the names of the firings that were recorded as lost with a node. */
  async #lostWith(node: string): Promise<ReadonlySet<string>> {
    const { items } = await this.#parts.onlooker.listRuns({ node, outcome: 'lost', limit: MAX_LOST });
    return new Set(
      items.map(({ triggerKey, scheduledFireTime }) =>
        firingName({ trigger: triggerKey.name, scheduledFireTime: scheduledFireTime.getTime() }),
      ),
    );
  }

  async #start(name: string, config: Configuration): Promise<void> {
    this.#board.add(name);
    const node = startNode(name, config, (message) => this.#record(name, message));
    this.#parts.processes.push(node);
    await node.ready;
    this.#board.ready(name, node.processId);
    this.#view.print(Date.now(), `${name} is running as process ${node.processId}`);
  }

  /** Kills the node with the most running jobs that request recovery, as soon after `time` as a node has one. */
  async #killOne(time: number): Promise<Kill> {
    const candidates = () =>
      this.#parts.processes
        .map((node) => ({ node, interrupted: this.#recoverable(node.name) }))
        .sort((a, b) => b.interrupted.length - a.interrupted.length);
    await this.#watchUntil(() => Date.now() >= time && (candidates()[0]?.interrupted.length ?? 0) > 0);
    const [chosen] = candidates();
    if (chosen === undefined) throw new Error('no node is left to kill.');
    const { node, interrupted } = chosen;
    const at = Date.now();
    node.kill();
    this.#board.killed(node.name);
    const jobs = interrupted.map(({ trigger }) => trigger).join(', ');
    this.#print('red', at, `kill -9 ${node.processId}: ${node.name} dies while running ${jobs}`);
    return { node: node.name, at, interrupted: interrupted.map(firingName) };
  }

  #recoverable(name: string) {
    const running = [...this.#board.node(name).running.values()];
    return running.filter(({ job, recovers }) => job === RECOVERABLE_JOB && recovers === null);
  }

  #record(name: string, message: FromNode): void {
    this.#board.record(name, message);
    switch (message.type) {
      case 'peerFailed':
        if (this.#declaredDead.has(message.instanceId)) return; // every peer reports it
        this.#declaredDead.add(message.instanceId);
        this.#print('yellow', message.at, `${message.instanceId} is declared dead: its process has ended`);
        break;
      case 'peerRecovered':
        this.#print('yellow', message.at, `${name} takes over the work of ${message.instanceId}`);
        break;
      case 'trouble':
        this.#print('red', message.at, `${name}: ${message.message}`);
        break;
      case 'started':
        if (message.recovers === null) break;
        this.#print('green', message.at, `${name} recovers the run of ${message.recovers.trigger}`);
        break;
    }
  }

  #print(style: 'red' | 'yellow' | 'green', at: number, text: string): void {
    this.#view.print(at, this.#parts.output.style(style, text));
  }

  #isQuiet(): boolean {
    return this.#board.nodes.every(({ state, running }) => state !== 'alive' || running.size === 0);
  }

  async #watchUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await sleep(REFRESH_INTERVAL_MS, undefined, { signal: this.#parts.signal });
      this.#view.refresh();
    }
  }
}
