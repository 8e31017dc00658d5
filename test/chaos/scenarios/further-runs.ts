import { join } from 'node:path';
import type { Scheduler } from '../../../src/api/scheduler';
import { SCHED_NAME } from '../../cluster/support/cluster';
import { quartz } from '../../cluster/support/quartz';
import { now, pause } from '../../cluster/support/time';
import { type FurtherLine, judgeFurtherRuns, type SucceededRun } from '../checker/further-runs';
import { readRest } from '../checker/rest';
import type { Outcome, OwnScenario, RunOptions } from '../scenario';
import { RECURRENCE, recordedJob, triggerAt, withTimes } from './each-second';
import { strike, untilDone } from './strike';

/*
 * Occurrences with several runs: parts, chains, and runs that resume from a checkpoint.
 */

const moreJobs = join(__dirname, 'further-jobs.cjs');

/** Number of jobs of each kind. */
const JOBS = { parts: 3, chains: 3, steps: 3 } as const;
const SHARDS = 5;
const STEPS = 4;

/** Stores the jobs, each of which fires at all times. */
async function store(scheduler: Scheduler, times: readonly number[]): Promise<void> {
  const { newTrigger } = quartz();
  const every = (name: string) => triggerAt(times, name);
  const jobOf = (type: string, name: string, data: Record<string, number | boolean>) =>
    recordedJob(type, name, { data, retries: 3 });
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

async function play(options: RunOptions): Promise<Outcome> {
  return withTimes(options, moreJobs, store, async (scene) => {
    const { fleet, world, times, last } = scene;
    await strike(scene, last + RECURRENCE);
    await pause(last - now());
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
  { name: 'further-runs', about: 'parts, chains and checkpoints; kill -9, SIGSTOP, kill -9 of the server', play },
];
