import { join } from 'node:path';
import { SCHED_NAME } from '../../cluster/support/cluster';
import type { Start } from '../../cluster/support/history';
import { quartz } from '../../cluster/support/quartz';
import { now, pause } from '../../cluster/support/time';
import { expectedTriggers, type Load, schedule } from '../../cluster/support/workload';
import { checkHistory } from '../checker/check-history';
import { readRest } from '../checker/rest';
import type { Outcome, OwnScenario, RunOptions } from '../scenario';
import { untilAtRest } from '../world/at-rest';
import type { Fleet } from '../world/fleet';
import { withFleet } from '../world/stage';

/*
 * Jobs that block, exit, never end, and throw unexpected values. They must not affect other jobs.
 */

const moreJobs = join(__dirname, 'odd-jobs.cjs');
const NODES = 3;
const RUNS = 5;
const INTERVAL = 700;

/** Jobs whose firings all end with an error. */
const FAILING = [
  'throwsNull',
  'throwsWithoutText',
  'throwsAtOnce',
  'overflowsTheStack',
  'returnsTooMuch',
  'returnsABigint',
  'returnsACycle',
  'returnsATrap',
] as const;

const startsOf = ({ cluster }: Fleet, job: string): readonly Start[] =>
  cluster.history().filter((line): line is Start => line.line === 'start' && line.job === job);

/** Stores a job of a type that only the nodes have. */
async function store(
  { cluster }: Fleet,
  type: string,
  { runs = 1, recovers = false, exclusive = false },
): Promise<void> {
  const { newJob, newTrigger, simpleSchedule } = quartz();
  const job = newJob(type)
    .withIdentity(type)
    .requestRecovery(recovers)
    .disallowConcurrentExecution(exclusive)
    .persistJobDataAfterExecution(exclusive)
    .usingJobData({ duration: 20 })
    .build();
  const times = simpleSchedule()
    .withIntervalInMilliseconds(INTERVAL)
    .withRepeatCount(runs - 1);
  const trigger = newTrigger()
    .withIdentity(type)
    .withSchedule(times.withMisfireHandlingInstructionIgnoreMisfires())
    .build();
  await cluster.withScheduler(async (scheduler) => void (await scheduler.scheduleJob(job, trigger)));
}

async function until(isSo: () => boolean | Promise<boolean>, patience: number): Promise<boolean> {
  for (const end = now() + patience; now() < end; await pause(100)) if (await isSo()) return true;
  return false;
}

/** Jobs that fail: their jobs and triggers end, and every process survives. */
async function failing(options: RunOptions): Promise<Outcome> {
  return withFleet(options, { nodes: NODES, launch: { moreJobs } }, async ({ fleet, world }) => {
    for (const type of FAILING) await store(fleet, type, { runs: RUNS, exclusive: true });
    await store(fleet, 'deletesItself', { runs: RUNS, exclusive: true });
    const isQuiet = async () => (await readRest(world.tables, SCHED_NAME)).triggers === 0;
    const isDone = await until(isQuiet, 60_000);
    const counts = Object.fromEntries(
      [...FAILING, 'deletesItself'].map((type) => [type, startsOf(fleet, type).length]),
    );
    const { violations } = checkHistory(await fleet.run([]));
    const wrong = Object.entries(counts).filter(([type, count]) => count !== (type === 'deletesItself' ? 1 : RUNS));
    return {
      counts,
      violations: {
        wrongRuns: wrong.map(([type, count]) => `${type} ran ${count} times`),
        leftAtRest: isDone ? [] : [JSON.stringify((await readRest(world.tables, SCHED_NAME)).states)],
        crashes: violations.crashes ?? [],
        processes: fleet.living.length === NODES ? [] : [`${fleet.living.length} of ${NODES} nodes live`],
      },
    };
  });
}

/** State of a trigger whose attempts all ended their processes: a person must check it. */
const GIVEN_UP = JSON.stringify({ ERROR: 1 });

/** A job that ends its process: it ends at most one process for each attempt. */
async function exiting(options: RunOptions): Promise<Outcome> {
  const nodes = 6;
  const attempts = 3;
  return withFleet(options, { nodes, launch: { moreJobs } }, async ({ fleet, world }) => {
    await store(fleet, 'exits', { recovers: true });
    await until(() => fleet.living.length === nodes - 1 - attempts, 30_000);
    const states = async () => JSON.stringify((await readRest(world.tables, SCHED_NAME)).states);
    const isGivenUp = await until(async () => (await states()) === GIVEN_UP, 20_000);
    const lost = nodes - fleet.living.length;
    return {
      counts: { started: startsOf(fleet, 'exits').length, lostProcesses: lost },
      violations: {
        processes: lost === attempts + 1 ? [] : [`${lost} processes were taken down, expected ${attempts + 1}`],
        leftAtRest: isGivenUp ? [] : [await states()],
      },
    };
  });
}

