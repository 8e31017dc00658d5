import type { EpochMs } from '../../../base/clock';
import type { AcquireRequest } from '../../job-store';
import type { SqlNode } from '../rows/sql-node';
import type { SqlTransaction } from '../runtime/sql-driver';
import { GroupBacklog, haveSameTypes } from './group-backlog';

/** Fewer rows than this are passed over in less than a millisecond, as often as may be. */
const BACKLOG = 500;

/** The beginning of what a Date holds. */
const EARLIEST = -8.64e15;

/** How long what a scan found is relied upon, by the monotonic clock. */
const BACKLOG_TTL_MS = 1_000;

/** Checking what is unreadable takes no more than one part in so many of the time. */
const COST = 20;

/** Fire times as recent as this are always read: other nodes schedule what is to fire now, by their own clock. */
const RECENT_MS = 5_000;

/** A node that is busy firing scans more often than this. */
const JUST_NOW_MS = 100;

/** What the scans of this node need not read before `until`, by the monotonic clock. */
interface Stretch {
  readonly end: EpochMs;
  readonly until: number;
  readonly jobTypes: readonly string[];
}

/**
 * Where the scan for due triggers begins. Thousands of late triggers that nobody here can run (unknown job types, misfired
 * ones) lie before those that can, and passing over 10,000 takes 11 ms under the cluster-wide lock. So when many had to be
 * passed over, the next scans begin behind them; once a second everything is read again, and at once after a change
 * that this node makes, or notices among them. The same for triggers that this node cannot read, of which each is known:
 * however few or recent.
 */
export class BacklogCursor {
  /** What is passed over only while groups are full here. */
  readonly groups: GroupBacklog;
  readonly #node: SqlNode;
  #backlog: Stretch | null = null;
  #unreadable: Stretch | null = null;
  #nextCountAt = Number.NEGATIVE_INFINITY;
  #lastRequest: AcquireRequest | null = null;
  /** When a scan last began with the first row. */
  #lastFromStart = Number.NEGATIVE_INFINITY;

  constructor(node: SqlNode) {
    this.groups = new GroupBacklog(node);
    this.#node = node;
  }

  /** What the node asked for last; null: nothing yet. */
  get lastRequest(): AcquireRequest | null {
    return this.#lastRequest;
  }

  /** Whether a scan has just passed nothing over: what is acquirable, however late, is found without the change watch. */
  get hasJustSeenAll(): boolean {
    return this.#now - this.#lastFromStart < JUST_NOW_MS;
  }

  /** The earliest fire time worth reading. */
  startFor(request: AcquireRequest): EpochMs {
    this.#lastRequest = request;
    const backlog = this.#backlog;
    if (backlog !== null && (this.#isOver(backlog) || !haveSameTypes(backlog, request))) this.#backlog = null;
    const start = this.#backlog === null ? EARLIEST : Math.min(this.#backlog.end, request.now - RECENT_MS);
    const from = Math.max(start, this.#unreadable?.end ?? EARLIEST);
    // Where groups are limited, what lies behind full ones may not be read.
    if (from === EARLIEST && request.groupRoom === undefined) this.#lastFromStart = this.#now;
    return from;
  }

  /** The end of what is unreadable here and has to be checked again now; null: nothing. To be asked before `startFor`. */
  unreadableToCheck(request: AcquireRequest): EpochMs | null {
    const stretch = this.#unreadable;
    if (stretch === null) return null;
    if (this.#node.unreadable.hasNoTrigger || !haveSameTypes(stretch, request)) {
      this.#unreadable = null; // as if it had never been seen
      return null;
    }
    return this.#isOver(stretch) ? stretch.end : null;
  }

  /** All before `end` is unreadable here. `tookMs`: what was known before was checked again; without it, that is not put off. */
  passUnreadable({ jobTypes }: AcquireRequest, end: EpochMs, tookMs?: number): void {
    const checkedNow = this.#now + Math.max(BACKLOG_TTL_MS, (tookMs ?? 0) * COST);
    const until = tookMs === undefined ? (this.#unreadable?.until ?? checkedNow) : checkedNow;
    this.#unreadable = { end, until, jobTypes };
  }

  /** Takes up a scan: `first` is the first fire time that was found (null: unknown). */
  async observe(tx: SqlTransaction, { now, jobTypes }: AcquireRequest, first: EpochMs | null): Promise<void> {
    const time = this.#now;
    if (first === null || this.#backlog !== null || time < this.#nextCountAt) return;
    const end = Math.min(first, now - RECENT_MS);
    const params = { schedName: this.#node.schedName, before: end };
    const [count] = await tx.all<{ TRIGGERS: number }>('countWaitingTriggers', params);
    this.#nextCountAt = time + BACKLOG_TTL_MS;
    if ((count?.TRIGGERS ?? 0) >= BACKLOG) this.#backlog = { end, until: time + BACKLOG_TTL_MS, jobTypes };
  }

  /** The schedule has changed, here or elsewhere: something may be acquirable from `earliest` on (null: anything). */
  reset(earliest: EpochMs | null): void {
    this.#backlog = null;
    this.groups.reset(earliest);
    const stretch = this.#unreadable;
    if (stretch !== null && (earliest === null || earliest < stretch.end)) {
      this.#unreadable = { ...stretch, until: Number.NEGATIVE_INFINITY };
    }
  }

  get #now(): number {
    return this.#node.clock.monotonic();
  }

  #isOver({ until }: Stretch): boolean {
    return this.#now >= until;
  }
}
