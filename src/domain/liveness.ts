import type { EpochMs } from '../base/clock';

/** Check-in settings by which other nodes judge whether a node is alive. All in milliseconds. */
export interface CheckInPace {
  readonly checkInInterval: number;
  /** Additional time that other nodes wait beyond the interval. */
  readonly checkInGrace: number;
}

/** Check-in grace of a node whose row names none, because Java wrote it. Quartz's constant. */
export const JAVA_CHECK_IN_GRACE_MS = 7_500;

/** Share of the detection time after which a node that could not check in stops firing. */
const FIRING_SHARE = 0.7;
/** Share of the detection time after which it abandons its running jobs, before other nodes may take over, whatever their clocks show. */
const LEASE_SHARE = 0.8;
/** Share of the detection time after which an unanswered check-in is sent again on another connection. */
const ANSWER_SHARE = 1 / 3;
/** Share of the detection time after which the store counts as unavailable, so that the second attempt had time to succeed. */
const OUTAGE_SHARE = 1 / 2;

const MIN_ANSWER_TIMEOUT_MS = 1_000;
const MAX_ANSWER_TIMEOUT_MS = 5_000;

/** Minimum number of readings of a row before its silence counts, because a single delay can affect two of them. */
const MIN_READS = 3;

/** Maximum difference between a node's clock and the store's if Java nodes take part. */
const JAVA_CLOCK_TOLERANCE_MS = 3_000;

/** Returns the time for which a node may be silent before other nodes take over its work. Milliseconds. */
export function detectionTime({ checkInInterval, checkInGrace }: CheckInPace): number {
  return checkInInterval + checkInGrace;
}

/** End of a node's right to act on a check-in, on the monotonic clock. */
export interface LeaseTerm {
  /** Time until which it may acquire and fire. */
  readonly firingUntil: number;
  /** Time until which it keeps its running jobs. */
  readonly heldUntil: number;
}

/**
 * Returns the lease that a successful check-in grants. `startedAt`: time at which it was sent, because the time at which it was stored is unknown.
 */
export function leaseTerm(startedAt: number, pace: CheckInPace): LeaseTerm {
  const detection = detectionTime(pace);
  return { firingUntil: startedAt + FIRING_SHARE * detection, heldUntil: startedAt + LEASE_SHARE * detection };
}

/** Returns the timeout of a check-in. Milliseconds. */
export function answerTimeoutMs(pace: CheckInPace): number {
  return Math.min(MAX_ANSWER_TIMEOUT_MS, Math.max(MIN_ANSWER_TIMEOUT_MS, ANSWER_SHARE * detectionTime(pace)));
}

/** Returns the time without an answer to check-ins after which the store is reported as unavailable. Milliseconds. */
export function outageTimeoutMs(pace: CheckInPace): number {
  return OUTAGE_SHARE * detectionTime(pace);
}

/** Returns the pace by which other nodes actually judge. A Java node among them knows only its own grace. */
export function paceAmongPeers(own: CheckInPace, hasJavaPeer: boolean): CheckInPace {
  return hasJavaPeer ? { ...own, checkInGrace: Math.min(own.checkInGrace, JAVA_CHECK_IN_GRACE_MS) } : own;
}

/**
 * Returns the time for which a row with the same node id must stay unchanged before a starting node replaces it. The other lease has ended by then.
 */
export function takeoverDelayMs(pace: CheckInPace): number {
  return Math.max(1.5 * pace.checkInInterval, LEASE_SHARE * detectionTime(pace));
}

/** Check-in row of a node. */
export interface CheckInRow extends CheckInPace {
  readonly lastCheckInTime: EpochMs;
}

/**
 * First condition for declaring a node dead: Quartz's rule on the database's clock. An observer that itself could not check in for a while grants the
 * other nodes the same time.
 */
export function isSilent(
  { lastCheckInTime, checkInInterval, checkInGrace }: CheckInRow,
  { now, ownLastCheckInTime }: { readonly now: EpochMs; readonly ownLastCheckInTime: EpochMs },
): boolean {
  return lastCheckInTime + Math.max(checkInInterval, now - ownLastCheckInTime) + checkInGrace < now;
}

/** True if a node whose row was deleted by `now` left by itself. Other nodes may delete the row only after its detection time. */
export function hasLeft(row: CheckInRow, now: EpochMs): boolean {
  return now <= row.lastCheckInTime + detectionTime(row);
}

/** A reading of the nodes' rows, on the observer's monotonic clock. */
export interface ReadingTime {
  readonly startedAt: number;
  readonly endedAt: number;
}

/** A node's wall clock compared with the store's, from one reading. Milliseconds. */
export interface ClockComparison {
  /** The store's clock minus the node's. */
  readonly offset: number;
  /** Maximum error of `offset`. */
  readonly error: number;
}

/** Compares the store's clock with the node's, which showed `wallTime` at the end of the reading. */
export function compareClocks(now: EpochMs, wallTime: EpochMs, { startedAt, endedAt }: ReadingTime): ClockComparison {
  const error = (endedAt - startedAt) / 2;
  return { offset: Math.round(now - (wallTime - error)), error };
}

/**
 * True if a node's clock is too far off to acquire next to Java nodes, which use their own clocks. If the reading is too imprecise, `before` stays.
 */
export function isClockUnsafe(before: boolean, { offset, error }: ClockComparison): boolean {
  const distance = Math.abs(offset);
  if (distance - error > JAVA_CLOCK_TOLERANCE_MS) return true;
  return distance + error <= JAVA_CLOCK_TOLERANCE_MS ? false : before;
}

/** Observations of one row by one observer. */
export interface Observation {
  readonly lastCheckInTime: EpochMs;
  /** End of the reading that first showed this check-in: it was written before then. */
  readonly since: number;
  /** Start of the reading that last showed this check-in: it was still stored after that. */
  readonly seenAt: number;
  readonly reads: number;
}

/**
 * Returns the observation after one more reading. It restarts if the row has changed. It also restarts if the observer itself paused for longer than
 * `longestGap` milliseconds, because it may have missed check-ins.
 */
export function observe(
  previous: Observation | undefined,
  { lastCheckInTime }: Pick<CheckInRow, 'lastCheckInTime'>,
  { startedAt, endedAt }: ReadingTime,
  longestGap: number,
): Observation {
  const goesOn =
    previous !== undefined && previous.lastCheckInTime === lastCheckInTime && startedAt - previous.seenAt <= longestGap;
  if (!goesOn) return { lastCheckInTime, since: endedAt, seenAt: startedAt, reads: 1 };
  return { ...previous, seenAt: startedAt, reads: previous.reads + 1 };
}

/**
 * Second condition: the observer itself has seen no new check-in for the node's whole detection time. It compares no two clocks. So neither clock
 * skew nor a stepped clock nor a suspended observer ends a healthy node.
 */
export function hasStoodStill({ since, seenAt, reads }: Observation, pace: CheckInPace): boolean {
  return reads >= MIN_READS && seenAt - since >= detectionTime(pace);
}
