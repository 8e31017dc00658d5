import type { EpochMs } from '../../../base/clock';
import { GroupCapacity } from '../../../domain/group-limits';
import type { ChangeReading } from '../../cluster-store';
import type { AcquireRequest } from '../../job-store';
import type { SqlNode } from '../rows/sql-node';
import type { SqlTransaction } from '../runtime/sql-driver';

/** Maximum number of rows to read at once; a row may have 130 kB. */
export const MAX_ROWS = 200;

/** Number of unreadable triggers to read again although they seem unchanged, in case they have changed. The ones read longest ago come first. */
export const READ_AGAIN = 10;

/** Earliest time that a Date can hold. */
const EARLIEST = -8.64e15;

/** A range is remembered for this multiple of the time it took to read, so that reading takes at most a twentieth of the time. */
const COST = 20;

/** Maximum time to remember a range, even if the database was slow. Milliseconds. */
const MAX_MS = 10_000;

/** Maximum time to remember a range without full groups, because any node may add a trigger that this node has room for. Milliseconds. */
const MAX_WITHOUT_GROUPS_MS = 1_000;

/** Maximum number of remembered ranges: one per set of full groups. */
const MAX_RANGES = 16;

/** Skipping fewer rows than this takes less than a millisecond. */
const MIN_BACKLOG = 500;

/** Interval between two counts while fewer rows than `MIN_BACKLOG` are skipped. Milliseconds. */
const COUNT_INTERVAL_MS = 1_000;

/** Fire times this recent are always read, because other nodes schedule immediate triggers by their own clocks. Milliseconds. */
const RECENT_MS = 5_000;

/** Maximum time between two scans of a node that is busy firing. Milliseconds. */
const JUST_NOW_MS = 100;

/**
 * A range of fire times in which this node can acquire nothing except triggers of `exceptGroups`, which were full. It ends at `to` and is
 * valid until `until`, by the monotonic clock.
 */
interface Range {
  readonly to: EpochMs;
  readonly exceptGroups: readonly string[];
  readonly jobTypes: readonly string[];
  readonly until: number;
}

/** A scan for due triggers that has started. */
export interface Scan extends Pick<Range, 'exceptGroups' | 'jobTypes'> {
  /** Earliest fire time to read. */
  readonly from: EpochMs;
  /** Time at which the skipped range expires; null if the scan skips none. */
  readonly until: number | null;
  readonly startedAt: number;
  /** Number of known changes when the scan started. */
  readonly changes: number;
}

/**
 * Remembers where the scan for due triggers starts. Thousands of triggers that this node cannot fire may come before the ones it can. They
 * have other job types, are misfired or unreadable here, or belong to full groups. Skipping 10,000 rows takes 11 ms under the cluster-wide
 * lock. A scan that skips many rows therefore remembers their range, and the next scans start after it. A range expires after twenty times the
 * time it took to read. A change by this node, or one that the change watch reports, shortens it immediately to the part before the change.
 */
export class ScanMemory {
  readonly #node: SqlNode;
  readonly #ranges = new Map<string, Range>();
  #changes = 0;
  #nextCountAt = Number.NEGATIVE_INFINITY;
  #lastRequest: AcquireRequest | null = null;
  #lastFromStart = Number.NEGATIVE_INFINITY;
  #fingerprint = '';
  /** Until this time, changes by other nodes do not shorten ranges, because the last read was slow. */
  #quietUntil = Number.NEGATIVE_INFINITY;

  constructor(node: SqlNode) {
    this.#node = node;
  }

  /** Last request of the node; null if there was none. */
  get lastRequest(): AcquireRequest | null {
    return this.#lastRequest;
  }

  /** True if a scan has just skipped nothing. Such scans find every trigger that may be acquired, however overdue, without the change watch. */
  get hasJustSeenAll(): boolean {
    return this.#now - this.#lastFromStart < JUST_NOW_MS;
  }

