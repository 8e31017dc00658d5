import { SCHED_NAME } from '../../cluster/support/cluster';
import { monotonic } from '../../cluster/support/monotonic.cjs';
import { now, pause } from '../../cluster/support/time';
import { isAtRest, type Rest, readProgress, readRest } from '../checker/rest';
import type { World } from './database';

/** How long nothing may happen before rows are taken for left, and how long it may all last. Milliseconds. */
const PATIENCE = 60_000;
const LONGEST = 600_000;
const LOOK_PAUSE = 250;
/** What is late by less is not behind. */
const SLACK = 1_000;

/** Waits until every trigger has fired for the last time; however slow the machine is, as long as something goes on. */
export async function untilAtRest(world: World): Promise<{ readonly rest: Rest; readonly quietAfter: number }> {
  const begin = monotonic();
  await whileSomethingGoesOn(world, async () => isAtRest(await readRest(world.tables, SCHED_NAME)));
  const quietAfter = monotonic() - begin;
  // Read once more: the tables changed while they were read.
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

/** Waits until no node's last check-in is longer ago than so many milliseconds, or `isOver`. */
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
