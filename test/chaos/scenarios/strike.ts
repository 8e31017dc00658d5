import { SCHED_NAME } from '../../cluster/support/cluster';
import { now, pause } from '../../cluster/support/time';
import type { World } from '../world/database';
import type { Fleet } from '../world/fleet';
import type { Random } from '../world/random';

/*
 * What scenarios with a judgement of their own have in common: faults of every kind, until a moment, and the wait until nothing is left.
 */

const LAST_FAULT = 4_000;
const LOOK_PAUSE = 250;
/** How long it may take until nothing is left to run. */
const PATIENCE = 90_000;

export interface Scene {
  readonly world: World;
  readonly fleet: Fleet;
  readonly random: Random;
}

/** Kills nodes, stops them, and restarts the server where there is one. */
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

/** Chained triggers stay, and so does what ended as it misfired; everything else has ended when none of the others is left, nor a firing. */
export function untilDone(world: World): Promise<boolean> {
  const text = `SELECT (SELECT COUNT(*) FROM QRTZ_FIRED_TRIGGERS WHERE SCHED_NAME = '${SCHED_NAME}')
    + (SELECT COUNT(*) FROM QRTZ_TRIGGERS WHERE SCHED_NAME = '${SCHED_NAME}' AND TRIGGER_TYPE <> 'AFTER' AND TRIGGER_STATE <> 'COMPLETE') AS n`;
  return untilSo(async () => {
    const [row] = await world.tables.query<{ n: number }>(text);
    return Number(row?.n) === 0;
  });
}

/** False: it was not so within the patience. */
export async function untilSo(isSo: () => boolean | Promise<boolean>, patience = PATIENCE): Promise<boolean> {
  for (const end = now() + patience; now() < end; await pause(LOOK_PAUSE)) if (await isSo()) return true;
  return false;
}

/** So many times, `interval` apart. */
export const everyTime = (from: number, count: number, interval: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => from + index * interval);
