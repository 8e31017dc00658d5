import { SystemClock } from '../../../src/base/clock';
import { completesWithin } from '../../../src/base/sleep';
import { checkHistory, errorsIn, type Run } from '../../chaos/checker/check-history';
import { Cluster } from './cluster';
import type { Noted } from './history';
import type { NodeProcess } from './node-process';
import type { RestState, Tables } from './tables';
import { pause } from './time';

/*
 * What the proofs of this folder have in common: nodes on new tables, a trigger that only waits, and rest at the end.
 */

const clock = new SystemClock();
/** Long: it only matters when something is wrong, or the machine very slow. */
const PATIENCE = 60_000;

/**
 * Runs `work` with a cluster whose nodes have these settings of the store, and ends it however that went: after `patience`
 * milliseconds it has failed, since Jest's own time limit would leave the processes running.
 */
export async function inCluster<T>(
  tables: Tables,
  jobStore: object,
  work: (cluster: Cluster) => Promise<T>,
  patience = 120_000,
): Promise<T> {
  const cluster = await Cluster.on(tables, jobStore);
  try {
    const worked = work(cluster);
    if (!(await completesWithin(clock, patience, worked))) throw new Error(`Not done within ${patience} ms.`);
    return await worked;
  } finally {
    await cluster.dispose();
  }
}

/** The node that tells of such an event first, and when. */
export async function firstToSee(
  nodes: readonly NodeProcess[],
  event: string,
): Promise<{ readonly node: NodeProcess; readonly mono: number }> {
  return Promise.race(nodes.map(async (node) => ({ node, mono: await node.seen(event) })));
}

/**
 * What must hold when the load has ended and `nodes` live on: nobody executes or reserves anything, what is left waits, the
 * living nodes and no others are stored, and no node ever had to repair a state.
 */
export async function expectRest(cluster: Cluster, nodes: readonly NodeProcess[], waiting = 0): Promise<void> {
  const expected: RestState = {
    firedRows: 0,
    states: waiting === 0 ? {} : { WAITING: waiting },
    nodes: nodes.map(({ name }) => name).sort(),
    locks: 2,
  };
  expect(await restWhen(cluster, (state) => JSON.stringify(state) === JSON.stringify(expected))).toEqual(expected);
  const repairs = cluster
    .history()
    .filter((line): line is Noted => line.line === 'event' && line.type === 'statesRepaired');
  expect(repairs).toEqual([]);
}

/** Nothing may be wrong with the run. */
export function expectSound(run: Run): void {
  const { violations } = checkHistory(run);
  expect(Object.entries(violations).filter(([, found]) => found.length > 0)).toEqual([]);
}

export function expectNoErrors(run: Run): void {
  expect(errorsIn(run.history)).toEqual([]);
}

/** The state as soon as it is the wanted one, or as it is when patience has run out. */
async function restWhen(cluster: Cluster, isWanted: (state: RestState) => boolean): Promise<RestState> {
  for (const end = clock.monotonic() + PATIENCE; ; await pause(50)) {
    const state = await cluster.restState();
    if (isWanted(state) || clock.monotonic() > end) return state;
  }
}
