import { join } from 'node:path';
import type { Scheduler } from '../../../src/api/scheduler';
import { SCHED_NAME } from '../../cluster/support/cluster';
import { quartz } from '../../cluster/support/quartz';
import { now, pause } from '../../cluster/support/time';
import { type FurtherLine, judgeFurtherRuns, type SucceededRun } from '../checker/further-runs';
import { readRest } from '../checker/rest';
import type { Outcome, OwnScenario, RunOptions } from '../scenario';
import type { World } from '../world/database';
import type { Fleet } from '../world/fleet';
import type { Random } from '../world/random';
import { withFleet } from '../world/stage';

/*
 * Occurrences that become several runs: parts, chains, and work that goes on from a checkpoint.
 */

const moreJobs = join(__dirname, 'further-jobs.cjs');
const NODES = 3;
const LEAD = 1_000;
const LAST_FAULT = 4_000;
const RECURRENCE = 1_000;
const LOOK_PAUSE = 250;
/** How long it may take until nothing is left to run. */
const PATIENCE = 90_000;

/** Jobs of each kind, as many as the machine is to bear. */
const JOBS = { parts: 3, chains: 3, steps: 3 } as const;
const SHARDS = 5;
const STEPS = 4;

const timesOf = (from: number, seconds: number): readonly number[] =>
  Array.from({ length: seconds }, (_, index) => from + index * RECURRENCE);

/** Stores the jobs; each fires at all the times. */
async function store(scheduler: Scheduler, times: readonly number[]): Promise<void> {
  const { newJob, newTrigger, simpleSchedule } = quartz();
  const every = (name: string) => {
    const schedule = simpleSchedule()
      .withIntervalInMilliseconds(RECURRENCE)
      .withRepeatCount(times.length - 1)
      .withMisfireHandlingInstructionIgnoreMisfires();
    return newTrigger()
      .withIdentity(name)
      .startAt(new Date(times[0] as number))
      .withSchedule(schedule)
      .build();
  };
  const jobOf = (type: string, name: string, data: Record<string, number | boolean>) =>
    newJob(type).withIdentity(name).usingJobData(data).withHistory('all').withRetry({ max: 3, delay: 200 });
  const registeredLater = { registeredLater: true };
  for (let index = 0; index < JOBS.parts; index++) {
    const parts = jobOf('part', `parts-${index}`, { duration: 40 * index }).withSpread({ shards: SHARDS });
    await scheduler.scheduleJob(parts.build(), [every(`parts-${index}`)], registeredLater);
  }
  for (let index = 0; index < JOBS.chains; index++) {
    const parent = jobOf('parent', `parent-${index}`, { duration: 60 * index, fails: index === 1 });
    const child = jobOf('child', `child-${index}`, {}).requestRecovery().build();
    const after = newTrigger().withIdentity(`child-${index}`).startAfter(`parent-${index}`).build();
    await scheduler.scheduleJob(child, [after], registeredLater);
    await scheduler.scheduleJob(parent.requestRecovery().build(), [every(`parent-${index}`)], registeredLater);
  }
  for (let index = 0; index < JOBS.steps; index++) {
    const steps = jobOf('steps', `steps-${index}`, { steps: STEPS }).requestRecovery();
    await scheduler.scheduleJob(steps.build(), [every(`steps-${index}`)], registeredLater);
  }
}

/** Kills nodes, stops them, and restarts the server where there is one. */
async function disturb(fleet: Fleet, world: World, random: Random, end: number): Promise<void> {
  const going: Promise<void>[] = [];
  for (let turn = 0; now() < end - LAST_FAULT; turn++) {
    await pause(random.between(900, 2_000));
    const free = fleet.living;
    const [victim, other] = [random.pick(free), free.at(-1)];
    if (turn % 3 === 2 && world.kind === 'mysql') {
      await fleet.during('outage', 'server kill -9', () => world.server.restart('SIGKILL'));
    } else if (turn % 3 === 1 && other !== undefined && free.length > 1) {
      going.push(fleet.freeze(other, random.between(500, 6_000)));
    } else if (victim !== undefined && free.length > 1) {
      await fleet.kill(victim);
      going.push(fleet.start(victim));
    }
  }
  await Promise.all(going);
}

/** Chained triggers stay; everything else has ended when none of the others is left, nor a firing. */
async function untilDone(world: World): Promise<boolean> {
  const text = `SELECT (SELECT COUNT(*) FROM QRTZ_FIRED_TRIGGERS WHERE SCHED_NAME = '${SCHED_NAME}')
    + (SELECT COUNT(*) FROM QRTZ_TRIGGERS WHERE SCHED_NAME = '${SCHED_NAME}' AND TRIGGER_TYPE <> 'AFTER') AS n`;
  for (const end = now() + PATIENCE; now() < end; await pause(LOOK_PAUSE)) {
    const [row] = await world.tables.query<{ n: number }>(text);
    if (Number(row?.n) === 0) return true;
  }
  return false;
}

async function play(options: RunOptions): Promise<Outcome> {
  const settings = { jobStore: { maxRecoveryAttempts: 1_000 } };
  return withFleet(options, { nodes: NODES, settings, launch: { moreJobs } }, async ({ fleet, world, random }) => {
    const times = timesOf(Math.ceil((now() + LEAD) / RECURRENCE) * RECURRENCE, options.seconds);
    await fleet.cluster.withScheduler((scheduler) => store(scheduler, times));
    await disturb(fleet, world, random, (times.at(-1) as number) + RECURRENCE);
    await pause((times.at(-1) as number) - now());
    const isDone = await untilDone(world);
    await fleet.stopAll();
    const succeeded = await world.tables.query<SucceededRun>(
      "SELECT RUN_ID AS id, JOB_NAME AS job, SCHED_TIME AS time FROM QRTZ_X_RUNS WHERE OUTCOME = 'succeeded'",
    );
    const lines = fleet.cluster.history() as unknown as readonly FurtherLine[];
    const { counts, violations } = judgeFurtherRuns({ lines, succeeded, times, shards: SHARDS, jobs: JOBS });
    const rest = await readRest(world.tables, SCHED_NAME);
    return {
      counts: { ...counts, ...fleet.deeds },
      violations: { ...violations, leftAtRest: isDone ? [] : [JSON.stringify(rest.states)] },
    };
  });
}

export const FURTHER_RUN_SCENARIOS: readonly OwnScenario[] = [
  { name: 'further-runs', about: 'parts, chains and checkpoints; kill -9, SIGSTOP, the server killed', play },
];
