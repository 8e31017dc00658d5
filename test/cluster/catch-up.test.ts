import { newJob, newTrigger, simpleSchedule } from '../../src';
import type { JobExecutionContext, Scheduler } from '../../src/api/scheduler';
import { type Clock, SystemClock } from '../../src/base/clock';
import { describeOnFileAndServer } from './support/engines';
import { type Local, LocalSchedulers } from './support/local-schedulers';
import type { Tables } from './support/tables';

/** Of the jobs, and of the trigger of each. */
const NAMES = Array.from({ length: 12 }, (_, index) => `job-${String(index).padStart(2, '0')}`);
const INTERVAL = 20 * 60_000;
/** How many times of each trigger are run: the newest of twice as many that were missed. */
const TIMES = 5;
const PATIENCE = 60_000;

/** Each of the times from this one on, once for each job. */
const runsFrom = (first: number) =>
  NAMES.flatMap((name) =>
    Array.from({ length: TIMES }, (_, index) => `${name} ${new Date(first + index * INTERVAL).toISOString()}`),
  );

/** Of a node that was there that long ago. */
function clockBehind(milliseconds: number): Clock {
  const clock = new SystemClock();
  return {
    now: () => clock.now() - milliseconds,
    monotonic: () => clock.monotonic(),
    sleepUntil: (time, signal) => clock.sleepUntil(time + milliseconds, signal),
  };
}

/** Nodes that start together after nobody was there for a while sweep the same misfired triggers at once. */
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
    'catch up what was missed once',
    async () => {
      const missed = 2 * TIMES;
      const startTime = Date.now() - missed * INTERVAL + INTERVAL / 2;
      // Stored at the first of the times, by a node that is gone: a schedule has missed nothing from before it was stored.
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
    'run each time of a backfill once, whichever of them stored it',
    async () => {
      // All of the times are past: what is to come is the schedule's own.
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
