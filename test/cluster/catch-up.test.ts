import { newJob, newTrigger, simpleSchedule } from '../../src';
import type { JobExecutionContext, Scheduler } from '../../src/api/scheduler';
import { type Clock, SystemClock } from '../../src/base/clock';
import { describeOnFileAndServer } from './support/engines';
import { type Local, LocalSchedulers } from './support/local-schedulers';
import type { Tables } from './support/tables';

/** Names of the jobs and of their triggers. */
const NAMES = Array.from({ length: 12 }, (_, index) => `job-${String(index).padStart(2, '0')}`);
const INTERVAL = 20 * 60_000;
/** Number of fire times that run for each trigger: the newest half of the missed ones. */
const TIMES = 5;
const PATIENCE = 60_000;

/** TIMES fire times from the first one, for each job. */
const runsFrom = (first: number) =>
  NAMES.flatMap((name) =>
    Array.from({ length: TIMES }, (_, index) => `${name} ${new Date(first + index * INTERVAL).toISOString()}`),
  );

/** The clock of a node in the past. */
function clockBehind(milliseconds: number): Clock {
  const clock = new SystemClock();
  return {
    now: () => clock.now() - milliseconds,
    monotonic: () => clock.monotonic(),
    sleepUntil: (time, signal) => clock.sleepUntil(time + milliseconds, signal),
  };
}

/** Nodes that start together after a time without nodes sweep the same misfired triggers concurrently. */
describeOnFileAndServer((newTables) => {
  let tables: Tables;
  let local: LocalSchedulers;
  let nodes: readonly Local[];
  let runs: string[];
  let all: Promise<void>;

  beforeEach(async () => {
    tables = await newTables();
    local = new LocalSchedulers(tables);
    runs = [];
    let done = () => {};
    all = new Promise((resolve) => {
      done = resolve;
    });
    const work = async ({ jobDetail, scheduledFireTime }: JobExecutionContext) => {
      runs.push(`${jobDetail.key.name} ${scheduledFireTime.toISOString()}`);
      if (runs.length === NAMES.length * TIMES) done();
    };
    const options = { jobs: { work }, jobStore: { storeThread: false } };
    nodes = [await local.create('n1', options), await local.create('n2', options)];
  });
  afterEach(async () => {
    await local.shutdown();
    await tables.drop();
  });

  const start = () => Promise.all(nodes.map(({ scheduler }) => scheduler.start()));

  async function scheduleAll(scheduler: Scheduler, startTime: number, catchUp: { readonly max: number } | null) {
    for (const name of NAMES) {
      const every = simpleSchedule().withIntervalInMilliseconds(INTERVAL).repeatForever();
      const trigger = newTrigger().withIdentity(name).withSchedule(every).startAt(new Date(startTime));
      await scheduler.scheduleJob(newJob('work').withIdentity(name).build(), trigger.withCatchUp(catchUp).build());
    }
  }

  it(
    'nodes that start together catch up missed fire times once',
    async () => {
      const missed = 2 * TIMES;
      const startTime = Date.now() - missed * INTERVAL + INTERVAL / 2;
      // Stored by an earlier node at the first fire time, because fire times before a schedule was stored are not missed.
      const clock = clockBehind(Date.now() - startTime);
      const before = await local.create('n0', { jobs: { work: async () => {} }, assemble: { clock } });
      await scheduleAll(before.scheduler, startTime, { max: TIMES });
      await before.scheduler.shutdown();
      await start();
      await all;
      await local.shutdown();
      expect(runs.sort()).toEqual(runsFrom(startTime + (missed - TIMES) * INTERVAL));
      const misfired = nodes.flatMap(({ events }) => events.filter(({ type }) => type === 'triggerMisfired'));
      expect(misfired).toHaveLength(NAMES.length);
      const left = "SELECT TRIGGER_NAME FROM QRTZ_TRIGGERS WHERE TRIGGER_GROUP LIKE 'BACKFILL%'";
      expect(await tables.query(left)).toEqual([]);
    },
    PATIENCE,
  );

  it(
    'nodes run each fire time of a backfill once, whichever node stored it',
    async () => {
      // All fire times of the backfill are past; future ones belong to the schedule.
      const startTime = Date.now() - (TIMES + 0.5) * INTERVAL;
      await scheduleAll((nodes[0] as Local).scheduler, startTime, null);
      await start();
      const between = { from: new Date(startTime), to: new Date(startTime + TIMES * INTERVAL) };
      const makerOf = (index: number) => (nodes[index % 2] as Local).scheduler;
      await Promise.all(NAMES.map((name, index) => makerOf(index).backfill(name, between)));
      await all;
      await local.shutdown();
      expect(runs.sort()).toEqual(runsFrom(startTime));
    },
    PATIENCE,
  );
});
