import { connect, createServer, type Server } from 'node:net';
import { type JobDetail, newJob, newTrigger, type Scheduler, simpleSchedule, type Trigger } from '../../src';
import { controlOf } from '../../src/scheduler/control';
import { describeOnAnyServer, sharedServer } from '../support/database/test-database';
import { IS_LONG } from '../support/long-forms';
import { until } from '../support/until';
import { report } from './support/figures';
import { type Local, LocalSchedulers } from './support/local-schedulers';
import { mysqlTables, type Tables } from './support/tables';
import { pause } from './support/time';

/*
 * Four nodes fire triggers by trains and under the lock, while a fifth scheduler adds, pauses, resumes and deletes triggers. The recorded runs are
 * compared with the schedule: nothing runs twice, is lost or overlaps, no limit and no rate is exceeded, TIMES_TRIGGERED is exact, and no row is
 * left over. The long form takes ten minutes for each delay, on each server.
 */

const SECONDS = IS_LONG ? 600 : 5;
const DELAYS_MS = IS_LONG ? [0, 1] : [1];
const REPEATING = 120;
const INTERVAL_MS = 500;
const ALONE = 8;
const LIMIT = { key: 'three', limit: 3 };
const RATE = { key: 'ten', limit: 10, per: 1_000, burst: 10 };
/** Tolerance between the starts of a rate and their firings. Milliseconds. */
const JITTER_MS = 250;

interface Seen {
  readonly type: string;
  readonly job: string;
  readonly trigger: string;
  readonly scheduled: number;
  readonly fired: number;
  readonly begin: number;
  end: number;
}

const random = (below: number) => Math.floor(Math.random() * below);
const countBy = (seen: readonly Seen[], keyOf: (each: Seen) => string) => {
  const counts = new Map<string, number>();
  for (const each of seen) counts.set(keyOf(each), (counts.get(keyOf(each)) ?? 0) + 1);
  return counts;
};

/** A network that delivers every packet `delay` ms later, each way. Timers of equal length fire in order. */
function slowNetwork(url: string, delay: number): Promise<{ readonly url: string; readonly listener: Server }> {
  const { hostname: host, port } = new URL(url);
  const listener = createServer({ noDelay: true }, (client) => {
    const server = connect({ host, port: Number(port), noDelay: true });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('data', (bytes) => setTimeout(() => to.destroyed || to.write(bytes), delay));
      from.on('close', () => setTimeout(() => to.destroy(), delay)).on('error', () => undefined);
    }
  });
  return new Promise((resolve) => {
    listener.listen(0, '127.0.0.1', () => {
      const slow = new URL(url);
      slow.host = `127.0.0.1:${(listener.address() as { readonly port: number }).port}`;
      resolve({ url: slow.href, listener });
    });
  });
}

/** Adds, pauses, resumes and deletes until `end`. Returns the one-offs that were deleted before they fired. */
async function change(scheduler: Scheduler, end: number): Promise<{ added: Set<string>; deleted: Set<string> }> {
  const added = new Set<string>();
  const deleted = new Set<string>();
  const oneOff = async (type: string, at: number) => {
    const name = `${type}-${added.size}`;
    added.add(name);
    const job = newJob(type).withIdentity(name);
    if (type === 'limited') job.withConcurrency(LIMIT);
    if (type === 'rated') job.withRate(RATE);
    await scheduler.scheduleJob(job.build(), newTrigger().withIdentity(name).startAt(new Date(at)).build());
    return name;
  };
  for (let round = 0; Date.now() < end; round++) {
    const now = Date.now();
    await Promise.all(Array.from({ length: 4 }, () => oneOff('once', now + random(1_000))));
    // More at once than the limit and the rate allow
    if (round % 15 === 0) {
      await Promise.all(Array.from({ length: 6 }, () => oneOff('limited', now)));
      await Promise.all(Array.from({ length: 14 }, () => oneOff('rated', now)));
    }
    if (round % 20 === 0) await Promise.all(Array.from({ length: 100 }, () => oneOff('once', now + 300)));
    const some = `repeating-${random(REPEATING)}`;
    await scheduler.pauseTrigger(some);
    const late = await oneOff('once', now + 60_000);
    if (await scheduler.deleteJob(late)) deleted.add(late);
    await scheduler.resumeTrigger(some);
    await pause(100);
  }
  return { added, deleted };
}

