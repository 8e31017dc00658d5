import type { Configuration, Jobs, Run, Scheduler } from '../../../src';
import { bundledQuartz } from '../../cluster/support/quartz';

/** A kind of store that schedulers of the built package are on. */
export interface StoreOfSchedulers {
  readonly name: 'memory' | 'sqlite' | 'mysql';
  /** `database` of the configuration; undefined: memory. */
  readonly database: () => string | undefined;
}

/** In the thread of the store, calls of a server are those of a file. */
const IN_MAIN_THREAD = { jobStore: { storeThread: false } } as const;

let count = 0;

/** Schedulers of the tests of one store, each with a schedule of its own. */
export class SchedulerStage {
  readonly #of: StoreOfSchedulers;
  readonly #schedulers: Scheduler[] = [];

  constructor(of: StoreOfSchedulers) {
    this.#of = of;
  }

  get store(): StoreOfSchedulers['name'] {
    return this.#of.name;
  }

  /** For schedulers that are shut down by themselves. */
  beside(): SchedulerStage {
    return new SchedulerStage(this.#of);
  }

  /** In standby. `settings`: further settings of the scheduler; a node beside another one has its name. */
  async create(jobs: Jobs, settings: Configuration['scheduler'] = {}): Promise<Scheduler> {
    const database = this.#of.database();
    const config: Configuration = {
      scheduler: { instanceName: `conformance-${++count}`, timeZone: 'UTC', logLevel: 'silent', ...settings },
      ...(database === undefined ? {} : { database }),
      ...(this.store === 'mysql' ? IN_MAIN_THREAD : {}),
    };
    const scheduler = await bundledQuartz().createScheduler(config, { jobs });
    this.#schedulers.push(scheduler);
    return scheduler;
  }

  async shutdown(): Promise<void> {
    await Promise.all(this.#schedulers.splice(0).map((scheduler) => scheduler.shutdown({ waitForJobs: true })));
  }
}

/** Resolves when so many runs have been completed, from now on. */
export function completed(scheduler: Scheduler, runs: number): Promise<void> {
  let left = runs;
  return new Promise((resolve) => {
    const unsubscribe = scheduler.subscribe(() => {
      if (--left > 0) return;
      unsubscribe();
      resolve();
    }, ['triggerCompleted']);
  });
}

/** What was recorded, oldest first. */
export async function recorded(scheduler: Scheduler, job: string): Promise<readonly Run[]> {
  return (await scheduler.listRuns({ job })).items.toReversed();
}
