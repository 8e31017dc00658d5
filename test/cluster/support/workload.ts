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
  /** `once`: for each trigger a moment of its own. */
  readonly schedule: 'simple' | 'cron' | 'once';
  readonly exclusive: boolean;
  readonly recovers: boolean;
  /** The job counts its runs in its job data. */
  readonly persists?: boolean;
  /** So many runs of all its jobs at once, in the whole cluster. */
  readonly limit?: number;
  /** Its first attempts fail, and are followed by so many others after a pause. Milliseconds. */
  readonly failing?: { readonly attempts: number; readonly retries: number; readonly delay: number };
  /** Its triggers wait for their next time at the end, which is not expected to come. */
  readonly goesOn?: boolean;
  /** More of what node.cjs understands. */
  readonly data?: JobData;
}

/** One trigger, and every time it has to fire: worked out by plain arithmetic, not by the scheduler that is judged by it. */
export interface ExpectedTrigger {
  readonly load: Load;
  readonly job: string;
  readonly trigger: string;
  readonly times: readonly number[];
}

/** What the loads have to do between two moments. */
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

/** Stores them. Whatever is late is fired late: none of the times may be left out. */
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
