import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Configuration, createScheduler } from 'quartz-ts';
import { DemoBoard } from './board';
import { type FromNode, type NodeProcess, startNode } from './node-process';
import { type DemoPlan, planDemo, RECOVERABLE_JOB, scheduleDemo } from './schedule';
import {
  type DemoSummary,
  describeSummary,
  FIRE_AHEAD_MS,
  firingName,
  hasSucceeded,
  type Kill,
  summarize,
} from './summary';
import { type DemoOutput, DemoView } from './view';

/** What the command line asks for. */
export interface DemoSettings {
  /** From the first start to the summary, more or less. */
  readonly durationMs: number;
  readonly nodes: number;
  /** Where the tables are; null: in a SQLite file that is deleted at the end. */
  readonly database: DemoDatabase | null;
  readonly output: DemoOutput;
  /** Aborts the demo. */
  readonly signal: AbortSignal;
}

/** A database that others may use too. */
export interface DemoDatabase {
  /** A name that no other scheduler has. */
  readonly schedulerName: string;
  /** The sections `jobStore` and `dataSource`. */
  readonly config: Configuration;
  /** Deletes every row of that scheduler. */
  erase(): Promise<void>;
}

/** For the nodes to start before the first firing, and for the last jobs to end after the last one. */
const LEAD_MS = 2_500;
const TAIL_MS = 4_500;

/** On a machine that is busy with something else, what was due may still come; only later than this it counts as missing. */
const MISSING_AFTER_MS = 20_000;

/** When a node is killed, as a share of the time in which triggers fire. */
const KILL_AFTER = 0.3;
const REFRESH_INTERVAL_MS = 100;

/** Runs the demo and deletes what it stored. Rejects when it was aborted, or when a node could not start. */
export async function runDemo(settings: DemoSettings) {
  const folder = mkdtempSync(join(tmpdir(), 'quartz-demo-'));
  const { schedulerName, config } = settings.database ?? ownFile(folder);
  const configOf = (instanceId: string) => nodeConfig(schedulerName, instanceId, config);
  const processes: NodeProcess[] = [];
  let hasStored = false;
  try {
    const plan = planDemo(Date.now() + LEAD_MS, settings.durationMs - LEAD_MS - TAIL_MS);
    const scheduler = await createScheduler(configOf('planner'));
    hasStored = true;
    await scheduleDemo(scheduler, plan).finally(() => scheduler.shutdown());
    const summary = await new Demo(settings, plan, processes).run(configOf);
    return { summary, hasSucceeded: hasSucceeded(summary), sentences: describeSummary(summary) };
  } finally {
    for (const node of processes) node.kill();
    await Promise.all(processes.map(({ ended }) => ended));
    if (hasStored) await erase(settings);
    rmSync(folder, { recursive: true, force: true });
  }
}

const ownFile = (folder: string) => ({
  schedulerName: 'Demo',
  config: { jobStore: { class: 'sqlite', path: join(folder, 'quartz.db') } } satisfies Configuration,
});

/** Declares a peer dead after 3 s, and takes little at a time, so that every node has something to do. */
function nodeConfig(instanceName: string, instanceId: string, config: Configuration): Configuration {
  const window = { batchTriggerAcquisitionFireAheadTimeWindow: FIRE_AHEAD_MS };
  return {
    ...config,
    jobStore: { ...config.jobStore, schema: 'create', clusterCheckinInterval: 1_000, clusterCheckinGrace: 2_000 },
    scheduler: { instanceName, instanceId, logLevel: 'silent', batchTriggerAcquisitionMaxCount: 2, ...window },
    threadPool: { threadCount: 6 },
  };
}

/** A failure here must not hide how the demo ended. */
async function erase({ database, output }: DemoSettings): Promise<void> {
  try {
    await database?.erase();
  } catch (error) {
    output.note(
      `${output.noteStyle('yellow', 'warning:')} the rows of the demo could not be deleted (${(error as Error).message}). ` +
        `They have the SCHED_NAME '${database?.schedulerName}', and disturb nobody.`,
    );
  }
}

class Demo {
  readonly #settings: DemoSettings;
  readonly #plan: DemoPlan;
  readonly #processes: NodeProcess[];
  readonly #board = new DemoBoard();
  readonly #view: DemoView;
  readonly #declaredDead = new Set<string>();

  constructor(settings: DemoSettings, plan: DemoPlan, processes: NodeProcess[]) {
    this.#settings = settings;
    this.#plan = plan;
    this.#processes = processes;
    this.#view = new DemoView(settings.output, this.#board);
  }

  async run(configOf: (instanceId: string) => Configuration): Promise<DemoSummary> {
    const names = Array.from({ length: this.#settings.nodes }, (_, index) => `node-${index + 1}`);
    await Promise.all(names.map((name) => this.#start(name, configOf(name))));
    const { firstFireTime, lastFireTime } = this.#plan;
    const kill = await this.#killOne(firstFireTime + (lastFireTime - firstFireTime) * KILL_AFTER);
    await this.#watchUntil(() => Date.now() >= lastFireTime);
    const isDone = () => this.#isQuiet() && hasSucceeded(summarize(this.#plan, this.#board, kill));
    await this.#watchUntil(() => isDone() || Date.now() >= lastFireTime + MISSING_AFTER_MS);
    this.#view.end();
    const living = this.#processes.filter(({ name }) => name !== kill.node);
    await Promise.all(living.map((node) => node.stop()));
    return summarize(this.#plan, this.#board, kill);
  }

  async #start(name: string, config: Configuration): Promise<void> {
    this.#board.add(name);
    const node = startNode(name, config, (message) => this.#record(name, message));
    this.#processes.push(node);
    await node.ready;
    this.#board.ready(name, node.processId);
    this.#view.print(Date.now(), `${name} is running as process ${node.processId}`);
  }

  /** Kills the node that runs most of what asks for recovery, as soon after `time` as there is one. */
  async #killOne(time: number): Promise<Kill> {
    const candidates = () =>
      this.#processes
        .map((node) => ({ node, interrupted: this.#recoverable(node.name) }))
        .sort((a, b) => b.interrupted.length - a.interrupted.length);
    await this.#watchUntil(() => Date.now() >= time && (candidates()[0]?.interrupted.length ?? 0) > 0);
    const [chosen] = candidates();
    if (chosen === undefined) throw new Error('no node is left to be killed.');
    const { node, interrupted } = chosen;
    const at = Date.now();
    node.kill();
    this.#board.killed(node.name);
    const jobs = interrupted.map(({ trigger }) => trigger).join(', ');
    this.#print('red', at, `kill -9 ${node.processId}: ${node.name} dies in the middle of ${jobs}`);
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
        this.#print('yellow', message.at, `${message.instanceId} counts as dead: its process has ended`);
        break;
      case 'peerRecovered':
        this.#print('yellow', message.at, `${name} takes over what ${message.instanceId} held`);
        break;
      case 'trouble':
        this.#print('red', message.at, `${name}: ${message.message}`);
        break;
      case 'started':
        if (message.recovers === null) break;
        this.#print('green', message.at, `${name} runs ${message.recovers.trigger} again`);
        break;
    }
  }

  #print(style: 'red' | 'yellow' | 'green', at: number, text: string): void {
    this.#view.print(at, this.#settings.output.style(style, text));
  }

  #isQuiet(): boolean {
    return this.#board.nodes.every(({ state, running }) => state !== 'alive' || running.size === 0);
  }

  async #watchUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await sleep(REFRESH_INTERVAL_MS, undefined, { signal: this.#settings.signal });
      this.#view.refresh();
    }
  }
}
