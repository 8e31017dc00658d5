import { newJob } from '../../src/api/builders/job-builder';
import { newTrigger } from '../../src/api/builders/trigger-builder';
import type { Scheduler } from '../../src/api/scheduler';
import { describeOnAnyServer, sharedServer } from '../support/database/test-database';
import { LocalSchedulers } from './support/local-schedulers';
import { mysqlTables, readRestState, type Tables } from './support/tables';

/** Records the node of each run, and resolves when a number of runs is reached. */
class Runs {
  /** `trigger on node`, in order. */
  readonly all: string[] = [];
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  /** The jobs of a node. */
  of(instanceId: string) {
    return {
      note: ({ trigger }: { readonly trigger: { readonly key: { readonly name: string } } }) => {
        this.all.push(`${trigger.key.name} on ${instanceId}`);
        for (const { count, resolve } of this.#waiting) if (this.all.length >= count) resolve();
      },
    };
  }

  whenThereAre(count: number): Promise<void> {
    if (this.all.length >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }
}

const scheduleNow = (scheduler: Scheduler, name: string) =>
  scheduler.scheduleJob(newJob('note').withIdentity(name).build(), newTrigger().withIdentity(name).startNow().build());

const namesUpTo = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`);

/** Number of triggers that are scheduled before those whose calls are pending when the scheduler stops. */
const FIRST = 5;

const STOPS = {
  shutdown: (scheduler: Scheduler) => scheduler.shutdown({ waitForJobs: true }),
  'shutdown without waiting': (scheduler: Scheduler) => scheduler.shutdown({ waitForJobs: false }),
  standby: (scheduler: Scheduler) => scheduler.standby(),
} as const;

describeOnAnyServer('a trigger that is due at once', () => {
  let tables: Tables;
  let local: LocalSchedulers;
  let runs: Runs;

  beforeAll(async () => {
    tables = await mysqlTables(await sharedServer());
  });

  beforeEach(() => {
    local = new LocalSchedulers(tables);
    runs = new Runs();
  });

  afterEach(async () => {
    await local.shutdown();
    expect(await readRestState(tables, 'local')).toMatchObject({ firedRows: 0, nodes: [], states: {} });
  });

  afterAll(() => tables.drop());

  const start = async (instanceId: string, storeThread = false) => {
    const node = await local.create(instanceId, { jobs: runs.of(instanceId), jobStore: { storeThread } });
    await node.scheduler.start();
    return node;
  };
  const expectRunsOn = (instanceId: string, names: readonly string[]) =>
    expect([...runs.all].sort()).toEqual(names.map((name) => `${name} on ${instanceId}`).sort());

  it('runs once, on the scheduling node, and is mostly fired when it is stored', async () => {
    const { scheduler, events } = await start('a', true);
    await start('b');
    await tables.query('CREATE TABLE STORED_STATES (STATE VARCHAR(16))');
    await tables.query(
      'CREATE TRIGGER NOTE_STATE AFTER INSERT ON QRTZ_TRIGGERS FOR EACH ROW INSERT INTO STORED_STATES VALUES (NEW.TRIGGER_STATE)',
    );
    const names = namesUpTo(200);
    for (const name of names) await scheduleNow(scheduler, name);
    await runs.whenThereAre(names.length);
    await tables.query('DROP TRIGGER NOTE_STATE');
    await local.shutdown();
    expectRunsOn('a', names);
    const stored = await tables.query<{ STATE: string }>('SELECT STATE FROM STORED_STATES');
    expect(stored).toHaveLength(names.length);
    expect(stored.filter(({ STATE }) => STATE === 'COMPLETE').length).toBeGreaterThan(names.length / 2);
    expect(events.filter(({ type }) => type === 'schedulerError')).toEqual([]);
  });

  it('runs on another node if the scheduling node is in standby', async () => {
    const { scheduler } = await start('a');
    await start('b');
    await scheduler.standby();
    const names = namesUpTo(20);
    for (const name of names) await scheduleNow(scheduler, name);
    await runs.whenThereAre(names.length);
    await local.shutdown();
    expectRunsOn('b', names);
  });

  const moments = ['at once', 'when the first is stored', 'when the first has run'] as const;
  it.each(
    moments.flatMap((moment) => (Object.keys(STOPS) as (keyof typeof STOPS)[]).map((stop) => [stop, moment] as const)),
  )('is not lost and runs once if a %s comes %s', async (stop, moment) => {
    const { scheduler } = await start('a', moment === 'when the first is stored');
    const names = namesUpTo(25);
    // One after the other, until the loop has found that no other trigger is due: only then does it offer workers.
    for (const name of names.slice(0, FIRST)) await scheduleNow(scheduler, name);
    await runs.whenThereAre(FIRST);
    const calls = names.slice(FIRST).map((name) => scheduleNow(scheduler, name));
    const settled = Promise.allSettled(calls);
    if (moment === 'when the first is stored') await Promise.race(calls);
    if (moment === 'when the first has run') await runs.whenThereAre(FIRST + 1);
    await STOPS[stop](scheduler);
    const atRest = [...runs.all];
    if (stop === 'standby') {
      expect(scheduler.getCurrentlyExecutingJobs()).toEqual([]);
      expect((await readRestState(tables, 'local')).states).not.toHaveProperty('ACQUIRED');
    }

    const results = await settled;
    const stored = names.filter((_, index) => index < FIRST || results[index - FIRST]?.status === 'fulfilled');
    expect(runs.all).toEqual(atRest);
    const { states } = await readRestState(tables, 'local');
    const left = states.WAITING ?? 0;
    if (stop === 'standby') await scheduler.start();
    else await start('a');
    await runs.whenThereAre(atRest.length + left);
    await local.shutdown();
    expect(new Set(runs.all).size).toBe(runs.all.length);
    expect(runs.all).toEqual(expect.arrayContaining(stored.map((name) => `${name} on a`)));
  });
});
