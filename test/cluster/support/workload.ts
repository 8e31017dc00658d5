import type { Scheduler } from '../../../src/api/scheduler';
import type { Trigger } from '../../../src/api/trigger';
import type { JobData } from '../../../src/domain/job-data';
import type { JobDetail } from '../../../src/domain/job-detail';
import { quartz } from './quartz';

/** A kind of job, `jobs` of them with `triggers` each, that fires every `interval` and runs for `duration`. Milliseconds. */
export interface Load {
  readonly name: string;
  readonly jobs: number;
  readonly triggers: number;
  /** Whole seconds for `cron`. */
  readonly interval: number;
  readonly duration: number;
  /** `once`: each trigger has a different time. */
  readonly schedule: 'simple' | 'cron' | 'once';
  readonly exclusive: boolean;
  readonly recovers: boolean;
  /** The job counts its runs in its job data. */
  readonly persists?: boolean;
  /** Maximum number of concurrent runs of all its jobs in the cluster. */
  readonly limit?: number;
  /** Number of failing attempts, number of retries, and their delay in milliseconds. */
  readonly failing?: { readonly attempts: number; readonly retries: number; readonly delay: number };
  /** True if its triggers still wait for a next fire time at the end of the test. */
  readonly goesOn?: boolean;
  /** More job data for node.cjs. */
  readonly data?: JobData;
}

/** A trigger with its expected fire times, which are computed by simple arithmetic, and not by the scheduler under test. */
export interface ExpectedTrigger {
  readonly load: Load;
  readonly job: string;
  readonly trigger: string;
  readonly times: readonly number[];
}

/** Expected triggers of the loads between two times. */
export function expectedTriggers(loads: readonly Load[], from: number, to: number): readonly ExpectedTrigger[] {
  return loads.flatMap((load) =>
    Array.from({ length: load.jobs * load.triggers }, (_, index) => {
      const job = `${load.name}-${Math.floor(index / load.triggers)}`;
      const offset = Math.floor((index * load.interval) / (load.jobs * load.triggers));
      return {
        load,
        job,
        trigger: `${job}.${index % load.triggers}`,
        times: load.schedule === 'cron' ? everyWhole(load.interval, from, to) : every(load.interval, from + offset, to),
      };
    }),
  );
}

/** Stores the triggers. They ignore misfires, so that late fire times are not skipped. */
export async function schedule(scheduler: Scheduler, expected: readonly ExpectedTrigger[]): Promise<void> {
  await scheduler.scheduleJobs(toJobs(expected), { replace: true, registeredLater: true });
}

/** The jobs with their triggers. */
export function toJobs(expected: readonly ExpectedTrigger[]): Map<JobDetail, readonly Trigger[]> {
  const { newJob } = quartz();
  const byJob = grouped(expected);
  const jobs = [...byJob].map(([name, triggers]) => {
    const { load } = triggers[0] as ExpectedTrigger;
    const { exclusive, recovers, persists = false, duration, failing, data } = load;
    const builder = newJob('record')
      .withIdentity(name)
      .disallowConcurrentExecution(exclusive)
      .requestRecovery(recovers)
      .persistJobDataAfterExecution(persists)
      .usingJobData({
        duration,
        ...(persists ? { count: 0 } : {}),
        ...(failing ? { failing: failing.attempts } : {}),
        ...data,
      });
    if (failing !== undefined) builder.withRetry({ max: failing.retries, delay: failing.delay });
    if (load.limit !== undefined) builder.withConcurrency({ key: load.name, limit: load.limit });
    return [builder.build(), triggers.map(toTrigger)] as const;
  });
  return new Map(jobs);
}

function toTrigger({ load, trigger, times }: ExpectedTrigger) {
  const { cronSchedule, newTrigger, simpleSchedule } = quartz();
  const [first, ...others] = times as [number, ...number[]];
  const last = others.at(-1) ?? first;
  const builder = newTrigger().withIdentity(trigger).startAt(new Date(first));
  // A trigger that is stored after its end is refused; one that fires once needs no end.
  if (!load.goesOn && load.schedule !== 'once') builder.endAt(new Date(last + 1));
  if (load.schedule === 'cron') {
    const schedule = cronSchedule(`0/${load.interval / 1_000} * * * * ?`).inTimeZone('UTC');
    return builder.withSchedule(schedule.withMisfireHandlingInstructionIgnoreMisfires()).build();
  }
  const schedule = simpleSchedule();
  if (load.schedule === 'once')
    return builder.withSchedule(schedule.withMisfireHandlingInstructionIgnoreMisfires()).build();
  schedule.withIntervalInMilliseconds(load.interval);
  if (load.goesOn) schedule.repeatForever();
  else schedule.withRepeatCount(others.length);
  return builder.withSchedule(schedule.withMisfireHandlingInstructionIgnoreMisfires()).build();
}

function every(interval: number, from: number, to: number): number[] {
  const times: number[] = [];
  for (let time = from; time < to; time += interval) times.push(time);
  return times;
}

/** The times of `0/n * * * * ?`, for an n that divides a minute. */
function everyWhole(interval: number, from: number, to: number): number[] {
  return every(interval, Math.ceil(from / interval) * interval, to);
}

function grouped(expected: readonly ExpectedTrigger[]): Map<string, ExpectedTrigger[]> {
  const groups = new Map<string, ExpectedTrigger[]>();
  for (const each of expected) groups.set(each.job, [...(groups.get(each.job) ?? []), each]);
  return groups;
}
