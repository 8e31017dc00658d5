import { join } from 'node:path';
import type { Scheduler } from '../../../src/api/scheduler';
import { SCHED_NAME } from '../../cluster/support/cluster';
import { monotonic } from '../../cluster/support/monotonic.cjs';
import { quartz } from '../../cluster/support/quartz';
import { now, pause } from '../../cluster/support/time';
import { freshModules } from '../../support/fresh-dist';
import {
  type CrossedLine,
  type DeclaredEdit,
  judgeCrossings,
  type Sighting,
  type SucceededOccurrence,
} from '../checker/crossings';
import { readRest } from '../checker/rest';
import type { Outcome, OwnScenario, RunOptions } from '../scenario';
import { RECURRENCE, recordedJob, triggerAt, withTimes } from './each-second';
import { type Scene, strike, untilSo } from './strike';

/*
 * Combined features while nodes die: a rate, shards whose occurrences wait for each other, checkpoints of chained jobs that begin in one
 * millisecond, and manual edits of triggers that every node declares when it starts.
 */

const moreJobs = join(__dirname, 'crossed-jobs.cjs');
const { DECLARED } = require(moreJobs) as {
  readonly DECLARED: Readonly<Record<string, { readonly priority: number }>>;
};
/** Five runs a second may begin and three are due, so that waiting runs catch up after an outage. */
const RATE = { key: 'turns', limit: 10, per: 2_000 } as const;
const JOBS = { turns: 3, queues: 2, origins: 4, links: 2 } as const;
const SHARDS = 3;

async function store(scheduler: Scheduler, times: readonly number[]): Promise<void> {
  const { newTrigger } = quartz();
  const jobOf = (type: string, name: string, data: Record<string, number> = {}) =>
    recordedJob(type, name, { data, retries: 5 }).requestRecovery();
  const add = (job: ReturnType<typeof jobOf>, name: string) =>
    scheduler.scheduleJob(job.build(), [triggerAt(times, name)], { registeredLater: true });
  for (let index = 0; index < JOBS.turns; index++) {
    const name = `turn-${index}`;
    await add(jobOf('turn', name).withRate(RATE), name);
  }
  for (let index = 0; index < JOBS.queues; index++) {
    const [all, one] = [`queueAll-${index}`, `queueOne-${index}`];
    const queued = (name: string, duration: number) =>
      jobOf('queued', name, { duration }).withSpread({ shards: SHARDS });
    await add(queued(all, 100).withOverlap({ queueAll: 1_000 }), all);
    await add(queued(one, 1.5 * RECURRENCE).withOverlap('queueOne'), one);
  }
  for (let index = 0; index < JOBS.origins; index++) {
    for (let link = 0; link < JOBS.links; link++) {
      const name = `link-${index}-${link}`;
      const after = newTrigger().withIdentity(name).startAfter(`origin-${index}`).build();
      await scheduler.scheduleJob(jobOf('link', name).build(), [after], { registeredLater: true });
    }
    await add(jobOf('origin', `origin-${index}`), `origin-${index}`);
  }
}

/** Changes the priority of a declared trigger, as the console does. */
async function edit(scheduler: Scheduler, name: string, priority: number): Promise<void> {
  const { controlOf } = require(
    join(freshModules(), 'scheduler/control.js'),
  ) as typeof import('../../../src/scheduler/control');
  const { fromTrigger } = require(join(freshModules(), 'api/trigger.js')) as typeof import('../../../src/api/trigger');
  const found = await scheduler.getTrigger(name);
  if (found === null) throw new Error(`${name} is not stored.`);
  const trigger = fromTrigger({ ...found, priority }, { startTime: now(), timeZone: 'UTC' });
  const change = { type: 'storeTrigger', trigger, ifExists: 'replace', startTimeDefaulted: true } as const;
  await controlOf(scheduler)?.apply([change], { by: 'ann', via: 'console' });
}

