import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { newJob } from '../../src/api/builders/job-builder';
import { newTrigger } from '../../src/api/builders/trigger-builder';
import type { JobExecutionContext } from '../../src/api/scheduler';
import { type Clock, SystemClock } from '../../src/base/clock';
import { jobKey } from '../../src/domain/keys';
import { createDatabase, describeOnAnyServer, sharedServer } from '../support/database/test-database';
import { memoryFolder } from '../support/memory-folder.cjs';
import { proves } from '../support/proves';
import { until } from '../support/until';
import { LocalSchedulers } from './support/local-schedulers';
import { mysqlTables, readRestState, sqliteTables, type Tables } from './support/tables';

/** A job that reports its start, and ends when `end` is called. */
function held() {
  const contexts: JobExecutionContext[] = [];
  let begun = () => {};
  let end = () => {};
  const released = new Promise<void>((resolve) => {
    end = resolve;
  });
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const job = async (context: JobExecutionContext) => {
    contexts.push(context);
    begun();
    await released;
  };
  return { job, contexts, hasBegun, end };
}

/** A job that ends when its signal aborts. */
function interruptible() {
  let begun = () => {};
  let wasAborted = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const aborted = new Promise<void>((resolve) => {
    wasAborted = resolve;
  });
  const job = async ({ signal }: JobExecutionContext) => {
    begun();
    await new Promise<void>((done) => signal.addEventListener('abort', () => done()));
    wasAborted();
  };
  return { job, hasBegun, aborted };
}

/** A clock that is ahead of the system clock. */
function clockAhead(milliseconds: number): Clock {
  const clock = new SystemClock();
  return {
    now: () => clock.now() + milliseconds,
    monotonic: () => clock.monotonic(),
    sleepUntil: (time, signal) => clock.sleepUntil(time - milliseconds, signal),
  };
}

const QUICKLY = { clusterCheckinInterval: 500, clusterCheckinGrace: 500 };

const soon = (name: string) => newTrigger().withIdentity(name).startNow().build();

/** Settings for tests that do not need a store thread: without it, they take half the time. */
const IN_MAIN_THREAD = { jobStore: { storeThread: false } } as const;

