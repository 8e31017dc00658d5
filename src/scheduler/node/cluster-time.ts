import type { Clock } from '../../base/clock';
import type { Service } from '../../base/service';
import { type ClockSample, ClusterClock } from '../../cluster/cluster-clock';
import { loopOf } from '../../cluster/loop';
import type { NodeHooks } from '../../cluster/node-hooks';
import type { ClusterReader } from './store-node';

/** Readings before the clock is used, and between two later ones in milliseconds. */
const FIRST_READINGS = 5;
const INTERVAL = 10_000;

/** A larger difference between this machine and the database is worth a warning. Milliseconds. */
const TOLERANCE = 500;

/** The clock that all nodes share, and what keeps it in step. */
export interface ClusterTime {
  readonly clock: Clock;
  readonly service: Service;
}

/** Reads the store's clock and keeps to it. Rejects with what the store failed with. */
export async function clusterTime(
  local: Clock,
  store: Pick<ClusterReader, 'readClock'>,
  publish: NodeHooks['publish'],
): Promise<ClusterTime> {
  const clock = new ClusterClock(local);
  const sync = () => clock.sync(() => store.readClock());
  for (const sample of await firstSamples(local, store)) clock.add(sample);
  const offset = clock.now() - local.now();
  if (Math.abs(offset) > TOLERANCE) publish(offsetWarning(local.now(), offset));
  const options = { clock: local, publish, during: "reading the database's clock" };
  return { clock, service: loopOf('cluster clock', { ...options, runOnce: sync, delay: () => INTERVAL }) };
}

/**
 * The quickest comes first: the clock is set to that one, and later ones only move it slowly. A slow one may be wrong by
 * half its round trip, and a clock that runs ahead fires too early.
 */
async function firstSamples(local: Clock, store: Pick<ClusterReader, 'readClock'>): Promise<readonly ClockSample[]> {
  await store.readClock(); // connects, which takes longer than any reading
  const samples: ClockSample[] = [];
  for (let readings = 0; readings < FIRST_READINGS; readings++) {
    const startedAt = local.monotonic();
    const now = await store.readClock();
    samples.push({ startedAt, endedAt: local.monotonic(), now });
  }
  return samples.sort((a, b) => a.endedAt - a.startedAt - (b.endedAt - b.startedAt));
}

function offsetWarning(at: number, offset: number) {
  const direction = offset > 0 ? 'behind' : 'ahead of';
  return {
    type: 'configurationWarning',
    at,
    message:
      `This machine's clock is ${Math.round(Math.abs(offset)) / 1_000} s ${direction} the database's, which is the one that ` +
      'counts. Keep both in step with NTP.',
  } as const;
}
