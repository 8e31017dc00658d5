import type { Configuration, Jobs, Run, Scheduler } from '../../../src';
import { bundledQuartz } from '../../cluster/support/quartz';

/** A kind of store for schedulers of the built package. */
export interface StoreOfSchedulers {
  readonly name: 'memory' | 'sqlite' | 'mysql';
  /** `database` of the configuration; undefined for a store in memory. */
  readonly database: () => string | undefined;
}

/** With a store thread, calls are the same for a server as for a file. */
const IN_MAIN_THREAD = { jobStore: { storeThread: false } } as const;

let count = 0;

/** Schedulers of the tests of one store, each with its own schedule. */
export class SchedulerStage {
  readonly #of: StoreOfSchedulers;
  readonly #schedulers: Scheduler[] = [];

  constructor(of: StoreOfSchedulers) {
    this.#of = of;
  }

  get store(): StoreOfSchedulers['name'] {
    return this.#of.name;
  }

  /** Returns a stage for schedulers that are shut down separately. */
  beside(): SchedulerStage {
    return new SchedulerStage(this.#of);
  }

  /** Creates a scheduler in standby. `settings`: further settings of the scheduler; another node of a cluster needs the same name. */
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

/** Resolves after that many completed runs, from now on. */
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

/** Returns the recorded runs of a job, oldest first. */
export async function recorded(scheduler: Scheduler, job: string): Promise<readonly Run[]> {
  return (await scheduler.listRuns({ job })).items.toReversed();
}
