import { type EpochMs, MAX_TIME } from '../../../base/clock';
import { GroupCapacity } from '../../../domain/group-limits';
import type { ChangeReading } from '../../cluster-store';
import type { AcquireRequest } from '../../job-store';
import type { NodeTransaction } from '../rows/node-transaction';
import type { SqlNode } from '../rows/sql-node';

/** Maximum number of full rows to read per query. A row may have 130 kB. */
export const MAX_ROWS = 200;

/** Number of known unreadable triggers to read again per page, in case they have changed. Triggers that were checked longest ago come first. */
export const READ_AGAIN = 10;

/** A range is remembered for `COST` times the time that its scan took. Scanning the range then takes at most a twentieth of the time. */
const COST = 20;

/** Maximum time to remember a range, even if the database was slow. Milliseconds. */
const MAX_MS = 10_000;

/** Maximum time to remember a range that excludes no groups, in milliseconds. Any node may add a trigger that this node can fire. */
const MAX_WITHOUT_GROUPS_MS = 1_000;

/** Maximum number of remembered ranges. There is one range for each set of excluded groups. */
const MAX_RANGES = 16;

/** Minimum number of skipped rows for which a range is remembered. Skipping fewer rows takes less than a millisecond. */
const MIN_BACKLOG = 500;

/** Minimum interval between two counts while a scan skips fewer than `MIN_BACKLOG` rows. Milliseconds. */
const COUNT_INTERVAL_MS = 1_000;

/** Scans always read fire times of the last `RECENT_MS` milliseconds, because other nodes schedule immediate triggers by their own clocks. */
const RECENT_MS = 5_000;

/** Maximum interval between two scans of a node that is busy firing. Milliseconds. */
const JUST_NOW_MS = 100;

/**
 * A range of fire times that ends before `to`. In this range, the node can acquire only triggers of `exceptGroups`, which had no capacity left. Valid
 * until `until` on the monotonic clock, in milliseconds.
 */
interface Range {
  readonly to: EpochMs;
  readonly exceptGroups: readonly string[];
  readonly jobTypes: readonly string[];
  readonly until: number;
}

export interface Scan extends Pick<Range, 'exceptGroups' | 'jobTypes'> {
  /** Earliest fire time to read. */
  readonly from: EpochMs;
  /** Monotonic time at which the skipped range expires; null if the scan skips no range. */
  readonly until: number | null;
  readonly startedAt: number;
  /** Number of known schedule changes when the scan started. */
  readonly changes: number;
}

/**
 * Remembers where scans for due triggers start. Thousands of triggers that this node cannot fire may precede the triggers that it can fire. The
 * triggers to skip have other job types, are misfired or unreadable on this node, or belong to groups without capacity. Skipping 10,000 rows takes 11
 * ms under the cluster-wide lock. A scan that skips many rows therefore remembers their range, and the next scans start after the range. A range
 * expires after twenty times the time that its scan took, up to `MAX_MS`. A change by this node, or a change that the change watch reports,
 * immediately shortens the range to its part before the change.
 */
export class ScanMemory {
  readonly #node: SqlNode;
  readonly #ranges = new Map<string, Range>();
  #changes = 0;
  #nextCountAt = Number.NEGATIVE_INFINITY;
  #lastRequest: AcquireRequest | null = null;
  #lastFromStart = Number.NEGATIVE_INFINITY;
  #fingerprint = '';
  /** Monotonic time until which changes by other nodes do not shorten ranges, because the last scan was slow. */
  #quietUntil = Number.NEGATIVE_INFINITY;
  /** True if no acquisition has ended since the last ring of another node. */
  #isRung = false;
  #foundAfterRing = true;
  #foundAt = Number.NEGATIVE_INFINITY;

  constructor(node: SqlNode) {
    this.#node = node;
  }

  get lastRequest(): AcquireRequest | null {
    return this.#lastRequest;
  }

  /** True if a scan in the last `JUST_NOW_MS` ms skipped no range: it found every acquirable trigger, so the backlog need not be counted. */
  get hasJustSeenAll(): boolean {
    return this.#now - this.#lastFromStart < JUST_NOW_MS;
  }

  /** Records a ring of another node. Returns true if the acquisition after the last ring, or one just now, found triggers. */
  rung(): boolean {
    this.#isRung = true;
    return this.#foundAfterRing || this.#now - this.#foundAt < JUST_NOW_MS;
  }

