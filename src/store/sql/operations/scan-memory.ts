import type { EpochMs } from '../../../base/clock';
import { GroupRoom } from '../../../domain/group-limits';
import type { ChangeReading } from '../../cluster-store';
import type { AcquireRequest } from '../../job-store';
import type { SqlNode } from '../rows/sql-node';
import type { SqlTransaction } from '../runtime/sql-driver';

/** Beginning of what a Date holds. */
const EARLIEST = -8.64e15;

/** A range is remembered for this many times as long as reading it took, so that reading it again takes a twentieth of the time. */
const COST = 20;

/** Longest time that a range is remembered, however slow the database was. */
const MAX_MS = 10_000;

/** The same of a range that holds no full groups: any node may put something into it for which this node has room. */
const MAX_WITHOUT_GROUPS_MS = 1_000;

/** Most ranges that are remembered at once: one for each set of full groups. */
const MAX_RANGES = 16;

/** Skipping fewer rows than this takes less than a millisecond. */
const MIN_BACKLOG = 500;

/** Interval between two counts where so few are skipped. */
const COUNT_INTERVAL_MS = 1_000;

/** Fire times as recent as this are always read: other nodes schedule by their own clock what is to fire now. */
const RECENT_MS = 5_000;

/** A node that is busy firing scans more often than this. */
const JUST_NOW_MS = 100;

/** Before `to`, this node can acquire nothing, except triggers of `exceptGroups`, which were full. Until `until`, by the monotonic clock. */
interface Range {
  readonly to: EpochMs;
  readonly exceptGroups: readonly string[];
  readonly jobTypes: readonly string[];
  readonly until: number;
}

/** A scan for due triggers that has begun. */
export interface Scan extends Pick<Range, 'exceptGroups' | 'jobTypes'> {
  /** Earliest fire time to read. */
  readonly from: EpochMs;
  /** When the range that the scan skips is forgotten; null: it skips none. */
  readonly until: number | null;
  readonly startedAt: number;
  /** Number of changes that were known when it began. */
  readonly changes: number;
}

/**
 * Where the scan for due triggers begins. Thousands of triggers that this node cannot fire (of other job types, misfired, unreadable here, of
 * groups that are full) may lie before those that it can fire, and skipping 10,000 takes 11 ms under the cluster-wide lock. So a scan that
 * skips many remembers their range, and the next scans begin behind it. A range is forgotten after twenty times as long as reading it took.
 * A change that this node makes, or that the change watch reports, shortens it at once to what comes before the change.
 */
export class ScanMemory {
  readonly #node: SqlNode;
  readonly #ranges = new Map<string, Range>();
  #changes = 0;
  #nextCountAt = Number.NEGATIVE_INFINITY;
  #lastRequest: AcquireRequest | null = null;
  #lastFromStart = Number.NEGATIVE_INFINITY;
  #fingerprint = '';
  /** Until then, changes of others shorten nothing: the last reading was slow. */
  #quietUntil = Number.NEGATIVE_INFINITY;

  constructor(node: SqlNode) {
    this.#node = node;
  }

  /** Last request of the node; null: none yet. */
  get lastRequest(): AcquireRequest | null {
    return this.#lastRequest;
  }

  /** True if a scan has just skipped nothing: it finds what is acquirable, however late, without the change watch. */
  get hasJustSeenAll(): boolean {
    return this.#now - this.#lastFromStart < JUST_NOW_MS;
  }

  /** Begins a scan that leaves out these groups, behind the longest range that is known to hold nothing else. */
  begin(request: AcquireRequest, exceptGroups: readonly string[]): Scan {
    const { jobTypes } = request;
    let skipped: Range | null = null;
    for (const range of this.#ranges.values()) {
      const isValid = range.until > this.#now && haveSameTypes(range, request);
      const isLonger = skipped === null || range.to > skipped.to;
      if (isValid && isLonger && range.exceptGroups.every((group) => exceptGroups.includes(group))) skipped = range;
    }
    this.#lastRequest = request;
    // Where groups are limited, triggers behind full ones may not be read.
    if (skipped === null && request.groupRoom === undefined) this.#lastFromStart = this.#now;
    const { to: from, until } = skipped ?? { to: EARLIEST, until: null };
    return { from, until, exceptGroups, jobTypes, startedAt: this.#now, changes: this.#changes };
  }

  /** The scan has found nothing before `end` that can be acquired here. Ignored if something has changed since it began. */
  remember(scan: Scan, end: EpochMs, tookMs = this.#now - scan.startedAt): void {
    if (scan.changes !== this.#changes) return;
    const { exceptGroups, jobTypes } = scan;
    const maxMs = exceptGroups.length === 0 ? MAX_WITHOUT_GROUPS_MS : MAX_MS;
    this.#quietUntil = this.#now + Math.min(tookMs * COST, maxMs);
    if (end <= scan.from) return;
    // The range that it skipped was not read again, and is relied on for no longer.
    const until = scan.until ?? this.#quietUntil;
    if (this.#ranges.size >= MAX_RANGES) this.#ranges.clear();
    this.#ranges.set(JSON.stringify(exceptGroups), { to: end, until, exceptGroups, jobTypes });
  }

  /** Remembers what comes before `first`, the first fire time that the scan found, if many triggers do. Null: it is not known. */
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

  /** The schedule has changed, here or elsewhere: something may be acquirable from `earliest` on (null: from any time on). */
  reset(earliest: EpochMs | null): void {
    this.#changes++;
    // Unreadable triggers behind the change would be read whole; from the beginning, they are skipped by their keys.
    const isForgotten = earliest === null || !this.#node.unreadable.hasNoTrigger;
    for (const [key, range] of this.#ranges) {
      if (earliest !== null && range.to <= earliest) continue;
      if (isForgotten) this.#ranges.delete(key);
      else this.#ranges.set(key, { ...range, to: earliest });
    }
  }

  /**
   * The change watch has read what is due next: if it has changed, others may have scheduled something from `earliest` on. Where many triggers
   * that are due now are skipped, this waits for the next reading of all of them.
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

/** Groups of which nothing may begin on the node when the request comes; sorted. */
export function fullGroupsOf({ groupRoom }: Pick<AcquireRequest, 'groupRoom'>): readonly string[] {
  return groupRoom === undefined ? [] : new GroupRoom(groupRoom).full;
}

type Types = Pick<AcquireRequest, 'jobTypes'>;

function haveSameTypes({ jobTypes: a }: Types, { jobTypes: b }: Types): boolean {
  return a === b || (a.length === b.length && a.every((type, index) => type === b[index]));
}
