import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Configuration, Scheduler } from 'quartz-ts';
import type { Started } from './jobs';
import type { FromNode } from './node';
import { type DemoPlan, MISSING_AFTER_MS, RECOVERABLE_JOB, REFRESH_INTERVAL_MS } from './schedule';
import { type DemoSummary, firingName, hasSucceeded, summarize } from './summary';
import { type DemoOutput, DemoView, formatSeconds } from './view';

/** Time at which a node is killed, as a share of the time in which triggers fire. */
const KILL_AFTER = 0.3;

interface DemoParts {
  readonly plan: DemoPlan;
  readonly output: DemoOutput;
  /** Scheduler from which the recorded runs are read. */
  readonly onlooker: Scheduler;
  /** Aborts the demo. */
  readonly signal: AbortSignal;
}

interface DemoNode {
  readonly name: string;
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  readonly running: Map<string, Started>;
  state: 'starting' | 'alive' | 'killed' | 'killed, recovered';
  firings: number;
  recoveries: number;
}

/** Starts the nodes, kills one of them, and compares their firings with the plan. */
export class Demo {
  readonly #parts: DemoParts;
  readonly #view: DemoView;
  readonly #nodes: DemoNode[] = [];
  readonly #starts: Started[] = [];

  constructor(parts: DemoParts) {
    this.#parts = parts;
    this.#view = new DemoView(parts.output);
  }

  async run(configs: ReadonlyMap<string, Configuration>): Promise<DemoSummary> {
    const { plan, onlooker } = this.#parts;
    const { firstFireTime, lastFireTime } = plan;
    await Promise.all([...configs].map(([name, config]) => this.#start(name, config)));
    const victim = await this.#chooseVictim(firstFireTime + (lastFireTime - firstFireTime) * KILL_AFTER);
    const kill = this.#kill(victim);
    const isTooLate = () => Date.now() >= lastFireTime + MISSING_AFTER_MS;
    await this.#watchUntil(() => Date.now() >= lastFireTime);
    await this.#watchUntil(() => victim.state === 'killed, recovered' || isTooLate());
    const { items } = await onlooker.listRuns({ node: victim.name, outcome: 'lost', limit: 1_000 });
    const lost = items.map((run) => firingName(run.triggerKey.name, run.scheduledFireTime.getTime()));
    const summary = () => summarize(plan, { nodes: configs.size, starts: this.#starts, kill, lost });
    const isQuiet = () => this.#nodes.every((node) => node === victim || node.running.size === 0);
    await this.#watchUntil(() => (isQuiet() && hasSucceeded(summary())) || isTooLate());
    this.#view.show(tableOf(this.#nodes), true);
    for (const { child } of this.#nodes) if (child.connected) child.disconnect();
    await Promise.all(this.#nodes.map(({ ended }) => ended));
    return summary();
  }

  /** Kills the nodes that still run. */
  async end(): Promise<void> {
    for (const { child } of this.#nodes) child.kill('SIGKILL');
    await Promise.all(this.#nodes.map(({ ended }) => ended));
  }

  async #start(name: string, config: Configuration): Promise<void> {
    // Without the parent's options, because two debuggers cannot listen on the same port.
    const child = fork(join(__dirname, 'node.js'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
    const ended = once(child, 'exit').catch(() => []); // rejects if the process could not be started
    const node: DemoNode = { name, child, ended, running: new Map(), state: 'starting', firings: 0, recoveries: 0 };
    this.#nodes.push(node);
    child.send(config, () => {}); // a node that has ended is reported by its exit event
    await new Promise<void>((resolve, reject) => {
      child.on('message', (message: FromNode) => {
        if (message.type === 'ready') resolve();
        else if (message.type === 'failed') reject(new Error(`${name}: ${message.message}`));
        else this.#record(node, message);
      });
      void ended.then(() => reject(new Error(`${name} exited before it was ready.`)));
    });
    node.state = 'alive';
    this.#view.print(`${name} is running as process ${child.pid}`);
  }

  /** Waits until `time` and until a node runs jobs that request recovery. Returns the node with the most of them. */
  async #chooseVictim(time: number): Promise<DemoNode> {
    for (; ; await this.#refresh()) {
      const [best] = this.#nodes.toSorted((one, other) => recoverable(other).length - recoverable(one).length);
      if (best !== undefined && Date.now() >= time && recoverable(best).length > 0) return best;
    }
  }

  #kill(node: DemoNode) {
    const interrupted = recoverable(node);
    const killedAt = Date.now();
    node.child.kill('SIGKILL');
    node.state = 'killed';
    const jobs = interrupted.map(({ trigger }) => trigger).join(', ');
    this.#view.print(`kill -9 ${node.child.pid}: ${node.name} dies while running ${jobs}`, 'red');
    return { killedNode: node.name, killedAt, interrupted };
  }

  #record(node: DemoNode, message: FromNode): void {
    if (message.type === 'started') {
      this.#starts.push(message);
      node.running.set(message.runId, message);
      node[message.isRecovery ? 'recoveries' : 'firings']++;
      if (message.isRecovery) this.#view.print(`${node.name} recovers the run of ${message.trigger}`, 'green');
    } else if (message.type === 'ended') node.running.delete(message.runId);
    else if (message.type === 'trouble') this.#view.print(`${node.name}: ${message.message}`, 'red');
    else if (message.type === 'peerRecovered') {
      for (const dead of this.#nodes) if (dead.name === message.instanceId) dead.state = 'killed, recovered';
      this.#view.print(`${node.name} takes over the work of ${message.instanceId}`, 'yellow');
    }
  }

  async #watchUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) await this.#refresh();
  }

  async #refresh(): Promise<void> {
    await sleep(REFRESH_INTERVAL_MS, undefined, { signal: this.#parts.signal });
    this.#view.show(tableOf(this.#nodes));
  }
}

const recoverable = ({ running }: DemoNode) =>
  [...running.values()].filter(({ job, isRecovery }) => job === RECOVERABLE_JOB && !isRecovery);

function tableOf(nodes: readonly DemoNode[]): readonly (readonly string[])[] {
  const rows = nodes.map(({ name, child, state, firings, recoveries, running }) => {
    const jobs = state === 'alive' ? [...running.values()] : [];
    const now = jobs.map(({ job, at }) => `${job} ${formatSeconds(Date.now() - at)} s`).join(', ');
    return [name, `${child.pid}`, state, `${firings}`, `${recoveries}`, now];
  });
  return [['node', 'process', 'state', 'firings', 'recovered', 'running now'], ...rows];
}
