import { join } from 'node:path';
import { SCHED_NAME } from '../../cluster/support/cluster';
import { monotonic } from '../../cluster/support/monotonic.cjs';
import { quartz } from '../../cluster/support/quartz';
import { now, pause } from '../../cluster/support/time';
import { expectedTriggers, type Load, schedule } from '../../cluster/support/workload';
import { checkHistory } from '../checker/check-history';
import { type Declaration, type DrainedSpan, judgeOperations, ticksIn } from '../checker/operations';
import type { Outcome, OwnScenario, RunOptions } from '../scenario';
import type { World } from '../world/database';
import type { Member } from '../world/fleet';
import { UNLIMITED, withFleet } from '../world/stage';
import { type Scene, strike, untilSo } from './strike';

/*
 * Operations on a cluster while its nodes die: nodes drain one after the other, and two nodes at a time declare the same schedules.
 */

const moreJobs = join(__dirname, 'operated-jobs.cjs');
const NODES = 3;
const LEAD = 1_000;
const SECOND = 1_000;
const LOAD: Load = {
  name: 'works',
  jobs: 12,
  triggers: 2,
  interval: SECOND,
  duration: 300,
  schedule: 'simple',
  exclusive: false,
  recovers: true,
};

/** Fires every second, and is part of every set. */
const TICK = { cron: '* * * * * ?', misfire: 'all', requestsRecovery: true };
/** Schedules that never fire during the test; only their storage is checked. */
const NEVER = { cron: '0 0 0 1 1 ? 2099' };
const CANDIDATES = Array.from({ length: 10 }, (_, index) => `declared-${index}`);
const BY_HAND = ['by-hand-0', 'by-hand-1'];
const OF_ANOTHER_SET = ['another-0', 'another-1'];
const OTHERS = [...BY_HAND, ...OF_ANOTHER_SET];

const ask = (member: Member, method: string, ...args: readonly unknown[]): Promise<unknown> =>
  member.process?.command('call', { method, args }) ?? Promise.reject(new Error(`${member.name} is down.`));

/** Calls a method of a node; null if the call failed. */
const answerOf = (member: Member, method: string, ...args: readonly unknown[]) =>
  ask(member, method, ...args).catch(() => null);

/** Stores schedules that no declaration of the set `default` may change. */
async function storeOthers({ fleet }: Scene): Promise<void> {
  await fleet.cluster.withScheduler(async (scheduler) => {
    const { cronSchedule, newJob, newTrigger } = quartz();
    for (const name of BY_HAND) {
      const trigger = newTrigger().withIdentity(name).withSchedule(cronSchedule(NEVER.cron));
      await scheduler.scheduleJob(newJob('record').withIdentity(name).build(), [trigger.build()], {
        registeredLater: true,
      });
    }
  });
  const [member] = fleet.living;
  if (member === undefined) throw new Error('No node is up.');
  await ask(member, 'declare', Object.fromEntries(OF_ANOTHER_SET.map((name) => [name, NEVER])), { set: 'another' });
}

/** Drains a node, on request of itself or another node. Later, undrains it until it confirms or has ended. */
async function drainOne({ fleet, random }: Scene): Promise<DrainedSpan | null> {
  const [one, other] = [random.pick(fleet.living), random.pick(fleet.living)];
  const told = one?.process;
  if (one === undefined || other === undefined || !told) return null;
  const instanceId = await answerOf(one, 'getSchedulerInstanceId');
  const hasDrained = await answerOf(other, 'drain', ...(one === other ? [] : [instanceId]));
  const from = monotonic();
  if (hasDrained === true) await pause(random.between(500, 2_000));
  const to = monotonic();
  while (told.isAlive && (await answerOf(one, 'undrain')) === null) await pause(100);
  return hasDrained === true ? { node: told.name, from, to } : null;
}

async function keepDraining(scene: Scene, end: number): Promise<readonly DrainedSpan[]> {
  const spans: DrainedSpan[] = [];
  while (now() < end) {
    await pause(scene.random.between(100, 500));
    const span = await drainOne(scene);
    if (span === null) continue;
    spans.push(span);
    scene.fleet.count('drain');
  }
  return spans;
}

/** Declares the same set on two nodes at once. Returns false if one of them has not confirmed. */
async function declare({ fleet, random }: Scene, names: readonly string[], hasTick = true): Promise<boolean> {
  const [first, second] = fleet.living;
  if (first === undefined || second === undefined) return false;
  const set = Object.fromEntries([
    ...(hasTick ? [['tick', TICK]] : []),
    ...names.map((name) => [name, { ...NEVER, priority: random.between(1, 2) }]),
  ]);
  const answers = await Promise.all([first, second].map((node) => answerOf(node, 'sync', set, { prune: 'all' })));
  fleet.count('sync');
  return answers.every((answer) => answer !== null);
}