/** A job that never ends: its node can be shut down, and another node recovers the abandoned run. */
async function neverEnding(options: RunOptions): Promise<Outcome> {
  const shutdownDeadline = 3_000;
  const settings = { scheduler: { shutdownDeadline } };
  return withFleet(options, { nodes: 2, settings, launch: { moreJobs } }, async ({ fleet }) => {
    await store(fleet, 'neverEnds', { recovers: true, exclusive: true });
    await until(() => startsOf(fleet, 'neverEnds').length > 0, 10_000);
    const owner = fleet.living.find(({ process }) => process?.name === startsOf(fleet, 'neverEnds')[0]?.node);
    const begin = now();
    if (owner !== undefined) await fleet.stop(owner);
    const took = now() - begin;
    const isRunAgain = await until(() => startsOf(fleet, 'neverEnds').length > 1, 20_000);
    const limit = shutdownDeadline + 5_000;
    return {
      counts: { shutdownTook: took, started: startsOf(fleet, 'neverEnds').length },
      violations: {
        notRecovered: isRunAgain ? [] : ['what was abandoned did not run again'],
        slowShutdown: took < limit ? [] : [`${took} ms with a deadline of ${shutdownDeadline} ms`],
        processes: fleet.findings,
      },
    };
  });
}

/** A job that computes for longer than the detection time: its node is not considered dead, and other nodes continue. */
async function blocking(options: RunOptions): Promise<Outcome> {
  const spin = 20_000;
  const common = { jobs: 1, triggers: 1, schedule: 'simple', duration: 0 } as const;
  const busy: Load = { ...common, name: 'busy', interval: spin, exclusive: true, recovers: true, data: { spin } };
  const tick: Load = { ...common, name: 'tick', jobs: 20, interval: 500, exclusive: false, recovers: false };
  return withFleet(options, { nodes: NODES }, async ({ fleet, world }) => {
    const from = now() + 500;
    const expected = [...expectedTriggers([busy], from, from + 1), ...expectedTriggers([tick], from, from + spin)];
    await fleet.cluster.withScheduler((scheduler) => schedule(scheduler, expected));
    await pause(spin);
    await untilAtRest(world);
    await fleet.stopAll();
    const { counts, violations } = checkHistory({ ...(await fleet.run(expected)), fenced: new Set() });
    return { counts, violations };
  });
}

/** A process that restarts repeatedly, and stores the same schedule each time, as most programs do. */
async function restarting(options: RunOptions): Promise<Outcome> {
  const common = { triggers: 1, duration: 0, exclusive: false, recovers: false } as const;
  const loads: readonly Load[] = [
    { ...common, name: 'simple', jobs: 30, interval: 1_000, schedule: 'simple' },
    { ...common, name: 'cron', jobs: 30, interval: 1_000, schedule: 'cron' },
  ];
  return withFleet(options, { nodes: 1 }, async ({ fleet, world }) => {
    const from = now() + 1_000;
    const to = from + options.seconds * 1_000;
    const expected = expectedTriggers(loads, from, to);
    await fleet.cluster.withScheduler((scheduler) => schedule(scheduler, expected));
    for (let turn = 0; now() < to - 3_000; turn++) {
      const member = await fleet.add(`r${turn}`);
      // A trigger that has ended would start again if it were stored again.
      if (now() > to - 3_000) break;
      await fleet.cluster.withScheduler((scheduler) => schedule(scheduler, expected));
      if (turn % 2 === 0) await fleet.stop(member);
      else await fleet.kill(member);
    }
    await pause(to - now());
    await untilAtRest(world);
    await fleet.stopAll();
    const { counts, violations } = checkHistory(await fleet.run(expected));
    return { counts: { ...counts, restarts: fleet.members.length - 1 }, violations };
  });
}

export const ODD_JOB_SCENARIOS: readonly OwnScenario[] = [
  { name: 'jobs-fail', about: 'jobs throw and return unexpected values', play: failing },
  { name: 'job-exits', about: 'a job ends its process, on every node that runs it', play: exiting },
  { name: 'job-never-ends', about: 'a job never ends, and its node shuts down', play: neverEnding },
  { name: 'job-blocks', about: 'a job blocks the event loop for 20 s', play: blocking },
  { name: 'restarts', about: 'nodes restart quickly, and each stores the schedule again', play: restarting },
];
