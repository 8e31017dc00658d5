import { SCHED_NAME } from '../../cluster/support/cluster';
import { now, pause } from '../../cluster/support/time';
import type { World } from '../world/database';
import type { Fleet } from '../world/fleet';
import type { Random } from '../world/random';

/*
 * Common parts of scenarios with their own checks: faults of every kind for a time, and the wait until all work has ended.
 */

const LAST_FAULT = 4_000;
const LOOK_PAUSE = 250;
/** Maximum time until all work has ended. Milliseconds. */
const PATIENCE = 90_000;

export interface Scene {
  readonly world: World;
  readonly fleet: Fleet;
  readonly random: Random;
}

/** Kills and stops nodes, and restarts the server, if there is one. */
export async function strike({ fleet, world, random }: Scene, end: number): Promise<void> {
  const going: Promise<void>[] = [];
  for (let turn = 0; now() < end - LAST_FAULT; turn++) {
    await pause(random.between(900, 2_000));
    const free = fleet.living;
    const [victim, other] = [random.pick(free), free.at(-1)];
    if (turn % 3 === 2 && world.kind !== 'sqlite') {
      await fleet.during('outage', 'server kill -9', () => world.server.restart('SIGKILL'));
    } else if (turn % 3 === 1 && other !== undefined && free.length > 1) {
      going.push(fleet.freeze(other, random.between(500, 6_000)));
    } else if (victim !== undefined && free.length > 1) {
      await fleet.kill(victim);
      going.push(fleet.start(victim));
    }
  }
  await Promise.all(going);
}

/** Waits until no firing and no trigger is left, except chained triggers and triggers that ended by a misfire. */
export function untilDone(world: World): Promise<boolean> {
  const text = `SELECT (SELECT COUNT(*) FROM QRTZ_FIRED_TRIGGERS WHERE SCHED_NAME = '${SCHED_NAME}')
    + (SELECT COUNT(*) FROM QRTZ_TRIGGERS WHERE SCHED_NAME = '${SCHED_NAME}' AND TRIGGER_TYPE <> 'AFTER' AND TRIGGER_STATE <> 'COMPLETE') AS n`;
  return untilSo(async () => {
    const [row] = await world.tables.query<{ n: number }>(text);
    return Number(row?.n) === 0;
  });
}

/** Polls a condition. Returns false after the timeout. */
export async function untilSo(isSo: () => boolean | Promise<boolean>, patience = PATIENCE): Promise<boolean> {
  for (const end = now() + patience; now() < end; await pause(LOOK_PAUSE)) if (await isSo()) return true;
  return false;
}

/** `count` times, `interval` apart. */
export const everyTime = (from: number, count: number, interval: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => from + index * interval);
