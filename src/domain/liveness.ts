import type { EpochMs } from '../base/clock';

/** How a node shows that it is alive, as the other nodes have to judge it. All in milliseconds. */
export interface CheckInPace {
  readonly checkInInterval: number;
  /** How long other nodes wait beyond the interval. */
  readonly checkInGrace: number;
}

/** Quartz's constant: the grace of a node that names none, because Java wrote its row. */
export const JAVA_CHECK_IN_GRACE_MS = 7_500;

/** A node that could not check in stops firing after this share of its detection time … */
const FIRING_SHARE = 0.7;
/** … and gives up its running jobs after this one: before other nodes may take over, whatever their clocks show. */
const LEASE_SHARE = 0.8;
/** A check-in without an answer is sent again on another connection after this share of the detection time … */
const ANSWER_SHARE = 1 / 3;
/** … and the store counts as unavailable after this one: a second attempt has had its chance. */
const OUTAGE_SHARE = 1 / 2;

const MIN_ANSWER_TIMEOUT_MS = 1_000;
const MAX_ANSWER_TIMEOUT_MS = 5_000;

/** Readings of a row before its silence means anything: two of them may lie around a single delay. */
const MIN_READS = 3;

/** How far a node's clock may be from the store's beside Java nodes. */
const JAVA_CLOCK_TOLERANCE_MS = 3_000;

/** How long a node may be silent before other nodes take over what it held. Milliseconds. */
export function detectionTime({ checkInInterval, checkInGrace }: CheckInPace): number {
  return checkInInterval + checkInGrace;
}

/** Until when a node may act on a check-in, on the monotonic clock. */
export interface LeaseTerm {
  /** It may acquire and fire. */
  readonly firingUntil: number;
  /** Its running jobs are its own. */
  readonly heldUntil: number;
}

/** The lease that a successful check-in grants. `startedAt`: when it was sent, since nobody knows when it was stored. */
export function leaseTerm(startedAt: number, pace: CheckInPace): LeaseTerm {
  const detection = detectionTime(pace);
  return { firingUntil: startedAt + FIRING_SHARE * detection, heldUntil: startedAt + LEASE_SHARE * detection };
}

/** How long a check-in waits for an answer. Milliseconds. */
export function answerTimeoutMs(pace: CheckInPace): number {
  return Math.min(MAX_ANSWER_TIMEOUT_MS, Math.max(MIN_ANSWER_TIMEOUT_MS, ANSWER_SHARE * detectionTime(pace)));
}

/** How long a check-in may go without an answer before the store is reported as unavailable. Milliseconds. */
export function outageTimeoutMs(pace: CheckInPace): number {
  return OUTAGE_SHARE * detectionTime(pace);
}

/** The pace that other nodes really judge by: a Java node among them knows no other grace than its own. */
export function paceAmongPeers(own: CheckInPace, hasJavaPeer: boolean): CheckInPace {
  return hasJavaPeer ? { ...own, checkInGrace: Math.min(own.checkInGrace, JAVA_CHECK_IN_GRACE_MS) } : own;
}

/** How long the row of a node with the same id must stand still before a starting node replaces it: its lease has ended by then. */
export function takeoverDelayMs(pace: CheckInPace): number {
  return Math.max(1.5 * pace.checkInInterval, LEASE_SHARE * detectionTime(pace));
}

/** A row of the nodes' check-ins. */
export interface CheckInRow extends CheckInPace {
  readonly lastCheckInTime: EpochMs;
}

/**
 * The first condition for declaring a node dead, Quartz's rule on the database's clock. An observer that could not check
 * in itself for a while gives the others as long.
 */
export function isSilent(
  { lastCheckInTime, checkInInterval, checkInGrace }: CheckInRow,
  { now, ownLastCheckInTime }: { readonly now: EpochMs; readonly ownLastCheckInTime: EpochMs },
): boolean {
  return lastCheckInTime + Math.max(checkInInterval, now - ownLastCheckInTime) + checkInGrace < now;
}

/** Whether a node whose row is gone at `now` left by itself: others may delete it only after its detection time. */
export function hasLeft(row: CheckInRow, now: EpochMs): boolean {
  return now <= row.lastCheckInTime + detectionTime(row);
}

/** A reading of the nodes' rows, on the observer's monotonic clock. */
export interface ReadingTime {
  readonly startedAt: number;
  readonly endedAt: number;
}

/** A node's wall clock beside the store's, as one reading shows it. Milliseconds. */
export interface ClockComparison {
  /** The store's clock minus the node's. */
  readonly offset: number;
  /** By how much that may be wrong. */
  readonly error: number;
}

/** Compares the store's clock with the node's, which showed `wallTime` at the end of the reading. */
export function compareClocks(now: EpochMs, wallTime: EpochMs, { startedAt, endedAt }: ReadingTime): ClockComparison {
  const error = (endedAt - startedAt) / 2;
  return { offset: Math.round(now - (wallTime - error)), error };
}

/** Whether a node's clock is too far off to acquire beside Java nodes, which judge by their own. Too vague a reading: as `before`. */
export function isClockUnsafe(before: boolean, { offset, error }: ClockComparison): boolean {
  const distance = Math.abs(offset);
  if (distance - error > JAVA_CLOCK_TOLERANCE_MS) return true;
  return distance + error <= JAVA_CLOCK_TOLERANCE_MS ? false : before;
}

/** What one observer has seen of one row. */
export interface Observation {
  readonly lastCheckInTime: EpochMs;
  /** End of the reading that showed this check-in first: it was written before. */
  readonly since: number;
  /** Start of the reading that showed it last: it was still there after. */
  readonly seenAt: number;
  readonly reads: number;
}

/**
 * The observation after one more reading. It begins anew when the row has changed, and when the observer itself was away
 * for longer than `longestGap` milliseconds: it cannot know what happened meanwhile.
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
 * The second condition: the observer itself has seen no new check-in for the node's whole detection time. It compares no
 * two clocks, so that neither skew nor a stepped clock nor a suspended observer ends a healthy node.
 */
export function hasStoodStill({ since, seenAt, reads }: Observation, pace: CheckInPace): boolean {
  return reads >= MIN_READS && seenAt - since >= detectionTime(pace);
}