const isDeclared = (name: string) => name === 'tick' || CANDIDATES.includes(name) || OTHERS.includes(name);

/** Names of the stored schedules; null if the database is unavailable. */
async function storedIn({ tables }: World): Promise<readonly string[] | null> {
  const text = `SELECT TRIGGER_NAME AS name FROM QRTZ_TRIGGERS WHERE SCHED_NAME = '${SCHED_NAME}' AND TRIGGER_GROUP = 'DEFAULT'`;
  const rows = await tables.query<{ name: string }>(text).catch(() => null);
  return rows?.map(({ name }) => name).filter(isDeclared) ?? null;
}

/** Declares sets repeatedly. After an unconfirmed declaration, which may still be executed, the next one is not checked. */
async function keepDeclaring(scene: Scene, end: number): Promise<readonly Declaration[]> {
  const declarations: Declaration[] = [];
  let isSettled = true;
  while (now() < end) {
    await pause(scene.random.between(50, 300));
    const names = CANDIDATES.filter(() => scene.random.share() < 0.5);
    const wasSettled = isSettled;
    isSettled = await declare(scene, names);
    const stored = isSettled && wasSettled ? await storedIn(scene.world) : null;
    if (stored !== null) declarations.push({ declared: ['tick', ...names], stored });
  }
  return declarations;
}

/** Waits until the load and its recoveries have ended. */
function untilQuiet({ tables }: World): Promise<boolean> {
  const text = `SELECT COUNT(*) AS n FROM QRTZ_TRIGGERS WHERE SCHED_NAME = '${SCHED_NAME}'
    AND (JOB_NAME LIKE '${LOAD.name}-%' OR TRIGGER_GROUP <> 'DEFAULT')`;
  return untilSo(async () => Number((await tables.query<{ n: number }>(text))[0]?.n) === 0);
}

function untilNothingFires({ tables }: World): Promise<boolean> {
  const text = `SELECT COUNT(*) AS n FROM QRTZ_FIRED_TRIGGERS WHERE SCHED_NAME = '${SCHED_NAME}'`;
  return untilSo(async () => Number((await tables.query<{ n: number }>(text))[0]?.n) === 0);
}

/** Without faults, declares a last set on two nodes, and then an empty one. */
async function declareLast(scene: Scene): Promise<readonly Declaration[]> {
  const last: Declaration[] = [];
  for (const names of [CANDIDATES.slice(3), []]) {
    const hasTick = names.length > 0;
    const isDone = await declare(scene, names, hasTick);
    const stored = (await storedIn(scene.world)) ?? [];
    last.push({ declared: hasTick ? ['tick', ...names] : [], stored: isDone ? stored : ['not answered'] });
  }
  return last;
}

async function play(options: RunOptions): Promise<Outcome> {
  const settings = { jobStore: UNLIMITED };
  const launch = { moreJobs, as: [...CANDIDATES, ...OF_ANOTHER_SET] };
  return withFleet(options, { nodes: NODES, settings, launch }, async (scene) => {
    const { fleet, world } = scene;
    await storeOthers(scene);
    const from = Math.ceil((now() + LEAD) / SECOND) * SECOND;
    const to = from + options.seconds * SECOND;
    const expected = expectedTriggers([LOAD], from, to);
    await fleet.cluster.withScheduler((scheduler) => schedule(scheduler, expected));
    const [drained, declarations] = await Promise.all([
      keepDraining(scene, to),
      keepDeclaring(scene, to),
      strike(scene, to),
    ]);
    const isQuiet = await untilQuiet(world);
    const last = await declareLast(scene);
    const isDone = (await untilNothingFires(world)) && isQuiet;
    await fleet.stopAll();
    const run = await fleet.run(expected);
    const { counts, violations } = checkHistory(run);
    const operated = { history: run.history, drained, declarations: [...declarations, ...last], others: OTHERS };
    return {
      counts: {
        ...counts,
        ...fleet.deeds,
        judgedDeclarations: declarations.length,
        ticks: ticksIn(run.history).length,
      },
      violations: {
        ...violations,
        // `checkHistory` expects only the load; the declared schedules are checked here.
        ...judgeOperations({ ...operated, interval: SECOND }),
        leftAtRest: isDone ? [] : ['something still fires'],
        undisturbed: drained.length > 0 && declarations.length > 0 ? [] : ['nothing was drained, or declared'],
      },
    };
  });
}

export const OPERATION_SCENARIOS: readonly OwnScenario[] = [
  {
    name: 'operations',
    about: 'nodes are drained, and declare schedules at the same time; kill -9, SIGSTOP, kill -9 of the server',
    play,
  },
];
