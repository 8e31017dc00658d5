import { SystemClock } from '../../../src/base/clock';
import { completesWithin } from '../../../src/base/sleep';
import { checkHistory, errorsIn, type Run } from '../../chaos/checker/check-history';
import { Cluster } from './cluster';
import type { Noted } from './history';
import type { NodeProcess } from './node-process';
import type { RestState, Tables } from './tables';
import { pause } from './time';

/*
 * Common parts of the tests of this folder: nodes on new tables, a trigger that only waits, and a check that no work is left at the end.
 */

const clock = new SystemClock();
/** Long, because it only matters if a test fails or the machine is very slow. */
const PATIENCE = 60_000;

/**
 * Runs `work` with a cluster whose nodes have these store settings, and disposes of the cluster. Fails after `patience` milliseconds, because Jest's
 * own timeout would leave the processes running.
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

/** The node that reports the event first, and the time. */
export async function firstToSee(
  nodes: readonly NodeProcess[],
  event: string,
): Promise<{ readonly node: NodeProcess; readonly mono: number }> {
  return Promise.race(nodes.map(async (node) => ({ node, mono: await node.seen(event) })));
}

/**
 * Expects the state after the load while `nodes` still run: no firing is executing or reserved, remaining triggers wait, only the live nodes are
 * stored, and no node has repaired a state.
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

/** Expects no violation in the run. */
export function expectSound(run: Run): void {
  const { violations } = checkHistory(run);
  expect(Object.entries(violations).filter(([, found]) => found.length > 0)).toEqual([]);
}

export function expectNoErrors(run: Run): void {
  expect(errorsIn(run.history)).toEqual([]);
}

/** Returns the state as soon as it is the expected one, or after the timeout. */
async function restWhen(cluster: Cluster, isWanted: (state: RestState) => boolean): Promise<RestState> {
  for (const end = clock.monotonic() + PATIENCE; ; await pause(50)) {
    const state = await cluster.restState();
    if (isWanted(state) || clock.monotonic() > end) return state;
  }
}