async function see({ world }: Scene, sightings: Sighting[]): Promise<void> {
  const begun = monotonic();
  const names = Object.keys(DECLARED).map((name) => `'${name}'`);
  const text = `SELECT TRIGGER_NAME AS name, PRIORITY AS value FROM QRTZ_TRIGGERS
    WHERE SCHED_NAME = '${SCHED_NAME}' AND TRIGGER_NAME IN (${names.join()})`;
  const rows = await world.tables.query<{ name: string; value: number }>(text).catch(() => []);
  const done = monotonic();
  for (const { name, value } of rows) sightings.push({ trigger: name, value: Number(value), begun, done });
}

/** Edits declared triggers one after the other until `end`, and reads the stored values. */
async function keepEditing(scene: Scene, end: number) {
  const { fleet, random } = scene;
  const [edits, sightings]: [DeclaredEdit[], Sighting[]] = [[], []];
  for (let value = 10; now() < end; value++) {
    await pause(random.between(200, 800));
    const trigger = random.pick(Object.keys(DECLARED)) as string;
    const begun = monotonic();
    const isDone = await fleet.cluster
      .withScheduler((scheduler) => edit(scheduler, trigger, value))
      .then(
        () => true,
        () => false,
      );
    edits.push({ trigger, value, begun, done: isDone ? monotonic() : null });
    await see(scene, sightings);
  }
  return { edits, sightings };
}

/** Waits until only triggers are left that are due in another century. */
function untilAllHasRun({ world }: Scene): Promise<boolean> {
  const ours = `SCHED_NAME = '${SCHED_NAME}'`;
  const text = `SELECT (SELECT COUNT(*) FROM QRTZ_FIRED_TRIGGERS WHERE ${ours})
    + (SELECT COUNT(*) FROM QRTZ_TRIGGERS WHERE ${ours} AND TRIGGER_TYPE <> 'AFTER' AND TRIGGER_STATE <> 'COMPLETE'
       AND TRIGGER_NAME NOT LIKE 'declared-%') AS n`;
  return untilSo(async () => Number((await world.tables.query<{ n: number }>(text))[0]?.n) === 0);
}

async function play(options: RunOptions): Promise<Outcome> {
  return withTimes(options, moreJobs, store, async (scene) => {
    const { fleet, world, times, last } = scene;
    const [{ edits, sightings }] = await Promise.all([keepEditing(scene, last), strike(scene, last + RECURRENCE)]);
    await pause(last - now());
    const isDone = await untilAllHasRun(scene);
    await see(scene, sightings);
    await fleet.stopAll();
    const succeeded = await world.tables.query<SucceededOccurrence>(
      "SELECT RUN_ID AS id, JOB_NAME AS job, SCHED_TIME AS time, OCCURRENCE_ID AS occurrence FROM QRTZ_X_RUNS WHERE OUTCOME = 'succeeded'",
    );
    const { stops = [] } = await fleet.run([]);
    const lines = fleet.cluster.history() as unknown as readonly CrossedLine[];
    const violations = judgeCrossings({
      ...{ lines, succeeded, stops, edits, sightings, rate: RATE, jobs: JOBS, shards: SHARDS, declaredValue: 5 },
      times: { turns: times, queueAll: times, origins: times },
    });
    const rest = await readRest(world.tables, SCHED_NAME);
    const countOf = (line: CrossedLine['line']) => lines.filter((each) => each.line === line).length;
    return {
      counts: {
        expected: times.length * (JOBS.turns + JOBS.queues * SHARDS + JOBS.origins * (1 + JOBS.links)),
        started: countOf('turn') + countOf('queued') + countOf('origin'),
        ...{ links: countOf('found'), edits: edits.filter(({ done }) => done !== null).length },
        ...fleet.deeds,
      },
      violations: {
        ...violations,
        leftAtRest: isDone ? [] : [JSON.stringify(rest.states)],
        undisturbed: fleet.deeds.kill && edits.length > 0 ? [] : ['no node was killed, or nothing was edited'],
      },
    };
  });
}

export const CROSSING_SCENARIOS: readonly OwnScenario[] = [
  {
    name: 'crossings',
    about: 'a rate, queued shards, checkpoints of chained jobs, overrides; kill -9, SIGSTOP, kill -9 of the server',
    play,
  },
];
