import type { NodeInfo } from '../api/reading';
import type { Scheduler } from '../api/scheduler';
import { formatKey } from '../domain/keys';
import { RULE_DIFFERENCES, type Rules } from '../domain/rules';
import type { ControlExamination } from '../scheduler/control-reads';
import type { FullNode } from './cluster-figures';
import { type Draft, type Drafts, draftOf } from './finding';

/** Maximum clock offset in milliseconds. In a cluster with Java nodes, a larger offset leads to wrong decisions about leases and misfires. */
const MAX_CLOCK_OFFSET_MS = 3_000;

export async function notReady(scheduler: Scheduler): Promise<Draft | null> {
  const { isReady, isStarted, isStoreReachable, isCheckInFresh, isDraining } = await scheduler.health();
  if (isReady) return null;
  const causes = [
    !isStarted && 'the scheduler is not started',
    !isStoreReachable && 'the store does not answer',
    isStarted && !isCheckInFresh && 'its lease has expired',
    isDraining && 'it is draining',
  ].filter((each) => each !== false);
  return {
    severity: isStarted && !isDraining ? 'problem' : 'note',
    expected: 'a node that fires',
    found: `This node does not fire: ${causes.join(', ')}.`,
    advice: 'If this node should fire, start or undrain it. Otherwise send the request to a node that fires.',
  };
}

/** Returns the finding for a cluster without a live node, or null. Used only by commands, because a command runs no node itself. */
export function noNode(nodes: readonly NodeInfo[]): Draft | null {
  if (nodes.some(({ state }) => state === 'alive')) return null;
  return {
    severity: 'note',
    expected: 'a node that fires',
    found: 'No node is alive, so nothing fires.',
    advice: 'Start a node with `quartz run` or with your own program.',
  };
}

export function nodeFindings(nodes: readonly NodeInfo[]): Drafts {
  const silent = nodes.filter(({ state }) => state === 'silent');
  const java = nodes.filter(({ isJava }) => isJava);
  const versions = [...new Set(nodes.flatMap(({ version }) => version ?? []))];
  const holdBacks = nodes.flatMap(({ instanceId, holdsBack: period }) =>
    period === null ? [] : [`${instanceId} (since ${period.since.toISOString()}, until ${period.until.toISOString()})`],
  );
  const refusals = nodes.flatMap(({ instanceId, refusedJobTypes }) =>
    refusedJobTypes.map(({ jobType, since }) => `${instanceId}: ${jobType} (since ${since.toISOString()})`),
  );
  return {
    nodesSilent: draftOf(silent.length, {
      severity: 'warning',
      expected: 'nodes that check in before their lease expires',
      found: `Nodes that no longer check in: ${namesOf(silent)}.`,
      advice:
        'Other nodes take over their work. If these nodes should be running, check their logs and their connection to the database.',
    }),
    nodesHoldBack: draftOf(holdBacks.length, {
      severity: 'warning',
      expected: 'nodes whose event loop is never blocked for longer than jobStore.yieldAfterStall',
      found: `Nodes that were blocked and leave triggers to other nodes: ${holdBacks.join(', ')}.`,
      advice: 'Run CPU-bound jobs in worker threads, and check what blocks their processes.',
    }),
    nodesRefuseJobs: draftOf(refusals.length, {
      severity: 'warning',
      expected: 'nodes that can create the objects of their registered jobs',
      found: `Nodes that cannot create jobs of a type, and leave them to other nodes: ${refusals.slice(0, 10).join(', ')}.`,
      advice: 'The event runRefused and the log of the node contain the error of the job factory or constructor.',
    }),
    javaNodes: draftOf(java.length, {
      severity: 'note',
      expected: 'only nodes of quartz-ts',
      found: `Nodes of Java Quartz share the tables: ${namesOf(java)}.`,
      advice: 'Synchronise the clocks of all machines. Triggers that only Java can read fire only on Java nodes.',
    }),
    timeZoneData: zoneDataFinding(nodes),
    versions: draftOf(versions.length < 2 ? 0 : versions.length, {
      severity: 'note',
      expected: 'the same version on all nodes',
      found: `Nodes run different versions: ${versions.join(', ')}.`,
      advice: 'This is expected during an update. Otherwise update all nodes to the same version.',
    }),
  };
}

/** Returns the finding for living nodes with different time zone data, or null. Java nodes do not publish theirs. */
function zoneDataFinding(nodes: readonly NodeInfo[]): Draft | null {
  const known = nodes.filter(({ state, timeZoneData }) => state === 'alive' && timeZoneData !== null);
  const versions = [...new Set(known.map(({ timeZoneData }) => timeZoneData ?? ''))];
  const shown = known.slice(0, 10).map(({ instanceId, timeZoneData }) => `${instanceId}: ${timeZoneData}`);
  return draftOf(versions.length < 2 ? 0 : versions.length, {
    severity: 'warning',
    expected: 'the same version of the time zone data on all nodes',
    found: `Nodes have different time zone data: ${shown.join(', ')}.`,
    advice:
      'In a zone whose rules have changed, fire times depend on the node that computes them. Use the same version of Node.js on all nodes. When no node ' +
      'with older data is left, a node with the newest data recomputes the stored fire times.',
  });
}

