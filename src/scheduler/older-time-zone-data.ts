import type { Clock } from '../base/clock';
import { checksIn } from '../domain/liveness';
import { isNewerData } from '../domain/time-zone-data';
import type { ClusterReader } from './node/store-node';

/** Time for which an answer holds, in milliseconds. */
const CACHED_MS = 60_000;

interface OlderDataParts {
  readonly cluster: Pick<ClusterReader, 'readTimeZoneData' | 'readNodes'>;
  readonly clock: Clock;
  readonly version: string;
}

/**
 * Returns a function that finds out whether this process has older time zone data than a living node, or than those by which fire times are stored. It
 * must then not correct stored fire times. Rejects with the store's error.
 */
export function olderDataCheck({ cluster, clock, version }: OlderDataParts): () => Promise<boolean> {
  let answer: { readonly at: number; readonly isOlder: boolean } | null = null;
  return async () => {
    if (answer !== null && clock.monotonic() - answer.at < CACHED_MS) return answer.isOlder;
    const [stored, { now, nodes }] = await Promise.all([cluster.readTimeZoneData(), cluster.readNodes()]);
    const living = nodes.filter((node) => checksIn(node, now));
    const others = [stored, ...living.map(({ timeZoneData }) => timeZoneData)];
    const isOlder = others.some((each) => each !== null && isNewerData(each, version));
    answer = { at: clock.monotonic(), isOlder };
    return isOlder;
  };
}
