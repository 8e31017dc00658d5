import type { EpochMs } from '../base/clock';

/** Check-in settings of a node, in milliseconds. Other nodes use them to decide whether the node is alive. */
export interface CheckInPace {
  readonly checkInInterval: number;
  /** Grace period of a check-in: how long other nodes wait for a check-in after the interval has passed. */
  readonly checkInGrace: number;
}

/** Grace period of the check-ins of Java nodes, whose rows contain none. The value is a constant in Quartz. */
export const JAVA_CHECK_IN_GRACE_MS = 7_500;

/** Fraction of the detection time after which a node without a successful check-in stops firing. */
const FIRING_SHARE = 0.7;
/** Fraction of the detection time after which a node without a check-in abandons its runs. Below 1: other nodes take them over only afterwards. */
const LEASE_SHARE = 0.8;
/** Fraction of the detection time after which a check-in without an answer is sent again on another connection. */
const ANSWER_SHARE = 1 / 3;
/** Fraction of the detection time after which the store counts as unavailable. Long enough for a second check-in attempt to succeed. */
const OUTAGE_SHARE = 1 / 2;

const MIN_ANSWER_TIMEOUT_MS = 1_000;
const MAX_ANSWER_TIMEOUT_MS = 5_000;

/** Minimum number of reads that find a row unchanged before its node counts as silent. Above 2, because a single delay can affect two reads. */
const MIN_READS = 3;

/** Maximum difference between a node's clock and the store's clock while Java nodes are in the cluster, in milliseconds. */
const JAVA_CLOCK_TOLERANCE_MS = 3_000;

/** Returns the detection time: the time without a check-in after which other nodes take over a node's work. Milliseconds. */
export function detectionTime({ checkInInterval, checkInGrace }: CheckInPace): number {
  return checkInInterval + checkInGrace;
}

/** Lease that a node has after a successful check-in. Times are on the node's monotonic clock. */
export interface LeaseTerm {
  /** Time until which the node may acquire and fire triggers. */
  readonly firingUntil: number;
  /** Time until which the node may continue its running jobs. */
  readonly heldUntil: number;
}

/** Returns the lease that a check-in grants. It starts when the check-in was sent (`startedAt`), because the time of storing it is unknown. */
export function leaseTerm(startedAt: number, pace: CheckInPace): LeaseTerm {
  const detection = detectionTime(pace);
  return { firingUntil: startedAt + FIRING_SHARE * detection, heldUntil: startedAt + LEASE_SHARE * detection };
}

export function answerTimeoutMs(pace: CheckInPace): number {
  return Math.min(MAX_ANSWER_TIMEOUT_MS, Math.max(MIN_ANSWER_TIMEOUT_MS, ANSWER_SHARE * detectionTime(pace)));
}

/** Returns how long a node must be without a successful check-in until the store is reported as unavailable. Milliseconds. */
export function outageTimeoutMs(pace: CheckInPace): number {
  return OUTAGE_SHARE * detectionTime(pace);
}

/** Returns the pace that other nodes apply to this node: if a Java node is in the cluster, the grace period is at most that of Java nodes. */
export function paceAmongPeers(own: CheckInPace, hasJavaPeer: boolean): CheckInPace {
  return hasJavaPeer ? { ...own, checkInGrace: Math.min(own.checkInGrace, JAVA_CHECK_IN_GRACE_MS) } : own;
}

/** Time for which a row with the starting node's id must be unchanged before the node replaces it. Any lease under the same id has then expired. */
export function takeoverDelayMs(pace: CheckInPace): number {
  return Math.max(1.5 * pace.checkInInterval, LEASE_SHARE * detectionTime(pace));
}

export interface CheckInRow extends CheckInPace {
  readonly lastCheckInTime: EpochMs;
}

/** First condition for a dead node: Quartz's rule, by the database's clock. An observer that was late itself waits at least that long for others. */
export function isSilent(
  { lastCheckInTime, checkInInterval, checkInGrace }: CheckInRow,
  { now, ownLastCheckInTime }: { readonly now: EpochMs; readonly ownLastCheckInTime: EpochMs },
): boolean {
  return lastCheckInTime + Math.max(checkInInterval, now - ownLastCheckInTime) + checkInGrace < now;
}

/** True if the node has checked in recently enough, as an observer sees that was not late itself. */
export function checksIn(row: CheckInRow, now: EpochMs): boolean {
  return !isSilent(row, { now, ownLastCheckInTime: now });
}

/** True if a node whose row was already deleted at `now` has shut down by itself. Other nodes may delete its row only after the detection time. */
export function hasLeft(row: CheckInRow, now: EpochMs): boolean {
  return now <= row.lastCheckInTime + detectionTime(row);
}

/** Start and end of a read of the check-in rows, on the observer's monotonic clock. */
export interface ReadingTime {
  readonly startedAt: number;
  readonly endedAt: number;
}

/** Difference between a node's wall clock and the store's clock, from a single read. Milliseconds. */
interface ClockComparison {
  /** Store's clock minus the node's clock. */
  readonly offset: number;
  /** Maximum error of `offset`, in milliseconds. */
  readonly error: number;
}

/** Compares the store's clock (`now`) with the node's wall clock, which showed `wallTime` at the end of the read. */
export function compareClocks(now: EpochMs, wallTime: EpochMs, { startedAt, endedAt }: ReadingTime): ClockComparison {
  const error = (endedAt - startedAt) / 2;
  return { offset: Math.round(now - (wallTime - error)), error };
}

/** True if the clock is too wrong for a cluster with Java nodes, which rely on their own clocks. Returns `before` if the measurement is imprecise. */
export function isClockUnsafe(before: boolean, { offset, error }: ClockComparison): boolean {
  const distance = Math.abs(offset);
  if (distance - error > JAVA_CLOCK_TOLERANCE_MS) return true;
  return distance + error <= JAVA_CLOCK_TOLERANCE_MS ? false : before;
}

/** Observations that one node has made of another node's check-in row. Times are on the observer's monotonic clock. */
export interface Observation {
  readonly lastCheckInTime: EpochMs;
  /** End of the read that first returned this check-in. The check-in was therefore stored before `since`. */
  readonly since: number;
  /** Start of the last read that returned this check-in. The row was still unchanged at or after this time. */
  readonly seenAt: number;
  readonly reads: number;
}

/** Starts a new observation if the row has changed, or after a gap of more than `maxGap` milliseconds, in which check-ins may have been missed. */
export function observe(
  previous: Observation | undefined,
  { lastCheckInTime }: Pick<CheckInRow, 'lastCheckInTime'>,
  { startedAt, endedAt }: ReadingTime,
  maxGap: number,
): Observation {
  const goesOn =
    previous !== undefined && previous.lastCheckInTime === lastCheckInTime && startedAt - previous.seenAt <= maxGap;
  if (!goesOn) return { lastCheckInTime, since: endedAt, seenAt: startedAt, reads: 1 };
  return { ...previous, seenAt: startedAt, reads: previous.reads + 1 };
}

/**
 * Second condition for declaring a node dead: for the node's whole detection time, the observer has seen no new check-in. Uses only the observer's
 * monotonic clock, so that neither wrong or changed wall clocks nor a suspended observer can make a healthy node look dead.
 */
export function hasStoodStill({ since, seenAt, reads }: Observation, pace: CheckInPace): boolean {
  return reads >= MIN_READS && seenAt - since >= detectionTime(pace);
}