describeOnAnyServer('four nodes that fire both by trains and under the lock', () => {
  let tables: Tables;
  let local: LocalSchedulers;
  let network: Server | null = null;

  beforeEach(async () => {
    tables = await mysqlTables(await sharedServer());
  });
  afterEach(async () => {
    await local.shutdown();
    network?.close();
    await tables.drop();
  });

  it.each(DELAYS_MS)(
    'fire nothing twice, lose no firing and exceed no limit with a network delay of %d ms',
    async (delay) => {
      const { dataSource } = tables.config as { readonly dataSource: { readonly d: { readonly URL: string } } };
      const slow = delay === 0 ? null : await slowNetwork(dataSource.d.URL, delay);
      network = slow?.listener ?? null;
      const url = slow?.url ?? dataSource.d.URL;
      local = new LocalSchedulers({ ...tables, config: { ...tables.config, dataSource: { d: { URL: url } } } });
      const seen: Seen[] = [];
      const run =
        (type: string, takes: number) =>
        async (context: {
          readonly jobDetail: { readonly key: { readonly name: string } };
          readonly trigger: { readonly key: { readonly name: string } };
          readonly scheduledFireTime: Date;
          readonly fireTime: Date;
        }) => {
          const each: Seen = {
            type,
            job: context.jobDetail.key.name,
            trigger: context.trigger.key.name,
            scheduled: context.scheduledFireTime.getTime(),
            fired: context.fireTime.getTime(),
            begin: performance.now(),
            end: Number.POSITIVE_INFINITY,
          };
          seen.push(each);
          if (takes > 0) await pause(takes);
          each.end = performance.now();
        };
      const jobs = {
        once: run('once', 0),
        repeating: run('repeating', 0),
        alone: run('alone', 15),
        limited: run('limited', 40),
        rated: run('rated', 0),
      };
      const nodes: Local[] = [];
      for (const name of ['n1', 'n2', 'n3', 'n4']) nodes.push(await local.create(name, { jobs }));
      const client = await local.create('client', { jobs });
      const every = simpleSchedule().withIntervalInMilliseconds(INTERVAL_MS).repeatForever();
      every.withMisfireHandlingInstructionIgnoreMisfires();
      const start = Math.ceil(Date.now() / 1_000) * 1_000 + 1_000;
      const stored = Array.from({ length: REPEATING }, (_, index) => {
        const name = `repeating-${index}`;
        const at = new Date(start + Math.floor((index * INTERVAL_MS) / REPEATING));
        const trigger = newTrigger().withIdentity(name).startAt(at).withSchedule(every).build();
        return [newJob('repeating').withIdentity(name).build(), [trigger]] as const;
      });
      const alone = Array.from({ length: ALONE }, (_, index) => {
        const triggers = ['a', 'b'].map((part) =>
          newTrigger().withIdentity(`alone-${index}-${part}`).startAt(new Date(start)).withSchedule(every).build(),
        );
        return [
          newJob('alone').withIdentity(`alone-${index}`).disallowConcurrentExecution().build(),
          triggers,
        ] as const;
      });
      await client.scheduler.scheduleJobs(new Map<JobDetail, readonly Trigger[]>([...stored, ...alone]), {
        replace: false,
      });
      await Promise.all(nodes.map(({ scheduler }) => scheduler.start()));
      const { added, deleted } = await change(client.scheduler, start + SECONDS * 1_000);

      // Waits for all due triggers, and then stops the nodes.
      const oneOffs = [...added].filter((name) => !deleted.has(name));
      const missing = () => {
        const ran = new Set(seen.map(({ job }) => job));
        return oneOffs.filter((name) => !ran.has(name)).slice(0, 3);
      };
      await until(missing, (names) => names.length === 0);
      const activity = await Promise.all(nodes.map(({ scheduler }) => controlOf(scheduler)?.readStoreActivity()));
      await Promise.all(nodes.map(({ scheduler }) => scheduler.standby()));
      await until(
        () => tables.query<{ count: number }>('SELECT COUNT(*) AS count FROM QRTZ_FIRED_TRIGGERS'),
        ([row]) => Number(row?.count) === 0,
      );

      const trained = activity.reduce((sum, each) => sum + (each?.trains.fired ?? 0), 0);
      report(`${seen.length} runs, ${trained} by trains, ${added.size} one-offs, ${deleted.size} deleted`);
      expect(trained).toBeGreaterThan(seen.length / 2);
      const twice = [...countBy(seen, ({ trigger, scheduled }) => `${trigger} ${scheduled}`)].filter(([, n]) => n > 1);
      expect(twice).toEqual([]);
      expect(seen.filter(({ job }) => deleted.has(job))).toEqual([]);
      for (const type of ['once', 'limited', 'rated']) {
        expect(seen.filter((each) => each.type === type)).toHaveLength(
          oneOffs.filter((n) => n.startsWith(type)).length,
        );
      }
      expectNoneTogether(seen.filter(({ type }) => type === 'alone'));
      expect(mostTogether(seen.filter(({ type }) => type === 'limited'))).toBeLessThanOrEqual(LIMIT.limit);
      const rated = seen
        .filter(({ type }) => type === 'rated')
        .map(({ fired }) => fired)
        .sort((a, b) => a - b);
      const tooNear = rated.filter((at, index) => at - (rated[index - RATE.limit] ?? -RATE.per) < RATE.per - JITTER_MS);
      expect(tooNear).toEqual([]);
      await expectCounted(tables, seen);
      for (const { events } of nodes) expect(events.filter(({ type }) => type === 'schedulerError')).toEqual([]);
    },
    (SECONDS + 60) * 1_000,
  );
});

