import type { OutputOf } from '../../operations/operations';
import { formatDuration } from '../parse-duration';

type Node = OutputOf<'nodes.list'>['items'][number];

export function nodeStateText({
  state,
  isDraining,
  holdsBack,
}: Pick<Node, 'state' | 'isDraining' | 'holdsBack'>): string {
  if (isDraining) return 'draining';
  // Omits the date, because a node holds back for a few minutes at most, and the row must fit on the terminal.
  return state === 'alive' && holdsBack !== null ? `holding back since ${toSecond(holdsBack.since).slice(11)}` : state;
}

function toSecond(instant: string): string {
  return instant.replace(/\.\d+/, '');
}

export function formatNode(node: Node): object {
  const { instanceId, lastCheckInTime, version, host, load } = node;
  const late = (value: number | null | undefined) => (typeof value === 'number' ? formatDuration(value) : null);
  return {
    node: instanceId,
    state: nodeStateText(node),
    lastCheckIn: lastCheckInTime && toSecond(lastCheckInTime),
    version,
    // Omitted if the instance id starts with the host name, as generated ids do.
    host: host !== null && instanceId.startsWith(host) ? null : host,
    running: load && `${load.running}/${load.workers}`,
    'per min': load?.firingsPerMinute ?? null,
    failed: load?.failedPerMinute ?? null,
    'p50 late': late(load?.latenessMs.p50),
    'p99 late': late(load?.latenessMs.p99),
  };
}
