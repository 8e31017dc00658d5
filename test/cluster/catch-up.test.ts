import { newJob, newTrigger, simpleSchedule } from '../../src';
import type { JobExecutionContext } from '../../src/api/scheduler';
import { describeOnEngines } from './support/engines';
import { type Local, LocalSchedulers } from './support/local-schedulers';
import type { Tables } from './support/tables';

const TRIGGERS = 12;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Of each trigger: the newest of more that were missed. */
const CAUGHT_UP = 5;
const EXPECTED = TRIGGERS * CAUGHT_UP;
const PATIENCE = 60_000;

/** Nodes that start together after nobody was there for a while sweep the same misfired triggers at once. */
describeOnEngines((newTables) => {
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
      if (runs.length === EXPECTED) done();
    };
    const options = { jobs: { work }, jobStore: { storeThread: false } };
    nodes = [await local.create('n1', options), await local.create('n2', options)];
  });
  afterEach(async () => {
    await local.shutdown();
    await tables.drop();
  });

  const start = () => Promise.all(nodes.map(({ scheduler }) => scheduler.start()));
  const first = () => (nodes[0] as Local).scheduler;

  async function scheduleAll(startTime: number, catchUp: { readonly max: number } | null) {
    for (let index = 0; index < TRIGGERS; index++) {
      const name = `job-${String(index).padStart(2, '0')}`;
      const every = simpleSchedule().withIntervalInMinutes(20).repeatForever();
      const trigger = newTrigger().withIdentity(name).withSchedule(every).startAt(new Date(startTime));
      await first().scheduleJob(newJob('work').withIdentity(name).build(), trigger.withCatchUp(catchUp).build());
    }
  }

  const times = (from: number, count: number) =>
    Array.from({ length: TRIGGERS }, (_, index) =>
      Array.from({ length: count }, (_, time) => {
        const at = new Date(from + time * 20 * MINUTE).toISOString();
        return `job-${String(index).padStart(2, '0')} ${at}`;
      }),
    ).flat();

  it(
    'catch up what was missed once',
    async () => {
      // Missed: 3 h ago, 2 h 40 min ago … 10 min ago; the next time is in 10 minutes.
      const startTime = Date.now() - 3 * HOUR - 10 * MINUTE;
      await scheduleAll(startTime, { max: CAUGHT_UP });
      await start();
      await all;
      await local.shutdown();
      expect(runs.sort()).toEqual(times(startTime + 9 * 20 * MINUTE - (CAUGHT_UP - 1) * 20 * MINUTE, CAUGHT_UP));
      const misfired = nodes.flatMap(({ events }) => events.filter(({ type }) => type === 'triggerMisfired'));
      expect(misfired).toHaveLength(TRIGGERS);
      const left = "SELECT TRIGGER_NAME FROM QRTZ_TRIGGERS WHERE TRIGGER_GROUP LIKE 'BACKFILL%'";
      expect(await tables.query(left)).toEqual([]);
    },
    PATIENCE,
  );

  it(
    'run each time of a backfill once',
    async () => {
      const startTime = Date.now() + HOUR;
      await scheduleAll(startTime, null);
      await start();
      const to = new Date(startTime + CAUGHT_UP * 20 * MINUTE);
      const name = (index: number) => `job-${String(index).padStart(2, '0')}`;
      const node = (index: number) => (nodes[index % 2] as Local).scheduler;
      const from = new Date(startTime);
      await Promise.all(runsOf(TRIGGERS).map((index) => node(index).backfill(name(index), { from, to })));
      await all;
      await local.shutdown();
      expect(runs.sort()).toEqual(times(startTime, CAUGHT_UP));
    },
    PATIENCE,
  );
});

const runsOf = (count: number) => Array.from({ length: count }, (_, index) => index);
