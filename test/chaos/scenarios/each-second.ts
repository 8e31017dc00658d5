import type { Scheduler } from '../../../src/api/scheduler';
import { quartz } from '../../cluster/support/quartz';
import { now } from '../../cluster/support/time';
import type { RunOptions } from '../scenario';
import { UNLIMITED, withFleet } from '../world/stage';
import { everyTime, type Scene } from './strike';

/*
 * Setup of scenarios whose occurrences are several runs: jobs with a history, due every second on three nodes.
 */

const NODES = 3;
const LEAD = 1_000;
export const RECURRENCE = 1_000;

export interface TimedScene extends Scene {
  /** Fire times of every trigger with a schedule. */
  readonly times: readonly number[];
  readonly last: number;
}

/** A trigger that is due at all times, and fires missed ones later. */
export function triggerAt(times: readonly number[], name: string) {
  const { newTrigger, simpleSchedule } = quartz();
  const schedule = simpleSchedule()
    .withIntervalInMilliseconds(RECURRENCE)
    .withRepeatCount(times.length - 1)
    .withMisfireHandlingInstructionIgnoreMisfires();
  return newTrigger()
    .withIdentity(name)
    .startAt(new Date(times[0] as number))
    .withSchedule(schedule)
    .build();
}

/** A job with `retries` retries after 200 ms each, whose runs are all recorded. */
export function recordedJob(
  type: string,
  name: string,
  { data = {}, retries }: { readonly data?: Readonly<Record<string, number | boolean>>; readonly retries: number },
) {
  return quartz()
    .newJob(type)
    .withIdentity(name)
    .usingJobData(data)
    .withHistory('all')
    .withRetry({ max: retries, delay: 200 });
}

/** Starts nodes with these jobs, stores the schedule, and runs `work` during the fire times. */
export function withTimes<T>(
  options: RunOptions,
  moreJobs: string,
  store: (scheduler: Scheduler, times: readonly number[]) => Promise<void>,
  work: (scene: TimedScene) => Promise<T>,
): Promise<T> {
  const settings = { jobStore: UNLIMITED };
  return withFleet(options, { nodes: NODES, settings, launch: { moreJobs } }, async (scene) => {
    const times = everyTime(Math.ceil((now() + LEAD) / RECURRENCE) * RECURRENCE, options.seconds, RECURRENCE);
    await scene.fleet.cluster.withScheduler((scheduler) => store(scheduler, times));
    return work({ ...scene, times, last: times.at(-1) as number });
  });
}