/** Returns the finding for living Java nodes beside the rules `safe`, or null. */
export function rulesFinding(nodes: readonly NodeInfo[], rules: Rules | undefined): Draft | null {
  if (rules !== 'safe') return null;
  const java = nodes.filter(({ isJava, state }) => isJava && state === 'alive');
  return draftOf(java.length, {
    severity: 'warning',
    expected: 'scheduler.rules: quartz beside Java nodes',
    found:
      `The rules of this scheduler are 'safe'. The Java nodes ${namesOf(java)} have Quartz's, which differ in: ` +
      `${RULE_DIFFERENCES.map(({ name }) => name).join(', ')}.`,
    advice:
      '`quartz rules show` describes each difference: the fire times of such a trigger depend on the node that fires it. ' +
      'To follow Quartz on all nodes, stop those of quartz-ts, run `quartz rules set quartz`, and start them with scheduler.rules: quartz.',
  });
}

/** Maximum number of jobs and triggers that a finding names. */
const MAX_NAMED = 10;

/** Returns the finding for job data that living Java nodes cannot read, or null. */
export async function dataFinding(
  nodes: readonly NodeInfo[],
  { findJsonData }: Pick<ControlExamination, 'findJsonData'>,
): Promise<Draft | null> {
  const java = nodes.filter(({ isJava, state }) => isJava && state === 'alive');
  const owners = java.length === 0 ? [] : await findJsonData(MAX_NAMED + 1);
  const named = owners.slice(0, MAX_NAMED).map(({ what, key }) => `${what} ${formatKey(key)}`);
  return draftOf(owners.length, {
    severity: 'warning',
    expected: 'job data that Java nodes can read',
    found:
      `The Java nodes ${namesOf(java)} cannot read the data of these jobs and triggers, which is JSON: ${named.join(', ')}` +
      `${owners.length > MAX_NAMED ? ' and more' : ''}.`,
    advice:
      'It was stored before a Java node joined, or holds other values than text beside jobStore.useProperties. ' +
      'Store these jobs and triggers again with a change, such as another description.',
  });
}

function namesOf(nodes: readonly NodeInfo[]): string {
  return nodes.map(({ instanceId }) => instanceId).join(', ');
}

/** Returns the finding for clocks of nodes (or of this process, if `instanceId` is null) that differ too much from the database's, or null. */
export function clockFinding(
  clocks: readonly { readonly instanceId: string | null; readonly offset: number }[],
): Draft | null {
  const wrong = clocks.filter(({ offset }) => Math.abs(offset) > MAX_CLOCK_OFFSET_MS);
  const found = wrong.slice(0, 10).map(({ instanceId, offset }) => {
    const whose = instanceId === null ? "This machine's clock" : `The clock of ${instanceId}`;
    return `${whose} is ${Math.round(Math.abs(offset) / 1_000)} s ${offset > 0 ? 'behind' : 'ahead of'} the database's.`;
  });
  return draftOf(wrong.length, {
    severity: 'warning',
    expected: `clocks within ${MAX_CLOCK_OFFSET_MS / 1_000} s of the database's`,
    found: found.join(' '),
    advice: 'Synchronise all machines with the same time service (NTP).',
  });
}

export function workersFinding(full: readonly FullNode[]): Draft | null {
  const nodes = full.slice(0, 10).map(({ instanceId, workers, longest }) => {
    const runs = longest.map(
      ({ runId, jobKey, fireTime }) => `${formatKey(jobKey)} (run ${runId}, since ${fireTime.toISOString()})`,
    );
    return `${instanceId} (${workers} in use; longest: ${runs.join(', ')})`;
  });
  return draftOf(nodes.length, {
    severity: 'warning',
    expected: 'free workers',
    found: `Nodes without a free worker: ${nodes.join('; ')}.`,
    advice:
      'If these runs should have ended, interrupt them and set a timeout for their jobs. If triggers fire late, raise threadPool.threadCount or add a node.',
  });
}

export function orphansFinding(orphans: readonly string[]): Draft | null {
  return draftOf(orphans.length, {
    severity: 'warning',
    expected: 'firings that belong to a known node',
    found: `Instance ids that have firings but belong to no node: ${orphans.slice(0, 10).join(', ')}.`,
    advice: 'A started node recovers the firings when the lease of their node has expired.',
  });
}