  /** Begins a scan that excludes these groups. It starts after the longest range known to contain only triggers of these groups. */
  begin(request: AcquireRequest, exceptGroups: readonly string[]): Scan {
    const { jobTypes } = request;
    let skipped: Range | null = null;
    for (const range of this.#ranges.values()) {
      const isValid = range.until > this.#now && haveSameTypes(range, request);
      const isLonger = skipped === null || range.to > skipped.to;
      if (isValid && isLonger && range.exceptGroups.every((group) => exceptGroups.includes(group))) skipped = range;
    }
    this.#lastRequest = request;
    // If groups are limited, triggers after full ones may not be read.
    if (skipped === null && request.groupCapacity === undefined) this.#lastFromStart = this.#now;
    const { to: from, until } = skipped ?? { to: EARLIEST, until: null };
    return { from, until, exceptGroups, jobTypes, startedAt: this.#now, changes: this.#changes };
  }

  /** Records that the scan found nothing to acquire before `end`. Ignored if something has changed since the scan started. */
  remember(scan: Scan, end: EpochMs, tookMs = this.#now - scan.startedAt): void {
    if (scan.changes !== this.#changes) return;
    const { exceptGroups, jobTypes } = scan;
    const maxMs = exceptGroups.length === 0 ? MAX_WITHOUT_GROUPS_MS : MAX_MS;
    this.#quietUntil = this.#now + Math.min(tookMs * COST, maxMs);
    if (end <= scan.from) return;
    // The skipped range was not read again, so its expiry stays.
    const until = scan.until ?? this.#quietUntil;
    if (this.#ranges.size >= MAX_RANGES) this.#ranges.clear();
    this.#ranges.set(JSON.stringify(exceptGroups), { to: end, until, exceptGroups, jobTypes });
  }

  /** Remembers the range before `first`, the first fire time that the scan found, if it contains many triggers. `first` is null if unknown. */
  async rememberBacklog(tx: SqlTransaction, scan: Scan, first: EpochMs | null, now: EpochMs): Promise<void> {
    const skipsAll = scan.until === null && scan.exceptGroups.length === 0;
    if (first === null || !skipsAll || this.#now < this.#nextCountAt) return;
    const tookMs = this.#now - scan.startedAt;
    const before = Math.min(first, now - RECENT_MS);
    const params = { schedName: this.#node.schedName, before, limit: MIN_BACKLOG };
    const [count] = await tx.all<{ TRIGGERS: number }>('countWaitingTriggers', params);
    if ((count?.TRIGGERS ?? 0) >= MIN_BACKLOG) this.remember(scan, before, tookMs);
    else this.#nextCountAt = this.#now + COUNT_INTERVAL_MS;
  }

  /** Handles a change of the schedule by any node. Triggers from `earliest` on may now be acquirable; null means all. */
  reset(earliest: EpochMs | null): void {
    this.#changes++;
    // A scan from the change on would read unreadable triggers in full; from the beginning, it skips them by key.
    const isForgotten = earliest === null || !this.#node.unreadable.hasNoTrigger;
    for (const [key, range] of this.#ranges) {
      if (earliest !== null && range.to <= earliest) continue;
      if (isForgotten) this.#ranges.delete(key);
      else this.#ranges.set(key, { ...range, to: earliest });
    }
  }

  /**
   * Handles a report of the change watch. If the next due trigger has changed, other nodes may have scheduled triggers from `earliest` on. If
   * many due triggers are skipped, waits until all of them are read again.
   */
  noticed({ fingerprint, earliest }: Pick<ChangeReading, 'fingerprint' | 'earliest'>): void {
    if (fingerprint === this.#fingerprint || this.#now < this.#quietUntil) return;
    this.#fingerprint = fingerprint;
    if (earliest !== null) this.reset(earliest);
  }

  get #now(): number {
    return this.#node.clock.monotonic();
  }
}

/** Returns the groups without capacity on this node at the time of the request, sorted. */
export function fullGroupsOf({ groupCapacity }: Pick<AcquireRequest, 'groupCapacity'>): readonly string[] {
  return groupCapacity === undefined ? [] : new GroupCapacity(groupCapacity).full;
}

type Types = Pick<AcquireRequest, 'jobTypes'>;

function haveSameTypes({ jobTypes: a }: Types, { jobTypes: b }: Types): boolean {
  return a === b || (a.length === b.length && a.every((type, index) => type === b[index]));
}
