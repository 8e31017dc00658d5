import type { EpochMs } from '../../../base/clock';
import type { AcquireRequest } from '../../job-store';
import type { SqlTransaction } from '../sql-driver';
import type { SqlNode } from '../sql-node';

/** Fewer rows than this are passed over in less than a millisecond, as often as may be. */
const BACKLOG = 500;

/** The beginning of what a Date holds. */
const EARLIEST = -8.64e15;

/** How long a backlog is taken for granted, in milliseconds of monotonic time. */
const LASTS = 1_000;

/** Fire times as recent as this are always looked at: other nodes schedule what is to fire now, by their own clock. */
const RECENT = 5_000;

/**
 * Where the scan for due triggers begins. Thousands of overdue triggers that nobody here can run (unknown job types, misfired
 * ones) lie before those that can, and passing over 10,000 takes 11 ms under the cluster-wide lock. So when many had to be
 * passed over, the next scans begin behind them; once a second everything is looked at again, and at once after a change
 * that this node makes, or notices among them.
 */
export class DueScan {
  readonly #node: SqlNode;
  #backlog: { readonly end: EpochMs; readonly until: number; readonly jobTypes: readonly string[] } | null = null;
  #nextLook = 0;
  #lastRequest: AcquireRequest | null = null;

  constructor(node: SqlNode) {
    this.#node = node;
  }

  /** What the node asked for last; null: nothing yet. */
  get lastRequest(): AcquireRequest | null {
    return this.#lastRequest;
  }

  /** The earliest fire time worth reading. */
  startFor(request: AcquireRequest): EpochMs {
    const { now, jobTypes } = request;
    this.#lastRequest = request;
    const backlog = this.#backlog;
    const isOver =
      backlog === null ||
      this.#node.clock.monotonic() >= backlog.until ||
      (backlog.jobTypes !== jobTypes && backlog.jobTypes.join('\n') !== jobTypes.join('\n'));
    if (isOver || backlog === null) {
      this.#backlog = null;
      return EARLIEST;
    }
    return Math.min(backlog.end, now - RECENT);
  }

  /** Learns from a scan: `first` is the first fire time that was found (null: unknown). */
  async observe(tx: SqlTransaction, { now, jobTypes }: AcquireRequest, first: EpochMs | null): Promise<void> {
    const time = this.#node.clock.monotonic();
    if (first === null || this.#backlog !== null || time < this.#nextLook) return;
    const end = Math.min(first, now - RECENT);
    const [count] = await tx.all<{ TRIGGERS: number }>('countWaitingTriggers', {
      schedName: this.#node.schedName,
      before: end,
    });
    this.#nextLook = time + LASTS;
    if ((count?.TRIGGERS ?? 0) >= BACKLOG) this.#backlog = { end, until: time + LASTS, jobTypes };
  }

  /** The schedule has changed: anything may be acquirable now. */
  forget(): void {
    this.#backlog = null;
  }
}
