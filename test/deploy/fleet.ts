import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Configuration, Run, Scheduler } from '../../src';
import { quartz } from '../cluster/support/quartz';
import type { Tables } from '../cluster/support/tables';
import { freshDist } from '../support/fresh-dist';

/** One line that a node has written. */
export interface Line {
  readonly line: 'begin' | 'saved' | 'end' | 'error' | 'crash' | 'down';
  readonly node: string;
  readonly at: number;
  readonly runId: string;
  readonly occurrence: string;
  readonly job: string;
  readonly attempt: number;
  readonly step: number;
  readonly resumeFrom: number | null;
  readonly error?: string;
}

export interface Launched {
  readonly name: string;
  readonly child: ChildProcess;
  /** Resolves when the process is gone. */
  readonly ended: Promise<void>;
}

/** Processes of the built package on the same tables, and the lines that they write. */
export class Fleet {
  readonly #tables: Tables;
  readonly #folder = mkdtempSync(join(tmpdir(), 'quartz-deploy-'));
  readonly #file = join(this.#folder, 'lines.ndjson');
  readonly #dist = freshDist();
  readonly #launched: Launched[] = [];
  readonly #goneAt = new Map<string, number>();
  #scheduler: Scheduler | null = null;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  /** A scheduler in this process that never starts; it stores and reads only. */
  async scheduler(): Promise<Scheduler> {
    this.#scheduler ??= await quartz().createScheduler(this.#config('bystander', { storeThread: false }), {
      logger: pino({ level: 'silent' }),
    });
    return this.#scheduler;
  }

  /** Starts a node. `hangs`: its jobs never end. Resolves when it fires. */
  async launch(
    name: string,
    settings: { readonly deadline?: number; readonly hangs?: boolean } = {},
  ): Promise<Launched> {
    const given = { dist: this.#dist, config: this.#config(name), file: this.#file, node: name, ...settings };
    const child = fork(join(__dirname, 'node.cjs'), [JSON.stringify(given)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const ended = new Promise<void>((resolve) => {
      child.once('exit', () => {
        this.#goneAt.set(name, Date.now());
        resolve();
      });
    });
    const launched = { name, child, ended };
    this.#launched.push(launched);
    const up = new Promise<'up'>((resolve) => child.once('message', () => resolve('up')));
    if ((await Promise.race([up, ended])) !== 'up') {
      const crash = this.lines().find(({ line, node }) => line === 'crash' && node === name);
      throw new Error(`${name} did not start: ${crash?.error ?? 'no reason'}`);
    }
    return launched;
  }

  /** Sends SIGTERM or SIGKILL, and waits until the process is gone. */
  async end({ child, ended }: Launched, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    child.kill(signal);
    await ended;
  }

  lines(): readonly Line[] {
    if (!existsSync(this.#file)) return [];
    const lines = readFileSync(this.#file, 'utf8').split('\n').slice(0, -1);
    return lines.map((text) => JSON.parse(text) as Line);
  }

  /** End time of a node's process; infinity if it runs. A node that stops gracefully writes a last line just before. */
  goneAt(name: string): number {
    const last = this.lines().find(({ line, node }) => line === 'down' && node === name);
    return last?.at ?? this.#goneAt.get(name) ?? Number.POSITIVE_INFINITY;
  }

  /** All recorded runs, the oldest first. */
  async runs(): Promise<readonly Run[]> {
    const scheduler = await this.scheduler();
    const found: Run[] = [];
    for (let after: string | undefined; ; ) {
      const { items, next } = await scheduler.listRuns({ limit: 500, ...(after === undefined ? {} : { after }) });
      found.push(...items);
      if (next === null) return found.reverse();
      after = next;
    }
  }

  async dispose(): Promise<void> {
    for (const launched of this.#launched) await this.end(launched, 'SIGKILL');
    await this.#scheduler?.shutdown();
    await this.#tables.drop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #config(instanceId: string, jobStore: object = {}): Configuration {
    const { config } = this.#tables as { config: { readonly jobStore: object } };
    const pace = { history: 'all', schema: 'create', clusterCheckinInterval: 1_000, clusterCheckinGrace: 3_000 };
    return {
      ...config,
      scheduler: { instanceName: 'deploy', instanceId, logLevel: 'silent', timeZone: 'UTC' },
      threadPool: { threadCount: 20 },
      jobStore: { ...config.jobStore, ...pace, ...jobStore },
    } as Configuration;
  }
}
