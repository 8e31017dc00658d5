import { type ExpectedTrigger, expectedTriggers, type Load } from '../cluster/support/workload';
import type { Random } from './world/random';

const COMMON = { triggers: 1, schedule: 'simple', exclusive: false, recovers: false, duration: 0 } as const;

/** 370 triggers with about 225 firings a second, including retries. Each fire time must begin exactly once, however late. */
const LOADS: readonly Load[] = [
  { ...COMMON, name: 'simple', jobs: 40, interval: 1_000 },
  { ...COMMON, name: 'brief', jobs: 20, interval: 1_000, duration: 40 },
  { ...COMMON, name: 'cron', jobs: 60, interval: 1_000, schedule: 'cron', duration: 10 },
  { ...COMMON, name: 'cron2', jobs: 20, interval: 2_000, schedule: 'cron' },
  { ...COMMON, name: 'cron5', jobs: 10, interval: 5_000, schedule: 'cron' },
  // A job that runs longer than its interval, and a job with several triggers.
  { ...COMMON, name: 'long', jobs: 6, interval: 1_000, duration: 1_300, exclusive: true },
  { ...COMMON, name: 'pair', jobs: 8, triggers: 2, interval: 2_000, duration: 500, exclusive: true },
  { ...COMMON, name: 'counts', jobs: 12, interval: 1_000, duration: 120, exclusive: true, persists: true },
  { ...COMMON, name: 'again', jobs: 14, interval: 2_000, duration: 1_400, recovers: true },
  { ...COMMON, name: 'alone', jobs: 6, interval: 2_000, duration: 1_000, exclusive: true, recovers: true },
  // Jobs that fail: with retries during the next fire times, exclusive, with recovery, and without success.
  {
    ...COMMON,
    name: 'flaky',
    jobs: 10,
    interval: 1_000,
    duration: 20,
    failing: { attempts: 1, retries: 3, delay: 300 },
  },
  {
    ...COMMON,
    name: 'flaky-alone',
    jobs: 4,
    interval: 2_000,
    duration: 200,
    exclusive: true,
    failing: { attempts: 1, retries: 2, delay: 100 },
  },
  {
    ...COMMON,
    name: 'flaky-again',
    jobs: 8,
    interval: 3_000,
    duration: 600,
    recovers: true,
    failing: { attempts: 2, retries: 2, delay: 200 },
  },
  {
    ...COMMON,
    name: 'hopeless',
    jobs: 4,
    interval: 2_000,
    duration: 50,
    failing: { attempts: 9, retries: 1, delay: 200 },
  },
  // All due at the same time, with a limit of three.
  { ...COMMON, name: 'limited', jobs: 12, interval: 2_000, schedule: 'cron', duration: 50, limit: 3 },
];

const ONCE: Load = { ...COMMON, name: 'once', jobs: 150, interval: 0, schedule: 'once' };

/** Loads that must be late: exclusive jobs with 1.3 s of work per second, twelve jobs at once with a limit of three, and bursts of thousands. */
export const LATE_BY_DESIGN: ReadonlySet<string> = new Set(['long', 'burst', 'limited']);

/** A share of the load, for a small machine or a short test. */
export function chaosWorkload(from: number, to: number, random: Random, share = 1): readonly ExpectedTrigger[] {
  const scaled = (load: Load) => ({ ...load, jobs: Math.max(1, Math.round(load.jobs * share)) });
  const moments = Array.from({ length: scaled(ONCE).jobs }, () => random.between(from, to - 1));
  return [...expectedTriggers(LOADS.map(scaled), from, to), ...oneShots(ONCE, moments)];
}

/** Thousands of triggers at one time, some of exclusive jobs, half of jobs with recovery. */
export function burst(at: number, index: number, size: number): readonly ExpectedTrigger[] {
  const kinds = [
    { name: 'plain', exclusive: false, recovers: false },
    { name: 'alone', exclusive: true, recovers: false },
    { name: 'again', exclusive: false, recovers: true },
  ];
  return kinds.flatMap(({ name, ...kind }) => {
    const count = Math.ceil(size / kinds.length);
    const load: Load = { ...COMMON, ...kind, name: 'burst', jobs: count, interval: 0, schedule: 'once' };
    const triggers = oneShots(
      load,
      Array.from({ length: count }, () => at),
    );
    return triggers.map((each) => ({
      ...each,
      job: `${each.job}.${name}${index}`,
      trigger: `${each.trigger}.${name}${index}`,
    }));
  });
}

const oneShots = (load: Load, moments: readonly number[]): readonly ExpectedTrigger[] =>
  moments.map((time, index) => ({
    load,
    job: `${load.name}-${index}`,
    trigger: `${load.name}-${index}.0`,
    times: [time],
  }));
