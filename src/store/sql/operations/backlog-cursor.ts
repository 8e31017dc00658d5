import type { EpochMs } from '../../../base/clock';
import type { AcquireRequest } from '../../job-store';
import type { SqlNode } from '../rows/sql-node';
import type { SqlTransaction } from '../runtime/sql-driver';

/** Fewer rows than this are passed over in less than a millisecond, as often as may be. */
const BACKLOG = 500;

/** The beginning of what a Date holds. */
const EARLIEST = -8.64e15;

/** How long what a scan learned is taken for granted, in milliseconds of monotonic time. */
const BACKLOG_TTL_MS = 1_000;

/** Looking again takes no more than one part in so many of the time. */
const COST = 20;

/** Fire times as recent as this are always looked at: other nodes schedule what is to fire now, by their own clock. */
const RECENT_MS = 5_000;

/** A node that is busy firing scans more often than this. Milliseconds of monotonic time. */
const JUST_NOW_MS = 100;

/** What the scans of this node need not look at before `until`. */
interface Stretch {
  readonly end: EpochMs;
  readonly until: number;
  readonly jobTypes: readonly string[];
}

/**
 * Where the scan for due triggers begins. Thousands of overdue triggers that nobody here can run (unknown job types, misfired
 * ones) lie before those that can, and passing over 10,000 takes 11 ms under the cluster-wide lock. So when many had to be
 * passed over, the next scans begin behind them; once a second everything is looked at again, and at once after a change
 * that this node makes, or notices among them. The same for triggers that this node cannot read, of which each is known:
 * however few or recent.
 */
export class BacklogCursor {
  readonly #node: SqlNode;
  #backlog: Stretch | null = null;
  #nextLook = 0;
  #lastRequest: AcquireRequest | null = null;
  /** When a scan last began with the first row. */
  #lastFromStart = Number.NEGATIVE_INFINITY;
  #unreadable: Stretch | null = null;

  constructor(node: SqlNode) {
    this.#node = node;
  }

  /** What the node asked for last; null: nothing yet. */
  get lastRequest(): AcquireRequest | null {
    return this.#lastRequest;
  }

  /** Whether a scan has just passed nothing over: what is acquirable, however late, is found without the change watch. */
  get hasJustSeenAll(): boolean {
    return this.#node.clock.monotonic() - this.#lastFromStart < JUST_NOW_MS;
  }

  /** The earliest fire time worth reading. */
  startFor(request: AcquireRequest): EpochMs {
    const { now, jobTypes } = request;
    this.#lastRequest = request;
    const isOver =
      this.#backlog === null || this.#isOver(this.#backlog) || !haveSameTypes(this.#backlog.jobTypes, jobTypes);
    if (isOver) this.#backlog = null;
    const start = this.#backlog === null ? EARLIEST : Math.min(this.#backlog.end, now - RECENT_MS);
    const from = Math.max(start, this.#unreadable?.end ?? EARLIEST);
    if (from === EARLIEST) this.#lastFromStart = this.#node.clock.monotonic();
    return from;
  }

  /** The end of what is unreadable here and has to be looked at again now; null: nothing. To be asked before `startFor`. */
  unreadableToLookAt({ jobTypes }: AcquireRequest): EpochMs | null {
    const stretch = this.#unreadable;
    if (stretch === null) return null;
    if (this.#node.unreadable.hasNoTrigger || !haveSameTypes(stretch.jobTypes, jobTypes)) {
      this.#unreadable = null; // as if it had never been seen
      return null;
    }
    return this.#isOver(stretch) ? stretch.end : null;
  }

  /** All before `end` was found to be unreadable here by a scan; what was before it is not looked at sooner for that. */
  passUnreadable({ jobTypes }: AcquireRequest, end: EpochMs): void {
    const until = this.#unreadable?.until ?? this.#node.clock.monotonic() + BACKLOG_TTL_MS;
    this.#unreadable = { end, until, jobTypes };
  }

  /** All before `end` is unreadable here, as was found by looking at it again, which took so many milliseconds. */
  passUnreadableAgain({ jobTypes }: AcquireRequest, end: EpochMs, took: number): void {
    const until = this.#node.clock.monotonic() + Math.max(BACKLOG_TTL_MS, took * COST);
    this.#unreadable = { end, until, jobTypes };
  }

  /** Learns from a scan: `first` is the first fire time that was found (null: unknown). */
  async observe(tx: SqlTransaction, { now, jobTypes }: AcquireRequest, first: EpochMs | null): Promise<void> {
    const time = this.#node.clock.monotonic();
    if (first === null || this.#backlog !== null || time < this.#nextLook) return;
    const end = Math.min(first, now - RECENT_MS);
    const [count] = await tx.all<{ TRIGGERS: number }>('countWaitingTriggers', {
      schedName: this.#node.schedName,
      before: end,
    });
    this.#nextLook = time + BACKLOG_TTL_MS;
    if ((count?.TRIGGERS ?? 0) >= BACKLOG) this.#backlog = { end, until: time + BACKLOG_TTL_MS, jobTypes };
  }

  /** The schedule has changed, here or elsewhere: something may be acquirable from `earliest` on (null: anything). */
  forget(earliest: EpochMs | null): void {
    this.#backlog = null;
    const stretch = this.#unreadable;
    if (stretch !== null && (earliest === null || earliest < stretch.end)) {
      this.#unreadable = { ...stretch, until: Number.NEGATIVE_INFINITY };
    }
  }

  #isOver({ until }: Stretch): boolean {
    return this.#node.clock.monotonic() >= until;
  }
}

function haveSameTypes(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((type, index) => type === b[index]));
}
