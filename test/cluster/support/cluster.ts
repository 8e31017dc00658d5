import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Scheduler } from '../../../src/api/scheduler';
import { createScheduler } from '../../../src/scheduler/create-scheduler';
import { freshDist } from '../../support/fresh-dist';
import type { Run } from './check-history';
import { readHistory } from './history';
import { NodeProcess } from './node-process';
import { installAudit, type RestState, readAudit, readRestState, type Tables } from './tables';
import type { ExpectedTrigger } from './workload';

export const SCHED_NAME = 'cluster';

/** Detection within 2 s: long enough that a busy machine takes nobody for dead. */
export const QUICK = { clusterCheckinInterval: 1_000, clusterCheckinGrace: 1_000 };

/** Node processes on the same tables, and what they write down. */
export class Cluster {
  readonly tables: Tables;
  readonly #folder = mkdtempSync(join(tmpdir(), 'quartz-cluster-'));
  readonly #dist = freshDist();
  readonly #nodes: NodeProcess[] = [];
  readonly #jobStore: object;
  readonly #killed = new Set<string>();
  readonly #fenced = new Set<string>();

  private constructor(tables: Tables, jobStore: object) {
    this.tables = tables;
    this.#jobStore = jobStore;
  }

  /** Makes the tables, and has the database keep a record of its own. */
  static async on(tables: Tables, jobStore: object = QUICK): Promise<Cluster> {
    const cluster = new Cluster(tables, jobStore);
    await cluster.withScheduler(async () => undefined);
    await installAudit(tables);
    return cluster;
  }

  /** A scheduler in this process that never starts: for storing and looking. */
  async withScheduler<T>(work: (scheduler: Scheduler) => Promise<T>): Promise<T> {
    const config = this.#config('bystander', { storeThread: false, schema: 'create' });
    const scheduler = await createScheduler(config, { logger: pino({ level: 'silent' }) });
    try {
      return await work(scheduler);
    } finally {
      await scheduler.shutdown();
    }
  }

  /** Starts a node and waits until it has joined. `storeThreadEntry`: what its store's thread runs. */
  async start(name: string, jobStore: object = {}, storeThreadEntry?: string): Promise<NodeProcess> {
    const node = new NodeProcess(name);
    this.#nodes.push(node);
    const path = join(this.#folder, `${name}.ndjson`);
    await node.command('start', { dist: this.#dist, path, config: this.#config(name, jobStore), storeThreadEntry });
    return node;
  }

  /** `kill -9`. */
  async kill(node: NodeProcess): Promise<void> {
    this.#killed.add(node.name);
    node.send('SIGKILL');
    await node.ended;
  }

  /** The node is going to be stopped for longer than its lease, or cut off: what peers take over from it is theirs. */
  willBeFenced(node: NodeProcess): void {
    this.#fenced.add(node.name);
  }

  /** Ends every node in order, the dead ones left out. */
  async shutdown(): Promise<void> {
    const living = this.#nodes.filter(({ isAlive }) => isAlive);
    await Promise.all(living.map((node) => node.command('stop')));
  }

  async run(expected: readonly ExpectedTrigger[]): Promise<Run> {
    const audit = await readAudit(this.tables);
    return { history: this.history(), audit, expected, killed: this.#killed, fenced: this.#fenced };
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
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #config(instanceId: string, jobStore: object): object {
    const { config } = this.tables as { config: { readonly jobStore: object } };
    return {
      ...config,
      scheduler: { instanceName: SCHED_NAME, instanceId, idleWaitTime: 2_000 },
      threadPool: { threadCount: 15 },
      jobStore: { ...config.jobStore, ...this.#jobStore, ...jobStore },
    };
  }
}
