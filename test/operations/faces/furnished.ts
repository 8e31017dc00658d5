import { join } from 'node:path';
import type { JobExecutionContext, Scheduler } from '../../../src/api/scheduler';
import { OPERATIONS, type OperationName } from '../../../src/operations/operations';
import { perform } from '../../../src/operations/perform';
import { controlOf, type SchedulerControl } from '../../../src/scheduler/control';
import { createScheduler } from '../../../src/scheduler/create-scheduler';
import { DatabaseSync } from '../../support/sqlite';

/* A store that a node has filled with data for every operation. */

export const SCHEDULER = 'Reports';

/** Copies of the store, and the generated names in them. */
export interface Furnished {
  /** Copied while the node executes runs and holds its lease. */
  readonly atWork: string;
  /** Copied after the shutdown of the node. */
  readonly atRest: string;
  readonly known: Known;
}

export interface Known {
  /** Run ids of `failing`, `failing-2`, …, which are dead letters. */
  readonly deadLetters: readonly [string, string, ...string[]];
  /** Group of an unfinished backfill. */
  readonly backfill: string;
  /** Run id of the executing run of `long`. */
  readonly firing: string;
  /** Run id of a run whose job has returned `RETURNED`. */
  readonly returned: string;
}

const SCHEDULE = `
jobs:
  - { name: declared, group: files, type: noop, durable: true }
  - { name: edited, group: files, type: noop, durable: true }
`;

/** Opens a scheduler on a file. No node is considered dead during a test. */
export async function openOn(file: string, instanceId: string): Promise<Scheduler> {
  const jobStore = { class: 'sqlite', path: file, storeThread: false, clusterCheckinInterval: 3_600_000 };
  const config = {
    scheduler: { instanceName: SCHEDULER, instanceId, logLevel: 'silent', timeZone: 'Europe/Berlin' },
    jobStore,
  };
  return createScheduler(config as never, { jobs: JOBS });
}

const untilStopped = ({ signal }: JobExecutionContext) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));

/** Value that the run of the backfill returns. */
export const RETURNED = { rows: 3, files: ['a.csv', null], more: { ok: true } };

const JOBS = {
  noop: async () => RETURNED,
  long: untilStopped,
  part: untilStopped,
  fails: async ({ log }: JobExecutionContext) => {
    log.info('it begins', { rows: 3 });
    throw new Error('The mail server does not answer.');
  },
};

/** Runs a node in a folder until the store contains data for every operation. */
export async function furnish(folder: string): Promise<Furnished> {
  const file = join(folder, 'furnished.db');
  const [atWork, atRest] = [join(folder, 'at-work.db'), join(folder, 'at-rest.db')];
  const scheduler = await openOn(file, 'node-1');
  const act = actingOn(scheduler);
  const job = (name: string, rest: object) =>
    act('jobs.add', { name, group: 'g', durable: true, history: 'all', ...rest });
  const trigger = (name: string, rest: object) =>
    act('triggers.add', { name, group: 'g', timeZone: 'Europe/Berlin', ...rest });
  await act('calendars.add', { name: 'holidays', type: 'annual', excludedDays: ['12-25', '12-26'], timeZone: 'UTC' });
  await act('calendars.add', { name: 'unused', type: 'weekly', excludedDays: ['SUN'], timeZone: 'UTC' });
  await job('daily', { type: 'noop', data: { to: 'ops', password: 'hunter2' }, mustSucceedWithin: 'PT1S' });
  await job('spare', { type: 'noop', description: 'Nobody needs it.' });
  const of = { name: 'daily', group: 'g' };
  await trigger('noon', { job: of, cron: '0 0 12 1 1 ?', calendar: 'holidays', data: { to: 'all' } });
  await trigger('stopped', { job: of, cron: '0 0 6 1 6 ?' });
  await trigger('broken', { job: of, simple: { interval: 'PT24H' }, startAt: '2100-01-01T00:00' });
  await trigger('stuck', { job: of, simple: { interval: 'PT24H' }, startAt: '2100-01-01T00:00' });
  await act('triggers.pause', { name: 'stopped', group: 'g', reason: 'a move', until: '2100-01-01T00:00:00.000Z' });
  await act('schedule.apply', { text: SCHEDULE, file: 'files.yaml' });
  await act('jobs.edit', { name: 'edited', group: 'files', description: 'by hand' });
  for (const name of ['failing', 'failing-2']) await job(name, { type: 'fails', retry: { max: 1, delay: 1 } });
  await job('long', { type: 'long' });
  await job('parts', { type: 'part', spread: { shards: 2 } });
  await scheduler.start();
  for (const name of ['failing', 'failing-2', 'long', 'parts']) await act('jobs.fire', { name, group: 'g' });
  const backfill = (await act('backfills.add', {
    ...{ name: 'noon', group: 'g', spacing: 'PT24H' },
    ...{ from: '2020-01-01T00:00:00.000Z', to: '2025-01-01T00:00:00.000Z' },
  })) as { readonly group: string };
  const found = await until(async () => {
    const deadLetters = (await scheduler.listDeadLetters()).items.map(({ runId }) => runId).sort();
    const firings = await scheduler.listExecutingJobs();
    const parts = await scheduler.listOngoingOccurrences();
    const overdue = await scheduler.listOverdue();
    const firing = firings.find(({ jobKey }) => jobKey.name === 'long')?.runId;
    const [returned] = (await scheduler.listRuns({ job: 'g/daily' })).items;
    const isThere = deadLetters.length === 2 && firings.length === 3 && parts.length > 0 && overdue.length > 0;
    return isThere && firing !== undefined && returned !== undefined
      ? { deadLetters, firing, returned: returned.runId }
      : null;
  });
  copy(file, atWork);
  for (const name of ['long', 'parts']) await act('jobs.interrupt', { name, group: 'g' });
  await scheduler.shutdown({ waitForJobs: true });
  damage(file);
  copy(file, atRest);
  damage(atWork);
  const deadLetters = found.deadLetters as [string, string];
  return {
    atWork,
    atRest,
    known: { deadLetters, backfill: backfill.group, firing: found.firing, returned: found.returned },
  };
}

/** Runs operations as an admin, on this machine. */
export function actingOn(scheduler: Scheduler) {
  const control = controlOf(scheduler) as SchedulerControl;
  const actor = { name: 'ada', role: 'admin', via: 'command', from: null } as const;
  return (name: OperationName, input: object): Promise<unknown> =>
    perform(
      { name, operation: OPERATIONS[name] as never, input },
      { scheduler, control, actor, signal: new AbortController().signal },
    );
}

/** Copies a database that may be written at the same time. */
export function copy(from: string, to: string): void {
  const database = new DatabaseSync(from);
  database.prepare('VACUUM INTO ?').run(to);
  database.close();
}

/** Stores states that only a defect causes, and that the doctor repairs. */
function damage(file: string): void {
  const database = new DatabaseSync(file);
  const state = database.prepare('UPDATE QRTZ_TRIGGERS SET TRIGGER_STATE = ? WHERE TRIGGER_NAME = ?');
  state.run('ERROR', 'broken');
  state.run('BLOCKED', 'stuck');
  database.close();
}

/** Calls `look` until it returns a value. Throws after 30 s. */
export async function until<Found>(look: () => Promise<Found | null>): Promise<Found> {
  const end = Date.now() + 30_000;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (Date.now() > end) throw new Error(`Expected ${look} to find something within 30 s.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