  /** Records the end of an acquisition, with the number of triggers found. */
  acquired(count: number): void {
    if (count > 0) this.#foundAt = this.#now;
    if (this.#isRung) this.#foundAfterRing = count > 0;
    this.#isRung = false;
  }

  /** Begins a scan that leaves out `exceptGroups`. The scan starts after the longest valid range that excludes no other groups. */
  begin(request: AcquireRequest, exceptGroups: readonly string[]): Scan {
    const { jobTypes } = request;
    let skipped: Range | null = null;
    for (const range of this.#ranges.values()) {
      const isValid = range.until > this.#now && haveSameTypes(range, request);
      const isLonger = skipped === null || range.to > skipped.to;
      if (isValid && isLonger && range.exceptGroups.every((group) => exceptGroups.includes(group))) skipped = range;
    }
    this.#lastRequest = request;
    // If groups have limits, a scan may leave triggers unread that follow the triggers of groups without capacity.
    if (skipped === null && request.groupCapacity === undefined) this.#lastFromStart = this.#now;
    const { to: from, until } = skipped ?? { to: -MAX_TIME, until: null };
    return { from, until, exceptGroups, jobTypes, startedAt: this.#now, changes: this.#changes };
  }

  /** Records that the scan found nothing to acquire before `end`. Ignored if the schedule has changed since the scan started. */
  remember(scan: Scan, end: EpochMs, tookMs = this.#now - scan.startedAt): void {
    if (scan.changes !== this.#changes) return;
    const { exceptGroups, jobTypes } = scan;
    const maxMs = exceptGroups.length === 0 ? MAX_WITHOUT_GROUPS_MS : MAX_MS;
    this.#quietUntil = this.#now + Math.min(tookMs * COST, maxMs);
    if (end <= scan.from) return;
    // The scan did not read the skipped range again, so the range expires as before.
    const until = scan.until ?? this.#quietUntil;
    if (this.#ranges.size >= MAX_RANGES) this.#ranges.clear();
    this.#ranges.set(JSON.stringify(exceptGroups), { to: end, until, exceptGroups, jobTypes });
  }

  /** Remembers the range before `first`, the first fire time found, if it has at least `MIN_BACKLOG` triggers. Null (unknown): remembers nothing. */
  async rememberBacklog(tx: NodeTransaction, scan: Scan, first: EpochMs | null, now: EpochMs): Promise<void> {
    const skipsAll = scan.until === null && scan.exceptGroups.length === 0;
    if (first === null || !skipsAll || this.#now < this.#nextCountAt) return;
    const tookMs = this.#now - scan.startedAt;
    const before = Math.min(first, now - RECENT_MS);
    const params = { before, limit: MIN_BACKLOG };
    const [count] = await tx.all<{ TRIGGERS: number }>('countWaitingTriggers', params);
    if ((count?.TRIGGERS ?? 0) >= MIN_BACKLOG) this.remember(scan, before, tookMs);
    else this.#nextCountAt = this.#now + COUNT_INTERVAL_MS;
  }

  /** Shortens the ranges after a change of the schedule by any node: triggers from `earliest` on (null: all triggers) may now be acquirable. */
  reset(earliest: EpochMs | null): void {
    this.#changes++;
    // With unreadable triggers, the whole range is deleted. A scan from the beginning skips these triggers by key, but a scan from the change on
    // reads their full rows.
    const isForgotten = earliest === null || !this.#node.unreadable.hasNoTrigger;
    for (const [key, range] of this.#ranges) {
      if (earliest !== null && range.to <= earliest) continue;
      if (isForgotten) this.#ranges.delete(key);
      else this.#ranges.set(key, { ...range, to: earliest });
    }
  }

  /**
   * Applies a report of the change watch. If the fingerprint has changed, other nodes may have scheduled triggers from `earliest` on. After a
   * slow scan, reports are ignored until `#quietUntil`, so that the ranges take effect.
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

/** Returns the groups that have no capacity left on this node at the time of the request, sorted. */
export function fullGroupsOf({ groupCapacity }: Pick<AcquireRequest, 'groupCapacity'>): readonly string[] {
  return groupCapacity === undefined ? [] : new GroupCapacity(groupCapacity).full;
}

type Types = Pick<AcquireRequest, 'jobTypes'>;

function haveSameTypes({ jobTypes: a }: Types, { jobTypes: b }: Types): boolean {
  return a === b || (a.length === b.length && a.every((type, index) => type === b[index]));
}
