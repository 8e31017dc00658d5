import type { OutputOf } from '../../operations/operations';
import { formatDuration } from '../parse-duration';

type Node = OutputOf<'nodes.list'>['items'][number];

/** State of a node in a few words. */
export function nodeStateText({
  state,
  isDraining,
  holdsBack,
}: Pick<Node, 'state' | 'isDraining' | 'holdsBack'>): string {
  if (isDraining) return 'draining';
  // Without the date, because it lasts a few minutes at most, and a row must fit.
  return state === 'alive' && holdsBack !== null ? `holding back since ${toSecond(holdsBack.since).slice(11)}` : state;
}

function toSecond(instant: string): string {
  return instant.replace(/\.\d+/, '');
}

/** Formats a node as a row that fits on a terminal; the JSON output contains more. */
export function formatNode(node: Node): object {
  const { instanceId, lastCheckInTime, version, host, load } = node;
  const late = (value: number | null | undefined) => (typeof value === 'number' ? formatDuration(value) : null);
  return {
    node: instanceId,
    state: nodeStateText(node),
    lastCheckIn: lastCheckInTime && toSecond(lastCheckInTime),
    version,
    // Omitted if the id begins with it, as generated ids do.
    host: host !== null && instanceId.startsWith(host) ? null : host,
    running: load && `${load.running}/${load.workers}`,
    'per min': load?.firingsPerMinute ?? null,
    failed: load?.failedPerMinute ?? null,
    'p50 late': late(load?.latenessMs.p50),
    'p99 late': late(load?.latenessMs.p99),
  };
}