/** Expects the runs of each job not to overlap. */
function expectNoneTogether(seen: readonly Seen[]): void {
  const last = new Map<string, Seen>();
  for (const each of [...seen].sort((a, b) => a.begin - b.begin)) {
    expect(each.begin).toBeGreaterThanOrEqual(last.get(each.job)?.end ?? 0);
    last.set(each.job, each);
  }
}

function mostTogether(seen: readonly Seen[]): number {
  return Math.max(0, ...seen.map(({ begin }) => seen.filter((each) => each.begin <= begin && each.end > begin).length));
}

/** Expects each repeating trigger to have fired at each fire time before its next one, and to have counted the firings. */
async function expectCounted(tables: Tables, seen: readonly Seen[]): Promise<void> {
  const runs = countBy(seen, ({ trigger }) => trigger);
  const rows = await tables.query<{ name: string; state: string; fired: number; next: number; start: number }>(
    `SELECT t.TRIGGER_NAME AS name, t.TRIGGER_STATE AS state, s.TIMES_TRIGGERED AS fired, t.NEXT_FIRE_TIME AS next, t.START_TIME AS start
     FROM QRTZ_TRIGGERS AS t JOIN QRTZ_SIMPLE_TRIGGERS AS s USING (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP)`,
  );
  expect(rows).toHaveLength(REPEATING + 2 * ALONE);
  for (const { name, state, fired, next, start } of rows) {
    const count = runs.get(name) ?? 0;
    expect({ name, state, fired: Number(fired), times: (Number(next) - Number(start)) / INTERVAL_MS }).toEqual({
      ...{ name, state: 'WAITING', fired: count, times: count },
    });
  }
}
