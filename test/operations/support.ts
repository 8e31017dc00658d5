import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Jobs, Scheduler } from '../../src/api/scheduler';
import { systemRandom } from '../../src/base/ids';
import { type InputOf, OPERATIONS, type OperationName, type OutputOf } from '../../src/operations/operations';
import { perform } from '../../src/operations/perform';
import type { Role } from '../../src/operations/role';
import { controlOf, type SchedulerControl } from '../../src/scheduler/control';
import { createScheduler } from '../../src/scheduler/create-scheduler';
import { createDatabase, isServerSkipped, sharedServer } from '../support/database/test-database';
import { IS_LONG } from '../support/long-forms';

export type StoreName = 'memory' | 'sqlite' | 'mysql';

/** Stores of these tests. Only the long form includes a server, because the conformance suite tests every store. */
export const STORES: readonly StoreName[] =
  IS_LONG && !isServerSkipped ? ['memory', 'sqlite', 'mysql'] : ['memory', 'sqlite'];

/** A scheduler that was not started, and functions that run its operations. */
export interface Asked {
  readonly scheduler: Scheduler;
  readonly control: SchedulerControl;
  /** Runs an operation as `admin`. */
  ask<Name extends OperationName>(name: Name, input: InputOf<Name>): Promise<OutputOf<Name>>;
  askAs(role: Role, name: OperationName, input: unknown): Promise<unknown>;
  /** Problem with which an operation rejects, with the faulty fields. */
  refusal(name: OperationName, input: unknown, role?: Role): Promise<Refusal>;
  close(): Promise<void>;
}

export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly fields: readonly { readonly field: string; readonly message: string; readonly offset?: number }[];
}

/** Opens a scheduler on a new, empty store, in the time zone of Berlin, with the job types `noop` and `other`. */
export async function openAsked(store: StoreName, jobs: Jobs = {}, rules: 'safe' | 'quartz' = 'safe'): Promise<Asked> {
  const { jobStore, drop } = await emptyStore(store);
  const config = {
    scheduler: { instanceName: 'Reports', logLevel: 'silent', timeZone: 'Europe/Berlin', rules },
    ...jobStore,
  };
  const noop = async () => {};
  const scheduler = await createScheduler(config as never, { jobs: { noop, other: noop, ...jobs } });
  const control = controlOf(scheduler) as SchedulerControl;
  const askAs = (role: Role, name: OperationName, input: unknown) => {
    const actor = { name: 'Ada', role, via: 'http', from: null } as const;
    const context = { scheduler, control, actor, signal: new AbortController().signal };
    return perform({ name, operation: OPERATIONS[name] as never, input }, context);
  };
  return {
    scheduler,
    control,
    ask: (name, input) => askAs('admin', name, input) as never,
    askAs,
    refusal: (name, input, role = 'admin') =>
      askAs(role, name, input).then(
        (answer) => {
          throw new Error(`Expected a refusal, found ${JSON.stringify(answer)}`);
        },
        (error) => error,
      ),
    async close() {
      await scheduler.shutdown();
      await drop();
    },
  };
}

async function emptyStore(store: StoreName) {
  if (store === 'memory') return { jobStore: {}, drop: async () => {} };
  if (store === 'sqlite') {
    const file = join(tmpdir(), `quartz-ts-operations-${systemRandom.token(12)}.db`);
    const drop = async () => {
      for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true });
    };
    return { jobStore: { jobStore: { class: 'sqlite', path: file, storeThread: false } }, drop };
  }
  const database = await createDatabase(await sharedServer());
  const jobStore = { class: 'mysql', dataSource: 'main', schema: 'create', storeThread: false };
  return { jobStore: { jobStore, dataSource: { main: { URL: database.url } } }, drop: () => database.drop() };
}
