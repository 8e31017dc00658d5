import { join } from 'node:path';
import type { Scheduler } from '../../../src/api/scheduler';
import { SCHED_NAME } from '../../cluster/support/cluster';
import { quartz } from '../../cluster/support/quartz';
import { now, pause } from '../../cluster/support/time';
import { judgePolicies } from '../checker/policies';
import type { EndedRun, JudgedKind, ScheduledKind } from '../checker/policy-facts';
import { readRest } from '../checker/rest';
import type { Outcome, OwnScenario, RunOptions } from '../scenario';
import type { Fleet } from '../world/fleet';
import { UNLIMITED, withFleet } from '../world/stage';
import { GROUP, GROUP_LIMITS, KINDS, PLACES, type PolicyKind } from './policy-kinds';
import { everyTime, strike, untilDone, untilSo } from './strike';

/*
 * Policies of jobs on different nodes: where, when, how often and how long they run, and with which data.
 */

const moreJobs = join(__dirname, 'policy-jobs.cjs');
const LEAD = 1_500;
const SECOND = 1_000;
/** The schedule with an `H`: every two seconds, beginning at the second that the hash gives. */
const HASHED: JudgedKind = { name: 'hashed', jobs: 1, ends: { before: null, last: ['succeeded'] } };
const HASHED_INTERVAL = 2_000;
const BACKFILLED: JudgedKind = { name: 'backfilled', jobs: 1, ends: { before: null, last: ['succeeded'] } };
const BACKFILLS = 20;
const MINUTE = 60_000;
const DAY = 86_400_000;
/** Maximum time for reports after the last run, because a node checks overdue jobs from 3.5 s after its start on. */
const TELLING_PATIENCE = 15_000;

/** Lateness from which firings are reported. Milliseconds. */
const LATE_AFTER = 1_000;

const SETTINGS = {
  alerts: { lateAfter: LATE_AFTER },
  jobStore: {
    ...UNLIMITED,
    misfireThreshold: 1_500,
    groupLimits: { [GROUP]: GROUP_LIMITS.inCluster },
  },
  threadPool: { threadCount: 25, groupLimits: { [GROUP]: GROUP_LIMITS.onNode } },
};

async function storeKind(scheduler: Scheduler, kind: PolicyKind & ScheduledKind): Promise<void> {
  const { newJob, newTrigger, simpleSchedule } = quartz();
  const { name, jobs, times, type = 'plain', interval = SECOND, data = {}, group, catchesUp = false } = kind;
  for (let index = 0; index < jobs; index++) {
    const job = newJob(type)
      .withIdentity(`${name}-${index}`, group)
      .usingJobData(data)
      .requestRecovery()
      .withHistory('all');
    kind.job?.(job);
    const schedule = simpleSchedule()
      .withIntervalInMilliseconds(interval)
      .withRepeatCount(times.length - 1);
    if (!catchesUp) schedule.withMisfireHandlingInstructionIgnoreMisfires();
    const trigger = newTrigger()
      .withIdentity(`${name}-${index}`)
      .startAt(new Date(times[0] as number));
    if (catchesUp) trigger.withCatchUp({ window: DAY, max: 1_000 });
    kind.trigger?.(trigger);
    await scheduler.scheduleJob(job.build(), [trigger.withSchedule(schedule).build()], { registeredLater: true });
  }
}

/** Stores the schedule with an `H`, which fires every two seconds. */
function storeHashed(scheduler: Scheduler, from: number, to: number): Promise<unknown> {
  return scheduler.schedule('hashed-0', {
    cron: 'H/2 * * * * ?',
    ...{ startAt: new Date(from), endAt: new Date(to - 1), misfire: 'all' },
    ...{ history: 'all', requestsRecovery: true, registeredLater: true },
  });
}

/** Stores a backfill of past fire times, and deletes its trigger. */
async function storeBackfill(scheduler: Scheduler): Promise<readonly number[]> {
  const { cronSchedule, newJob, newTrigger } = quartz();
  const to = Math.floor(now() / MINUTE) * MINUTE;
  const from = to - BACKFILLS * MINUTE;
  const job = newJob('plain').withIdentity('backfilled-0').requestRecovery().withHistory('all');
  const trigger = newTrigger()
    .withIdentity('backfilled-0')
    .startAt(new Date(to + DAY));
  const schedule = cronSchedule('0 * * * * ?').inTimeZone('UTC');
  await scheduler.scheduleJob(job.build(), [trigger.withSchedule(schedule).build()], { registeredLater: true });
  await scheduler.backfill('backfilled-0', { from: new Date(from), to: new Date(to), spacing: 300 });
  await scheduler.unscheduleJob({ name: 'backfilled-0', group: 'DEFAULT' });
  return everyTime(from, BACKFILLS, MINUTE);
}

