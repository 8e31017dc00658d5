import type { OutputOf } from '../../operations/operations';
import { formatDuration } from '../parse-duration';

type Node = OutputOf<'nodes.list'>['items'][number];

/** A node as a row that fits on a terminal; what else is known of it is in the JSON. */
export function nodeForPeople({ instanceId, state, isDraining, lastCheckInTime, version, host, load }: Node): object {
  const late = (value: number | null | undefined) => (typeof value === 'number' ? formatDuration(value) : null);
  return {
    node: instanceId,
    state: isDraining ? 'draining' : state,
    lastCheckIn: lastCheckInTime?.replace(/\.\d+/, '') ?? null,
    version,
    // The id that is made for a node begins with it.
    host: host !== null && instanceId.startsWith(host) ? null : host,
    running: load && `${load.running}/${load.workers}`,
    'per min': load?.firingsPerMinute ?? null,
    failed: load?.failedPerMinute ?? null,
    'p50 late': late(load?.latenessMs.p50),
    'p99 late': late(load?.latenessMs.p99),
  };
}
