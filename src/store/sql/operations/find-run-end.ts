import type { EpochMs } from '../../../base/clock';
import { RUN_OUTCOMES, type RunCursor } from '../../../domain/run';
import type { RunRow } from '../rows/run-rows';
import type { SqlNode } from '../rows/sql-node';
import { toFlag } from '../rows/trigger-kinds';
import type { SqlParams, SqlTransaction } from '../runtime/sql-driver';
import { countIn } from './read-schedule';

/** Maximum number of runs to skip in one transaction. If the store has a single connection, firings wait until the transaction ends. */
const STEP = 10_000;

const BEGINNING: RunCursor = { endTime: -8.64e15, runId: '' };

/** Runs `work` in its own read transaction. */
type Read = <Result>(work: (tx: SqlTransaction) => Promise<Result>) => Promise<Result>;

/** End time of the run after the `newer` most recent; null if none. Reads from the oldest: the caller deletes older runs, so few are left. */
export async function findRunEnd(read: Read, { schedName }: SqlNode, newer: number): Promise<EpochMs | null> {
  let total = 0;
  for (const outcome of RUN_OUTCOMES)
    for (const isDeadLetter of [toFlag(false), toFlag(true)])
      total += await countRuns(read, { schedName, outcome, isDeadLetter });
  let place = BEGINNING;
  for (let older = total - newer; older > 0; older -= STEP) {
    const next = await pass(read, 'selectRunEnd', { schedName }, { place, count: Math.min(older, STEP) });
    if (next === null) return null; // other nodes have deleted runs since they were counted
    place = next;
  }
  return place === BEGINNING ? null : place.endTime;
}

/** Counts the runs of one index range: full steps of `STEP` runs, and the remainder. */
async function countRuns(read: Read, range: SqlParams): Promise<number> {
  let total = 0;
  let place = BEGINNING;
  for (;;) {
    const next = await pass(read, 'selectRunAfter', range, { place, count: STEP });
    if (next === null) break;
    total += STEP;
    place = next;
  }
  return total + (await read((tx) => countIn(tx, 'countRuns', { ...range, ...place, most: STEP })));
}

/** Returns the position `count` runs after `place`; null if fewer runs follow. */
async function pass(
  read: Read,
  statement: 'selectRunAfter' | 'selectRunEnd',
  range: SqlParams,
  { place, count }: { readonly place: RunCursor; readonly count: number },
): Promise<RunCursor | null> {
  const params = { ...range, ...place, skipped: count - 1 };
  const [row] = await read((tx) => tx.all<Pick<RunRow, 'ENDED_TIME' | 'RUN_ID'>>(statement, params));
  return row === undefined ? null : { endTime: row.ENDED_TIME, runId: row.RUN_ID };
}