/** Expected fire times of the `H`: its first second is taken from the first run, and all others follow from it. */
function hashedTimes(ended: readonly EndedRun[], from: number, to: number): readonly number[] {
  const first = Math.min(...ended.filter(({ job }) => job === 'hashed-0').map(({ time }) => time));
  const phase = (first - from) % HASHED_INTERVAL;
  return everyTime(from + phase, Math.ceil((to - from - phase) / HASHED_INTERVAL), HASHED_INTERVAL);
}

async function readEnded(fleet: Fleet): Promise<readonly EndedRun[]> {
  const rows = await fleet.cluster.tables.query<EndedRun>(
    `SELECT RUN_ID AS id, JOB_NAME AS job, SCHED_TIME AS time, ATTEMPT AS attempt, OUTCOME AS outcome, ENDED_TIME AS ended
     FROM QRTZ_X_RUNS WHERE SCHED_NAME = '${SCHED_NAME}'`,
  );
  return rows.map((row) => ({
    ...row,
    time: Number(row.time),
    attempt: Number(row.attempt),
    ended: Number(row.ended),
  }));
}

/** Counters of the counting jobs. */
function readCounts(fleet: Fleet, kinds: readonly JudgedKind[]): Promise<Readonly<Record<string, number>>> {
  const names = kinds
    .filter(({ counts }) => counts)
    .flatMap(({ name, jobs }) => Array.from({ length: jobs }, (_, index) => `${name}-${index}`));
  return fleet.cluster.withScheduler(async (scheduler) => {
    const jobs = await Promise.all(names.map((name) => scheduler.getJobDetail(name)));
    return Object.fromEntries(
      jobs.map((job, index) => [names[index], ((job?.data.counts ?? []) as readonly number[])[0] ?? 0]),
    );
  });
}

const countTold = (fleet: Fleet) =>
  fleet.cluster.history().filter((line) => line.line === 'event' && line.type === 'overdue').length;

async function play(options: RunOptions): Promise<Outcome> {
  const launchOf = (name: string) => ({ moreJobs, scheduler: PLACES[name as keyof typeof PLACES] });
  const nodes = Object.keys(PLACES).length;
  return withFleet(options, { nodes, settings: SETTINGS, launchOf }, async (scene) => {
    const { fleet, world } = scene;
    const from = Math.ceil((now() + LEAD) / HASHED_INTERVAL) * HASHED_INTERVAL;
    const to = from + options.seconds * SECOND;
    const kinds = KINDS.map((kind) => {
      const { interval = SECOND } = kind;
      return { ...kind, times: everyTime(from, Math.ceil((to - from) / interval), interval) };
    });
    const backfilled = await fleet.cluster.withScheduler(async (scheduler) => {
      for (const kind of kinds) await storeKind(scheduler, kind);
      await storeHashed(scheduler, from, to);
      return storeBackfill(scheduler);
    });
    await strike(scene, to);
    await pause(to - now());
    const isDone = await untilDone(world);
    const expected = kinds.filter(({ overdueAfter }) => overdueAfter).reduce((sum, { jobs }) => sum + jobs, 0);
    await untilSo(() => countTold(fleet) >= expected, TELLING_PATIENCE);
    await fleet.stopAll();
    const ended = await readEnded(fleet);
    const { counts, violations } = judgePolicies({
      run: await fleet.run([]),
      kinds: [...kinds, { ...HASHED, times: hashedTimes(ended, from, to) }, { ...BACKFILLED, times: backfilled }],
      ended,
      places: PLACES,
      counts: await readCounts(fleet, kinds),
      lateAfter: LATE_AFTER,
    });
    const rest = await readRest(world.tables, SCHED_NAME);
    return {
      counts: { ...counts, ...fleet.deeds },
      violations: { ...violations, leftAtRest: isDone ? [] : [JSON.stringify(rest.states)] },
    };
  });
}

export const POLICY_SCENARIOS: readonly OwnScenario[] = [
  {
    name: 'policies',
    about: 'labels, time limits, rates, groups, overlap, data versions …; kill -9, SIGSTOP, kill -9 of the server',
    play,
  },
];