/** `storeThread`: default of tests that do not set it. */
function describeSchedulers(name: string, create: () => Promise<Tables>, storeThread: boolean): void {
  describe(`schedulers on ${name}`, () => {
    let tables: Tables;
    let local: LocalSchedulers;

    beforeAll(async () => {
      tables = await create();
    });

    beforeEach(() => {
      local = new LocalSchedulers(tables, storeThread);
    });

    afterEach(async () => {
      await local.shutdown();
      expect(await readRestState(tables, 'local')).toMatchObject({ firedRows: 0, nodes: [] });
    });

    afterAll(() => tables.drop());

    it.each([[true], [false]])('fire, complete and leave no rows behind (storeThread: %p)', async (storeThread) => {
      const { job, hasBegun, end, contexts } = held();
      const { scheduler, events, seen } = await local.create('a', { jobs: { held: job }, jobStore: { storeThread } });
      await scheduler.start();
      await scheduler.scheduleJob(newJob('held').withIdentity('job').build(), soon('trigger'));
      await hasBegun;
      expect(await readRestState(tables, 'local')).toMatchObject({ firedRows: 1, nodes: ['a'] });
      end();
      await seen('triggerCompleted');
      expect(contexts).toHaveLength(1);
      expect(scheduler.getMetaData().jobStore).toMatchObject({ persistent: true, clustered: true });
      await local.shutdown();
      expect(events.filter(({ type }) => type === 'schedulerError')).toEqual([]);
      expect(await readRestState(tables, 'local')).toMatchObject({ firedRows: 0, nodes: [], states: {} });
    });

    it('store jobs and triggers for the next scheduler', async () => {
      const first = await local.create('a', IN_MAIN_THREAD);
      await first.scheduler.scheduleJob(newJob('later').withIdentity('kept').build(), soon('kept'), {
        registeredLater: true,
      });
      await local.shutdown();

      const { job, hasBegun, end } = held();
      const { scheduler } = await local.create('a', { jobs: { later: job }, ...IN_MAIN_THREAD });
      await scheduler.start();
      await hasBegun;
      end();
    });

    it('with the same name are nodes of one cluster, and with different names are independent', async () => {
      const { job, hasBegun, end, contexts } = held();
      const here = await local.create('a', { jobs: { held: job }, ...IN_MAIN_THREAD });
      const there = await local.create('b', { jobs: { other: async () => {} }, ...IN_MAIN_THREAD });
      const elsewhere = { scheduler: { instanceName: 'apart' }, ...IN_MAIN_THREAD };
      const apart = await local.create('a', { jobs: { held: job }, ...elsewhere });
      for (const { scheduler } of [here, there, apart]) await scheduler.start();
      await there.scheduler.scheduleJob(newJob('held').withIdentity('job').build(), soon('trigger'));
      await hasBegun;
      expect(await readRestState(tables, 'local')).toMatchObject({ nodes: ['a', 'b'] });
      expect(await readRestState(tables, 'apart')).toMatchObject({ nodes: ['a'], firedRows: 0, states: {} });
      expect(contexts[0]?.scheduler.getSchedulerName()).toBe('local');
      expect((await apart.scheduler.listJobs()).items).toHaveLength(0);
      await apart.scheduler.clear();
      expect(await there.scheduler.getJobDetail('job')).toMatchObject({ jobType: 'held' });
      end();
    });

    it('refuse to start with the instance id of a live node', async () => {
      proves('errors', 'INSTANCE_ID_TAKEN');
      // Long enough that a live node is not considered dead on a busy machine.
      const jobStore = { clusterCheckinInterval: 1_000, clusterCheckinGrace: 4_000 };
      const first = await local.create('same', { jobStore });
      await first.scheduler.start();
      const second = await local.create('same', { jobStore: { storeThread: false } });
      await expect(second.scheduler.start()).rejects.toMatchObject({ code: 'INSTANCE_ID_TAKEN' });
      expect(first.events.filter(({ type }) => type === 'nodeFenced')).toEqual([]);
    });

    it('with a wrong clock fire nothing while a Java node is in the cluster', async () => {
      const inAnHour = Date.now() + 3_600_000;
      const javaNode = "SCHED_NAME = 'local' AND INSTANCE_NAME = 'java'";
      const { job, hasBegun, end, contexts } = held();
      const assemble = { clock: clockAhead(10_000) };
      const { scheduler, events, seen } = await local.create('a', { jobs: { held: job }, jobStore: QUICKLY, assemble });
      await tables.query(`INSERT INTO QRTZ_SCHEDULER_STATE VALUES ('local', 'java', ${inAnHour}, 7500)`);
      await scheduler.start();
      await scheduler.scheduleJob(newJob('held').withIdentity('job').build(), soon('trigger'));
      expect(await seen('clockUnsafe')).toMatchObject({ instanceId: 'a' });
      expect(events.map(({ type }) => type)).not.toContain('clockSafe');
      expect(contexts).toEqual([]);
      await tables.query(`DELETE FROM QRTZ_SCHEDULER_STATE WHERE ${javaNode}`);
      await hasBegun;
      expect(events.map(({ type }) => type)).toContain('clockSafe');
      end();
    });

    it('whose store thread has crashed abort their jobs, refuse calls, and can still be shut down', async () => {
      const { job, hasBegun, aborted } = interruptible();
      const storeThreadEntry = join(__dirname, '../support/threads/crashing-store.cjs');
      const dying = await local.create('a', {
        jobs: { long: job },
        jobStore: { ...QUICKLY, storeThread: true },
        assemble: { storeThreadEntry },
      });
      await dying.scheduler.start();
      await dying.scheduler.scheduleJob(newJob('long').withIdentity('long').build(), soon('trigger'));
      await hasBegun;
      await expect(dying.scheduler.getCalendar('crash')).rejects.toMatchObject({ code: 'STORE_FAILURE' });
      await aborted;
      expect(await dying.seen('schedulerError')).toMatchObject({ error: { message: /a mistake in the store/ } });
      await expect(dying.scheduler.getTriggerGroupNames()).rejects.toMatchObject({ code: 'STORE_FAILURE' });
      await dying.scheduler.shutdown({ waitForJobs: true, deadline: 500 });

      const next = await local.create('a', { jobs: { long: async () => {} }, jobStore: QUICKLY });
      await next.scheduler.start();
      await next.scheduler.clear();
    });

    it('list, interrupt and pause the work of other nodes', async () => {
      const { job, hasBegun, aborted } = interruptible();
      const here = await local.create('a', { jobs: { long: job } });
      const there = await local.create('b');
      await here.scheduler.start();
      await there.scheduler.start();
      await there.scheduler.scheduleJob(newJob('long').withIdentity('long').build(), soon('trigger'));
      await hasBegun;
      const [firing] = await there.scheduler.listExecutingJobs();
      expect(firing).toMatchObject({ instanceId: 'a', jobKey: jobKey('long'), isRecovering: false });
      expect(firing?.fireTime).toBeInstanceOf(Date);
      expect(await there.scheduler.interrupt('long')).toBe(true);
      await aborted;
      await here.seen('triggerCompleted');
      expect(await there.scheduler.listExecutingJobs()).toEqual([]);
      expect(await there.scheduler.interrupt('long')).toBe(false);
      await there.scheduler.pauseAll();
      await there.scheduler.resumeAll();
    });

    it.each(['job', 'run'])('interrupt a %s that waits for a listener before it begins', async (selected) => {
      const { job, aborted } = interruptible();
      const { scheduler, seen } = await local.create('a', { jobs: { long: job } });
      let letBegin = () => {};
      const mayBegin = new Promise<void>((resolve) => {
        letBegin = resolve;
      });
      const hasFired = new Promise<void>((resolve) => {
        const jobToBeExecuted = () => {
          resolve();
          return mayBegin;
        };
        scheduler.getListenerManager().addJobListener({ name: 'slow', jobToBeExecuted });
      });
      await scheduler.start();
      await scheduler.scheduleJob(newJob('long').withIdentity('long').build(), soon('trigger'));
      await hasFired;
      const [firing] = await scheduler.listExecutingJobs();
      const runId = firing?.runId ?? '';
      const interrupted = selected === 'job' ? scheduler.interrupt('long') : scheduler.interruptRun(runId);
      await scheduler.listExecutingJobs();
      letBegin();
      expect(await interrupted).toBe(true);
      await aborted;
      await seen('triggerCompleted');
    });

    it('show the progress and the log lines of runs on other nodes', async () => {
      const { job, contexts, hasBegun, end } = held();
      const here = await local.create('a', { jobs: { long: job } });
      const there = await local.create('b');
      await here.scheduler.start();
      await there.scheduler.start();
      await there.scheduler.scheduleJob(
        newJob('long').withIdentity('long').withHistory('all').build(),
        soon('trigger'),
      );
      await hasBegun;
      const [context] = contexts;
      const lines: string[] = [];
      let onSecond = () => {};
      const hasTwo = new Promise<void>((resolve) => {
        onSecond = resolve;
      });
      context?.log.info('one');
      context?.log.info('two');
      context?.progress(0.5, 'half');
      const tailing = there.scheduler.tailRun(context?.runId ?? '', ({ message }) => {
        if (lines.push(message) === 2) onSecond();
      });
      await hasTwo;
      const [firing] = await there.scheduler.listExecutingJobs();
      expect(firing?.progress).toMatchObject({ fraction: 0.5, message: 'half' });
      context?.log.info('three');
      end();
      await here.seen('triggerCompleted');
      expect(await tailing).toBe(true);
      expect(lines).toEqual(['one', 'two', 'three']);
      expect(await there.scheduler.listExecutingJobs()).toEqual([]);
    });

    it('show when and by whom runs on other nodes were interrupted, during the run and afterwards', async () => {
      const { job, contexts, hasBegun, end } = held();
      const here = await local.create('a', { jobs: { long: job } });
      const there = await local.create('b');
      await here.scheduler.start();
      await there.scheduler.start();
      await there.scheduler.scheduleJob(
        newJob('long').withIdentity('long').withHistory('all').build(),
        soon('trigger'),
      );
      await hasBegun;
      const runId = contexts[0]?.runId ?? '';
      const interruption = { at: expect.any(Date), by: 'ann' };
      expect(await there.scheduler.interruptRun(runId, { by: 'ann' })).toBe(true);
      const isSet = (value: unknown) => value !== null && value !== undefined;
      const shown = await until(async () => (await there.scheduler.listExecutingJobs())[0]?.interruption, isSet);
      expect(shown).toEqual(interruption);
      end();
      await here.seen('triggerCompleted');
      expect(await until(() => there.scheduler.getRun(runId), isSet)).toMatchObject({ interruption });
    });

    it('list the nodes with their job types, and refuse a job type that no node has', async () => {
      const here = await local.create('here', { jobs: { mail: async () => {} }, ...IN_MAIN_THREAD });
      const there = await local.create('there', { jobs: { report: async () => {} }, ...IN_MAIN_THREAD });
      await here.scheduler.start();
      await there.scheduler.start();
      const nodes = await here.scheduler.listNodes();
      expect(nodes).toMatchObject([
        { instanceId: 'here', isThisNode: true, isJava: false, state: 'alive', jobTypes: ['mail'] },
        { instanceId: 'there', isThisNode: false, isJava: false, state: 'alive', jobTypes: ['report'] },
      ]);
      for (const { lastCheckInTime, leaseUntil } of nodes) {
        expect(leaseUntil?.getTime()).toBeGreaterThan(lastCheckInTime?.getTime() ?? Number.NaN);
      }
      const stored = newJob('report').withIdentity('stored').storeDurably();
      await here.scheduler.addJob(stored.build());
      await expect(here.scheduler.addJob(stored.ofType('raport').build(), { replace: true })).rejects.toThrow(
        "Did you mean 'report'?",
      );
      await here.scheduler.clear();
    });

    it('are not nodes while they only store jobs', async () => {
      const { scheduler } = await local.create('standby', IN_MAIN_THREAD);
      const stored = newJob('x').withIdentity('stored').storeDurably().build();
      await expect(scheduler.addJob(stored)).rejects.toMatchObject({ code: 'UNKNOWN_JOB_TYPE' });
      await scheduler.addJob(stored, { registeredLater: true });
      expect(await scheduler.getJobDetail('stored')).not.toBeNull();
      expect(await readRestState(tables, 'local')).toMatchObject({ nodes: [] });
      await scheduler.clear();
    });
  });
}

describeSchedulers(
  'SQLite',
  async () => {
    const folder = memoryFolder('quartz-local-');
    const tables = sqliteTables(join(folder, 'quartz.db'));
    const drop = async () => {
      await tables.drop();
      rmSync(folder, { recursive: true, force: true });
    };
    return { ...tables, drop };
  },
  false,
);

describeOnAnyServer('on a server', () => {
  describeSchedulers('a server', async () => mysqlTables(await sharedServer()), true);

  it('a scheduler without tables names the command that creates them', async () => {
    proves('errors', 'SCHEMA_MISMATCH');
    const database = await createDatabase(await sharedServer());
    const tables = {
      kind: 'mysql',
      config: { jobStore: { class: 'mysql', dataSource: 'd' }, dataSource: { d: { URL: database.url } } },
    } as unknown as Tables;
    const local = new LocalSchedulers(tables);
    const creating = local.create('a', { jobStore: { schema: 'validate' } });
    await expect(creating).rejects.toMatchObject({ code: 'SCHEMA_MISMATCH' });
    await expect(creating).rejects.toThrow(/quartz migrate --apply/);
    await database.drop();
  });
});
