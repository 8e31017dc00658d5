import { join } from 'node:path';
import { pino } from 'pino';
import type { Jobs, Scheduler } from '../../../src/api/scheduler';
import { loadConfig } from '../../../src/config/load-config';
import type { SchedulerEvent } from '../../../src/domain/scheduler-event';
import { type AssembleOptions, assemble } from '../../../src/scheduler/assemble';
import { freshDist } from '../../support/fresh-dist';
import type { Tables } from './tables';

export interface LocalOptions {
  readonly scheduler?: object;
  readonly jobStore?: object;
  readonly threadPool?: object;
  readonly jobs?: Jobs;
  readonly assemble?: AssembleOptions;
}

/** A scheduler of this process, and its events. */
export interface Local {
  readonly scheduler: Scheduler;
  readonly events: readonly SchedulerEvent[];
  /** Resolves with the first event of the type. */
  seen(type: SchedulerEvent['type']): Promise<SchedulerEvent>;
}

/**
 * Schedulers of this process on the same tables. Their stores run in the main thread, unless `storeThread` is set: a store thread takes longer to
 * start than most tests, and the nodes of `Cluster` have one.
 */
export class LocalSchedulers {
  readonly #tables: Tables;
  readonly #storeThread: boolean;
  readonly #schedulers: Scheduler[] = [];

  constructor(tables: Tables, storeThread = false) {
    this.#tables = tables;
    this.#storeThread = storeThread;
  }

  async create(instanceId: string, options: LocalOptions = {}): Promise<Local> {
    const events: SchedulerEvent[] = [];
    const waiting: { readonly type: string; readonly seen: (event: SchedulerEvent) => void }[] = [];
    const hear = (event: SchedulerEvent) => {
      events.push(event);
      for (const { type, seen } of waiting) if (type === event.type) seen(event);
    };
    const { config } = this.#tables as { config: { readonly jobStore: object } };
    const loaded = await loadConfig({
      ...config,
      scheduler: { instanceName: 'local', instanceId, ...options.scheduler },
      jobStore: { ...config.jobStore, schema: 'create', storeThread: this.#storeThread, ...options.jobStore },
      threadPool: { ...options.threadPool },
    });
    const { scheduler } = await assemble(loaded, {
      jobs: options.jobs ?? {},
      logger: pino({ level: 'silent' }),
      storeThreadEntry: join(freshDist(), 'scheduler/node/store-thread-entry.js'),
      plugins: [{ name: 'test', install: (host) => void host.scheduler.subscribe(hear) }],
      ...options.assemble,
    });
    this.#schedulers.push(scheduler);
    const seen = (type: SchedulerEvent['type']) => {
      const found = events.find((event) => event.type === type);
      if (found !== undefined) return Promise.resolve(found);
      return new Promise<SchedulerEvent>((resolve) => waiting.push({ type, seen: resolve }));
    };
    return { scheduler, events, seen };
  }

  /** Shuts down all schedulers. */
  async shutdown(): Promise<void> {
    await Promise.all(this.#schedulers.splice(0).map((scheduler) => scheduler.shutdown({ waitForJobs: true })));
  }
}
