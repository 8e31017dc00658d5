import { readdirSync } from 'node:fs';
import { monotonic } from '../../cluster/support/monotonic.cjs';
import { quartz } from '../../cluster/support/quartz';
import { now, pause } from '../../cluster/support/time';
import { expectedTriggers, type Load, schedule } from '../../cluster/support/workload';
import { checkHistory } from '../checker/check-history';
import type { Outcome, OwnScenario, RunOptions } from '../scenario';
import { untilAtRest } from '../world/at-rest';
import type { Fleet, Member } from '../world/fleet';
import { withFleet } from '../world/stage';

/*
 * A steady load for a long time, with changes of the schedule: no resource use may grow. Useful from ten minutes on.
 */

const COMMON = {
  triggers: 1,
  interval: 1_000,
  duration: 20,
  schedule: 'simple',
  exclusive: false,
  recovers: false,
} as const;
const LOADS: readonly Load[] = [
  { ...COMMON, name: 'simple', jobs: 50 },
  { ...COMMON, name: 'cron', jobs: 30, schedule: 'cron' },
  { ...COMMON, name: 'counts', jobs: 10, exclusive: true, persists: true },
  { ...COMMON, name: 'again', jobs: 10, recovers: true },
];
const SAMPLES = 12;
/** Number of first samples that are ignored, because caches fill and code is compiled. */
const WARM_UP = 4;
/** Maximum growth between the first and the last sample. A leak of 100 bytes per firing exceeds it after some minutes. */
const MAX_HEAP_GROWTH = 8 * 2 ** 20;
const MAX_HANDLES = 5;
/** Time without pauses at the end, because an ended trigger deletes its job. Milliseconds. */
const LAST_CHANGE = 3_000;

interface Sample {
  readonly at: number;
  readonly heap: number;
  readonly handles: number;
  readonly files: number;
}

async function sample({ process }: Member): Promise<Sample> {
  if (process === null) throw new Error('A node is gone.');
  const { heapUsed, handles } = (await process.command('memory')) as {
    readonly heapUsed: number;
    readonly handles: number;
  };
  return { at: monotonic(), heap: heapUsed, handles, files: openFiles(process.pid) };
}

/** Number of open files; 0 if the system does not report it. */
function openFiles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** Adds one-shots, pauses jobs and lists runs until the next sample. `end`: end of the load, after which jobs are deleted. */
async function change({ cluster }: Fleet, until: number, end: number): Promise<void> {
  const { newJob, newTrigger } = quartz();
  await cluster.withScheduler(async (scheduler) => {
    for (let turn = 0; now() < until; turn++) {
      const name = `shot-${now()}-${turn}`;
      const job = newJob('record').withIdentity(name).usingJobData({ duration: 5 }).build();
      await scheduler.scheduleJob(
        job,
        newTrigger()
          .withIdentity(name)
          .startAt(new Date(now() + 300))
          .build(),
      );
      const paused = turn % 7 === 0 && now() < end - LAST_CHANGE ? `simple-${turn % 50}` : null;
      if (paused !== null) await scheduler.pauseJob(paused);
      if (turn % 11 === 0) await scheduler.listExecutingJobs();
      await pause(100);
      if (paused !== null) await scheduler.resumeJob(paused);
    }
  });
}

async function play(options: RunOptions): Promise<Outcome> {
  return withFleet(options, { nodes: 2, launch: { execArgv: ['--expose-gc'] } }, async ({ fleet, world }) => {
    const from = now() + 500;
    const to = from + options.seconds * 1_000;
    const expected = expectedTriggers(LOADS, from, to);
    await fleet.cluster.withScheduler((scheduler) => schedule(scheduler, expected));
    const samples = new Map<string, Sample[]>();
    for (let turn = 1; turn <= SAMPLES; turn++) {
      await change(fleet, from + ((to - from) * turn) / SAMPLES, to);
      for (const member of fleet.living)
        samples.set(member.name, [...(samples.get(member.name) ?? []), await sample(member)]);
    }
    await untilAtRest(world);
    await fleet.stopAll();
    const { counts, violations } = checkHistory(await fleet.run(expected));
    const { startedUnexpectedly: _, ...rest } = violations; // the one-shots are not expected triggers
    const growth = [...samples].map(([name, list]) => ({
      name,
      first: list[WARM_UP] as Sample,
      last: list.at(-1) as Sample,
    }));
    return {
      counts,
      violations: { ...rest, grows: growth.flatMap(grows) },
      notes: growth.map(({ name, first, last }) => `${name}: heap ${megabytes(first.heap)} to ${megabytes(last.heap)}`),
    };
  });
}

const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

function grows({
  name,
  first,
  last,
}: {
  readonly name: string;
  readonly first: Sample;
  readonly last: Sample;
}): readonly string[] {
  return [
    ...(last.heap - first.heap > MAX_HEAP_GROWTH
      ? [`heap of ${name}: ${megabytes(first.heap)} to ${megabytes(last.heap)}`]
      : []),
    ...(last.handles - first.handles > MAX_HANDLES ? [`handles of ${name}: ${first.handles} to ${last.handles}`] : []),
    ...(last.files - first.files > MAX_HANDLES ? [`open files of ${name}: ${first.files} to ${last.files}`] : []),
  ];
}

export const SOAK_SCENARIOS: readonly OwnScenario[] = [
  { name: 'soak', about: 'no faults; no resource use may grow', play },
];
