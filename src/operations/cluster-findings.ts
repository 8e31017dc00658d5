import type { NodeInfo } from '../api/reading';
import type { Scheduler } from '../api/scheduler';
import type { Draft, Drafts } from './finding';

/** Beyond this, leases and misfires are judged wrongly beside Java nodes. Milliseconds. */
const MAX_CLOCK_OFFSET_MS = 3_000;

/** Null: the node fires. */
export async function notReady(scheduler: Scheduler): Promise<Draft | null> {
  const { isReady, isStarted, isStoreReachable, isCheckInFresh, isDraining } = await scheduler.health();
  if (isReady) return null;
  const causes = [
    !isStarted && 'it is not started',
    !isStoreReachable && 'its store does not answer',
    isStarted && !isCheckInFresh && 'its lease has run out',
    isDraining && 'it drains',
  ].filter((each) => each !== false);
  return {
    severity: isStarted && !isDraining ? 'problem' : 'note',
    expected: 'a node that fires',
    found: `This node does not fire: ${causes.join(', ')}.`,
    advice: 'Start or undrain it if it is to fire; otherwise ask a node that does.',
  };
}

/** The same for a command, which is no node itself: null if a node is alive. */
export function noNode(nodes: readonly NodeInfo[]): Draft | null {
  if (nodes.some(({ state }) => state === 'alive')) return null;
  return {
    severity: 'note',
    expected: 'a node that fires',
    found: 'No node is alive, so nothing fires.',
    advice: 'Start a node with `quartz run` or with a program of yours.',
  };
}

/** What is to be said of the nodes by what they tell of themselves. */
export function nodeFindings(nodes: readonly NodeInfo[]): Drafts {
  const silent = nodes.filter(({ state }) => state === 'silent');
  const java = nodes.filter(({ isJava }) => isJava);
  const versions = [...new Set(nodes.flatMap(({ version }) => version ?? []))];
  return {
    nodesSilent: silent.length === 0 ? null : silentFinding(silent),
    nodesHoldBack: holdBackFinding(nodes),
    javaNodes: java.length === 0 ? null : javaFinding(java),
    versions: versions.length < 2 ? null : versionsFinding(versions),
  };
}

function namesOf(nodes: readonly NodeInfo[]): string {
  return nodes.map(({ instanceId }) => instanceId).join(', ');
}

function silentFinding(nodes: readonly NodeInfo[]): Draft {
  return {
    severity: 'warning',
    expected: 'nodes that check in before their lease ends',
    found: `These nodes do not check in: ${namesOf(nodes)}.`,
    advice:
      'The others take over what they hold. If they are meant to run, look at their logs and their way to the database.',
  };
}

function holdBackFinding(nodes: readonly NodeInfo[]): Draft | null {
  const found = nodes.flatMap(({ instanceId, holdsBack }) =>
    holdsBack === null
      ? []
      : [`${instanceId} (since ${holdsBack.since.toISOString()}, until ${holdsBack.until.toISOString()})`],
  );
  if (found.length === 0) return null;
  return {
    severity: 'warning',
    expected: 'nodes whose event loops are never blocked for longer than jobStore.handOverAfterStall',
    found: `These nodes were blocked and leave triggers to the others: ${found.join(', ')}.`,
    advice: 'Run jobs that compute for long in worker threads, and look for what stops these processes.',
  };
}

function javaFinding(nodes: readonly NodeInfo[]): Draft {
  return {
    severity: 'note',
    expected: 'nodes of quartz-ts alone',
    found: `Nodes of the Java Quartz share the tables: ${namesOf(nodes)}.`,
    advice: 'Keep the clocks together, and expect what only Java can read to fire there alone.',
  };
}

function versionsFinding(versions: readonly string[]): Draft {
  return {
    severity: 'note',
    expected: 'one version on all nodes',
    found: `Nodes run different versions: ${versions.join(', ')}.`,
    advice: 'That is fine during an update; otherwise bring all nodes to one version.',
  };
}

/** A clock beside that of the database. */
interface ComparedClock {
  /** Null: this machine's. */
  readonly instanceId: string | null;
  /** The database's minus this one. Milliseconds. */
  readonly offset: number;
}

/** Null: the clocks are together. */
export function clockFindings(clocks: readonly ComparedClock[]): Draft | null {
  const wrong = clocks.filter(({ offset }) => Math.abs(offset) > MAX_CLOCK_OFFSET_MS);
  if (wrong.length === 0) return null;
  const found = wrong.slice(0, 10).map(({ instanceId, offset }) => {
    const whose = instanceId === null ? "This machine's clock" : `The clock of ${instanceId}`;
    return `${whose} is ${Math.round(Math.abs(offset) / 1_000)} s ${offset > 0 ? 'behind' : 'ahead of'} the database's.`;
  });
  return {
    severity: 'warning',
    expected: `clocks within ${MAX_CLOCK_OFFSET_MS / 1_000} s of the database's`,
    found: found.join(' '),
    advice: 'Let all machines be set by the same time service (NTP).',
  };
}

/** Null: some are free. */
export function workersFinding({
  workers,
  busyWorkers,
}: {
  readonly workers: number;
  readonly busyWorkers: number;
}): Draft | null {
  if (workers === 0 || busyWorkers < workers) return null;
  return {
    severity: 'warning',
    expected: 'free workers',
    found: `All ${workers} workers of this node are busy.`,
    advice: 'Raise threadPool.threadCount, or add a node, if triggers fire late.',
  };
}

/** Null: every firing belongs to a node. */
export function orphansFinding(orphans: readonly string[]): Draft | null {
  if (orphans.length === 0) return null;
  return {
    severity: 'warning',
    expected: 'firings that belong to nodes',
    found: `These ids hold firings, and no node has them: ${orphans.slice(0, 10).join(', ')}.`,
    advice: 'A started node recovers them when the lease they may have had is over.',
  };
}
