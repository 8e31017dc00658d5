import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Configuration } from '../../../src';
import type { Scheduler } from '../../../src/api/scheduler';
import type { Run } from '../../chaos/checker/check-history';
import { freshDist } from '../../support/fresh-dist';
import { memoryFolder } from '../../support/memory-folder.cjs';
import { readHistory } from './history';
import { monotonic } from './monotonic.cjs';
import { NodeProcess, type ProcessOptions } from './node-process';
import { quartz } from './quartz';
import { installAudit, type RestState, readAudit, readDeadLetters, readRestState, type Tables } from './tables';
import type { ExpectedTrigger } from './workload';

export const SCHED_NAME = 'cluster';

/** Detection within 4 s: long enough that a live node is not considered dead on a busy machine. */
export const QUICK = { clusterCheckinInterval: 1_000, clusterCheckinGrace: 3_000 };

/** Options of a node process. Omitted options are those of the cluster. */
export interface Launch extends ProcessOptions {
  /** Name of the process and of its file. Each process needs a new name. */
  readonly name: string;
  /** Default: the name. */
  readonly instanceId?: string;
  readonly jobStore?: object;
  readonly scheduler?: object | undefined;
  /** Another URL of the database. */
  readonly url?: string | null;
  readonly storeThreadEntry?: string | undefined;
  /** A module with more jobs; see node.cjs. */
  readonly moreJobs?: string;
  /** More names of the job `record`. */
  readonly as?: readonly string[];
}

/** Settings of the nodes. */
export interface ClusterSettings {
  readonly jobStore?: object;
  readonly scheduler?: object;
  readonly threadPool?: object;
  readonly alerts?: object;
  /** Folder for the files of the nodes, which is kept. Default: a folder that is removed with the cluster. */
  readonly folder?: string;
}

/** Node processes on the same tables, and their recorded history. */
export class Cluster {
  readonly tables: Tables;
  readonly #folder: string;
  readonly #dist = freshDist();
  readonly #nodes: NodeProcess[] = [];
  readonly #settings: ClusterSettings;
  readonly #killed = new Map<string, number>();
  readonly #discarded = new Set<string>();
  readonly #fenced = new Set<string>();

  private constructor(tables: Tables, settings: ClusterSettings) {
    this.tables = tables;
    this.#settings = settings;
    this.#folder = settings.folder ?? memoryFolder('quartz-cluster-');
  }

  /** Creates the tables and the audit of the database. Nodes poll often, unless other settings are given. */
  static async on(tables: Tables, jobStore: object = QUICK): Promise<Cluster> {
    return Cluster.with(tables, { jobStore, scheduler: { idleWaitTime: 2_000 }, threadPool: { threadCount: 15 } });
  }

  static async with(tables: Tables, settings: ClusterSettings): Promise<Cluster> {
    const cluster = new Cluster(tables, settings);
    await cluster.withScheduler(async () => undefined);
    await installAudit(tables);
    return cluster;
  }

  /** Runs `work` with a scheduler in this process that never starts; it stores and reads only. */
  async withScheduler<T>(work: (scheduler: Scheduler) => Promise<T>): Promise<T> {
    const scheduler = await this.bystander('bystander');
    try {
      return await work(scheduler);
    } finally {
      await scheduler.shutdown();
    }
  }

  /** Opens such a scheduler, which the caller shuts down. `url`: another URL of the database. */
  bystander(name: string, url: string | null = null, jobStore: object = { storeThread: false }): Promise<Scheduler> {
    const config = this.#config({ name, url, jobStore: { schema: 'create', ...jobStore } });
    return quartz().createScheduler(config as Configuration, { logger: pino({ level: 'silent' }) });
  }

  /** Starts a node, and waits until it has joined. `storeThreadEntry`: module of its store thread. */
  start(name: string, jobStore: object = {}, storeThreadEntry?: string): Promise<NodeProcess> {
    return this.launch({ name, jobStore, storeThreadEntry });
  }

  async launch(launch: Launch): Promise<NodeProcess> {
    const { name, storeThreadEntry, moreJobs, as } = launch;
    const node = new NodeProcess(name, launch);
    this.#nodes.push(node);
    void node.ended.then(() => {
      if (!this.#discarded.has(name) && !this.#killed.has(name)) this.#killed.set(name, monotonic());
    });
    const path = join(this.#folder, `${name}.ndjson`);
    const config = this.#config(launch);
    await node.command('start', { dist: this.#dist, path, config, storeThreadEntry, moreJobs, as });
    return node;
  }

  /** `kill -9`. */
  async kill(node: NodeProcess): Promise<void> {
    node.send('SIGKILL');
    this.#killed.set(node.name, monotonic()); // the process does nothing more, but its exit event may come later
    await node.ended;
  }

  /** Ends a process that is done or never started. It does not count as killed. */
  async discard(name: string): Promise<void> {
    const node = this.#nodes.find((each) => each.name === name);
    if (node === undefined) return;
    this.#discarded.add(name);
    node.send('SIGKILL');
    await node.ended;
  }

  /** Marks a node that will be stopped for longer than its lease, or disconnected, so that other nodes may recover its firings. */
  willBeFenced(node: NodeProcess): void {
    this.#fenced.add(node.name);
  }

  /** Shuts down every live node. */
  async shutdown(): Promise<void> {
    const living = this.#nodes.filter(({ isAlive }) => isAlive);
    await Promise.all(living.map((node) => node.command('stop')));
  }

  async run(expected: readonly ExpectedTrigger[]): Promise<Run> {
    const audit = await readAudit(this.tables);
    const deadLetters = await readDeadLetters(this.tables);
    const wallOffset = Date.now() - monotonic();
    return {
      history: this.history(),
      audit,
      expected,
      killed: new Map(this.#killed),
      fenced: this.#fenced,
      stops: [],
      deadLetters,
      wallOffset,
    };
  }

  history(): Run['history'] {
    return readHistory(this.#folder);
  }

  restState(): Promise<RestState> {
    return readRestState(this.tables, SCHED_NAME);
  }

  async dispose(): Promise<void> {
    for (const node of this.#nodes) {
      node.send('SIGKILL');
      await node.ended;
    }
    await this.tables.drop();
    if (this.#settings.folder === undefined) rmSync(this.#folder, { recursive: true, force: true });
  }

  #config({ name, instanceId = name, jobStore = {}, scheduler: own, url = null }: Launch): object {
    const { config } = this.tables as { config: { readonly jobStore: object } };
    const { scheduler, threadPool, alerts = {}, jobStore: common } = this.#settings;
    return {
      ...config,
      ...(url === null ? {} : { dataSource: { d: { URL: url } } }),
      scheduler: { instanceName: SCHED_NAME, instanceId, ...scheduler, ...own },
      threadPool: { ...threadPool },
      alerts,
      jobStore: { ...config.jobStore, ...common, ...jobStore },
    };
  }
}
