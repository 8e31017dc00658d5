import { SCHED_NAME } from '../../cluster/support/cluster';
import { monotonic } from '../../cluster/support/monotonic.cjs';
import { now, pause } from '../../cluster/support/time';
import { isAtRest, type Rest, readProgress, readRest } from '../checker/rest';
import type { World } from './database';

/** Maximum time without progress, after which remaining rows count as left over, and maximum time in total. Milliseconds. */
const PATIENCE = 60_000;
const LONGEST = 600_000;
const LOOK_PAUSE = 250;
/** Minimum lateness of an overdue trigger. Milliseconds. */
const SLACK = 1_000;

/** Waits until every trigger has ended, as long as there is progress. */
export async function untilAtRest(world: World): Promise<{ readonly rest: Rest; readonly quietAfter: number }> {
  const begin = monotonic();
  await whileSomethingGoesOn(world, async () => isAtRest(await readRest(world.tables, SCHED_NAME)));
  const quietAfter = monotonic() - begin;
  // Read again, because the tables may have changed while they were read.
  return { rest: await readRest(world.tables, SCHED_NAME), quietAfter };
}

/** Waits until no trigger is overdue. */
export async function untilCaughtUp({ tables }: World): Promise<void> {
  await whileSomethingGoesOn({ tables }, async () => {
    const [row] = await tables.query<{ n: number }>(
      `SELECT COUNT(*) AS n FROM QRTZ_TRIGGERS WHERE SCHED_NAME = '${SCHED_NAME}' AND TRIGGER_STATE IN ('WAITING', 'ACQUIRED', 'BLOCKED') AND NEXT_FIRE_TIME < ${now() - SLACK}`,
    );
    return Number(row?.n) === 0;
  });
}

/** Waits until every node has checked in within `longest` ms, or until `isOver`. */
export async function untilCheckedIn({ tables }: World, longest: number, isOver: () => boolean): Promise<void> {
  const text = `SELECT MIN(LAST_CHECKIN_TIME) AS last FROM QRTZ_SCHEDULER_STATE WHERE SCHED_NAME = '${SCHED_NAME}'`;
  for (; !isOver(); await pause(50)) {
    const [row] = await tables.query<{ last: number }>(text);
    if (now() - Number(row?.last) <= longest) return;
  }
}

async function whileSomethingGoesOn({ tables }: Pick<World, 'tables'>, isOver: () => Promise<boolean>): Promise<void> {
  const end = monotonic() + LONGEST;
  let progress = { count: 0, at: monotonic() };
  while (!(await isOver())) {
    const count = await readProgress(tables);
    if (count !== progress.count) progress = { count, at: monotonic() };
    if (monotonic() - progress.at > PATIENCE || monotonic() > end) return;
    await pause(LOOK_PAUSE);
  }
}
