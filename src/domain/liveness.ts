import type { EpochMs } from '../base/clock';

/** How a node shows that it is alive, as its peers have to judge it. All in milliseconds. */
export interface CheckInPace {
  readonly checkInInterval: number;
  /** What peers wait beyond the interval. */
  readonly checkInGrace: number;
}

/** Quartz's constant: the grace of a node that names none, because Java wrote its row. */
export const JAVA_CHECK_IN_GRACE = 7_500;

/** A node that could not check in stops firing after this share of its detection time … */
const FIRING_SHARE = 0.7;
/** … and gives up what it runs after this one: before its peers may take over, whatever their clocks say. */
const LEASE_SHARE = 0.8;

/** Looks at a peer before its silence means anything: two of them may lie around a single delay. */
const LEAST_READS = 3;

/** How long a node may be silent before its peers take over what it held. */
export function detectionTime({ checkInInterval, checkInGrace }: CheckInPace): number {
  return checkInInterval + checkInGrace;
}

/** Until when a node may act on a check-in, on the monotonic clock. */
export interface LeaseTerm {
  /** It may acquire and fire. */
  readonly firingUntil: number;
  /** What it runs is its own. */
  readonly heldUntil: number;
}

/** The lease that a successful check-in grants. `startedAt`: when it was sent, since nobody knows when it was stored. */
export function leaseTerm(startedAt: number, pace: CheckInPace): LeaseTerm {
  const detection = detectionTime(pace);
  return { firingUntil: startedAt + FIRING_SHARE * detection, heldUntil: startedAt + LEASE_SHARE * detection };
}

/** Share of the detection time after which a check-in without an answer is sent again on another connection: in time for the lease. */
const ANSWER_SHARE = 1 / 3;
/** Far more than an answer takes, less than any lease … */
const LEAST_PATIENCE = 1_000;
/** … and as long as anybody would wait. */
const MOST_PATIENCE = 5_000;

/** How long a check-in waits for an answer. Milliseconds. */
export function answerPatience(pace: CheckInPace): number {
  return Math.min(MOST_PATIENCE, Math.max(LEAST_PATIENCE, ANSWER_SHARE * detectionTime(pace)));
}

/** Share of the detection time after which a store that has not answered counts as unavailable: a second attempt has had its chance. */
const OUTAGE_SHARE = 1 / 2;

/** How long a check-in may go without an answer before the store is said to be unavailable. Milliseconds. */
export function outagePatience(pace: CheckInPace): number {
  return OUTAGE_SHARE * detectionTime(pace);
}

/** The pace that peers really judge by: a Java node among them knows no other grace than its own. */
export function paceAmongPeers(own: CheckInPace, hasJavaPeer: boolean): CheckInPace {
  return hasJavaPeer ? { ...own, checkInGrace: Math.min(own.checkInGrace, JAVA_CHECK_IN_GRACE) } : own;
}

/** How long the row of a namesake must stand still before a starting node takes its place: its lease has ended by then. */
export function takeoverPatience(pace: CheckInPace): number {
  return Math.max(1.5 * pace.checkInInterval, LEASE_SHARE * detectionTime(pace));
}

/** A row of the nodes' check-ins. */
export interface CheckInRow extends CheckInPace {
  readonly lastCheckInTime: EpochMs;
}

/**
 * The first witness, Quartz's rule on the database's clock. An observer that could not check in itself for a while gives
 * its peers as long.
 */
export function isOverdue(
  { lastCheckInTime, checkInInterval, checkInGrace }: CheckInRow,
  { now, ownLastCheckInTime }: { readonly now: EpochMs; readonly ownLastCheckInTime: EpochMs },
): boolean {
  return lastCheckInTime + Math.max(checkInInterval, now - ownLastCheckInTime) + checkInGrace < now;
}

/**
 * Whether a node whose row was seen, and is gone at `now`, has left by itself: nobody else may end its life before it has been
 * silent for its detection time.
 */
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

/** What a reading of the store's clock tells of the node's, which showed `wallTime` at its end. */
export function compareClocks(now: EpochMs, wallTime: EpochMs, { startedAt, endedAt }: ReadingTime): ClockComparison {
  const error = (endedAt - startedAt) / 2;
  return { offset: Math.round(now - (wallTime - error)), error };
}

/** How far a node's clock may be from the store's beside Java nodes. Milliseconds. */
const JAVA_CLOCK_TOLERANCE = 3_000;

/**
 * Whether a node's clock is too far off to acquire beside Java nodes: those judge by clocks of their own, and where two
 * clocks of a cluster differ nobody knows whose is wrong. A reading too vague to tell leaves it as it was `before`.
 */
export function isClockUnsafe(before: boolean, { offset, error }: ClockComparison): boolean {
  const distance = Math.abs(offset);
  if (distance - error > JAVA_CLOCK_TOLERANCE) return true;
  return distance + error <= JAVA_CLOCK_TOLERANCE ? false : before;
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
 * The observation after one more reading; it begins anew when the row has moved, and when the observer itself was away
 * for longer than `longestGap`: it cannot know what it slept through.
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
 * The second witness: the observer itself has seen no movement for the peer's whole detection time. It compares no two
 * clocks, so that neither skew nor a stepped clock nor an observer that was asleep ends a healthy peer.
 */
export function hasStoodStill({ since, seenAt, reads }: Observation, pace: CheckInPace): boolean {
  return reads >= LEAST_READS && seenAt - since >= detectionTime(pace);
}
