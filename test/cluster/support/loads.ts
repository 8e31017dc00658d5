import type { Load } from './workload';

const COMMON = { schedule: 'simple', exclusive: false, recovers: false } as const;

/** 262 triggers with about 100 firings a second: short jobs, cron jobs, exclusive jobs with several triggers, and jobs with recovery. */
export const MIXED_LOADS: readonly Load[] = [
  { ...COMMON, name: 'often', jobs: 40, triggers: 5, interval: 2_500, duration: 20 },
  { ...COMMON, name: 'cron', jobs: 20, triggers: 1, interval: 2_000, duration: 50, schedule: 'cron' },
  { ...COMMON, name: 'alone', jobs: 6, triggers: 4, interval: 3_000, duration: 150, exclusive: true },
  { ...COMMON, name: 'again', jobs: 10, triggers: 1, interval: 2_500, duration: 1_500, recovers: true },
  { ...COMMON, name: 'both', jobs: 4, triggers: 2, interval: 3_000, duration: 700, exclusive: true, recovers: true },
];

/** One trigger that fires once, at the beginning, and then waits. */
export const HOURLY: Load = {
  ...COMMON,
  name: 'hourly',
  jobs: 1,
  triggers: 1,
  interval: 3_600_000,
  duration: 50,
  exclusive: true,
  goesOn: true,
};
