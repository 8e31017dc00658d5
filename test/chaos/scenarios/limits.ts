import { now, pause } from '../../cluster/support/time';
import { type ExpectedTrigger, type Load, schedule } from '../../cluster/support/workload';
import { checkHistory } from '../checker/check-history';
import type { Outcome, OwnScenario, RunOptions } from '../scenario';
import { untilAtRest } from '../world/at-rest';
import type { Fleet } from '../world/fleet';
import type { Random } from '../world/random';
import { UNLIMITED, withFleet } from '../world/stage';

/*
 * Limits by key, with more due triggers than may run at once.
 */

const FIRINGS = 10_000;
const KEYS = 10;
const LIMIT = 5;
const NODES = 3;
/** Durations of runs, alternating by key. Short runs share a slot on their node; firings that continue too early would overlap. */
const DURATIONS = [3, 12];
const LEAD = 500;

/** Triggers that are all due at once, the same number for each key. */
function keyedTriggers(firings: number, at: number): readonly ExpectedTrigger[] {
  return Array.from({ length: firings }, (_, index) => {
    const load: Load = {
      name: `key-${index % KEYS}`,
      jobs: firings / KEYS,
      triggers: 1,
      interval: 0,
      duration: DURATIONS[index % DURATIONS.length] as number,
      schedule: 'once',
      exclusive: false,
      recovers: true,
      limit: LIMIT,
    };
    const name = `${load.name}-${index}`;
    return { load, job: name, trigger: name, times: [at] };
  });
}

/** Kills a node and stops another one, repeatedly, while the backlog drains. */
async function disturb(fleet: Fleet, random: Random, isOver: () => boolean): Promise<void> {
  const going: Promise<void>[] = [];
  while (!isOver()) {
    await pause(random.between(700, 1_500));
    const [victim, other] = fleet.living;
    if (isOver() || victim === undefined || other === undefined) continue;
    going.push(fleet.freeze(other, random.between(500, 4_000)));
    await fleet.kill(victim);
    going.push(fleet.start(victim));
  }
  await Promise.all(going);
}

async function keyed(options: RunOptions): Promise<Outcome> {
  return withFleet(options, { nodes: NODES, settings: { jobStore: UNLIMITED } }, async ({ fleet, world, random }) => {
    const firings = Math.round((FIRINGS * options.share) / KEYS) * KEYS;
    const expected = keyedTriggers(firings, now() + LEAD);
    let isOver = false;
    const begin = now();
    const disturbed = disturb(fleet, random, () => isOver); // starts before the schedule is stored, because many triggers fire in that time
    await fleet.cluster.withScheduler((scheduler) => schedule(scheduler, expected));
    const { rest } = await untilAtRest(world);
    const took = now() - begin;
    isOver = true;
    await disturbed;
    await fleet.stopAll();
    const { counts, violations } = checkHistory(await fleet.run(expected));
    return {
      counts: { ...counts, ...fleet.deeds },
      violations: {
        ...violations,
        leftAtRest: rest.triggers === 0 ? [] : [JSON.stringify(rest.states)],
        undisturbed: fleet.deeds.kill ? [] : ['the backlog had drained before a node was killed'],
      },
      notes: [`${firings} firings of ${KEYS} keys in ${took} ms`],
    };
  });
}

export const LIMIT_SCENARIOS: readonly OwnScenario[] = [
  {
    name: 'keyed',
    about: '10,000 firings of ten keys, at most five at a time per key; kill -9 and SIGSTOP',
    play: keyed,
  },
];
