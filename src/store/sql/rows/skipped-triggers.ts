import type { Clock } from '../../../base/clock';
import { sleepFor } from '../../../base/sleep';
import type { AcquiredTrigger } from '../../../domain/firing';
import { formatKey, keyText, type TriggerKey } from '../../../domain/keys';

/** Time for which a node checks rows for locks before it writes them, after it found a locked row. Milliseconds. */
const SUSPECTED_MS = 60_000;

/** Time for which a node checks rows for locks after a long wait, which only suggests a locked row. Milliseconds. */
const FIRST_SUSPECTED_MS = 10_000;

/** Maximum number of locked rows to report while locks are suspected. If there are more, the whole table is probably locked. */
const MAX_REPORTED = 3;

/** Thrown if a database session outside the cluster holds locks on trigger rows, for example because of a forgotten transaction or a long import. */
export class LockedByOthers extends Error {
  constructor(keys: readonly TriggerKey[]) {
    super(
      `Another database session locks the ${keys.length === 1 ? 'row' : 'rows'} of ${keys.map(formatKey).join(', ')}. ` +
        "This node skips locked rows until that session commits. Find its transaction in the server's list: docs/guides/database.md shows the query.",
    );
    this.name = 'LockedByOthers';
  }
}

/**
 * Tracks whether other database sessions may have locked rows. Waiting for a locked row while holding the cluster-wide lock stops all firing, but
 * checking for locks costs a statement. A node therefore waits for the first locked row until the lock wait times out. The node then checks for locks
 * while locked rows are suspected. Nodes that waited for the cluster-wide lock during that time also check.
 */
export class LockedRows {
  readonly #clock: Clock;
  #until = Number.NEGATIVE_INFINITY;
  #skipCount = 0;
  #reported: ReadonlySet<string> = new Set();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get areSuspected(): boolean {
    return this.#clock.monotonic() < this.#until;
  }

  /** Number of times that a locked row was skipped. After each increase, the store must be searched again for due triggers. */
  get skipCount(): number {
    return this.#skipCount;
  }

  /** Must be called after a wait that is long enough to suggest a locked row. */
  suspect(): void {
    this.#suspectFor(FIRST_SUSPECTED_MS);
  }

  /** True if a locked row should be reported: each row once, and at most `MAX_REPORTED` rows while locks are suspected. */
  shouldReport(key: TriggerKey): boolean {
    const text = keyText(key);
    if (this.#reported.has(text) || this.#reported.size >= MAX_REPORTED) return false;
    this.#reported = new Set([...this.#reported, text]);
    return true;
  }

  skip(): void {
    this.#suspectFor(SUSPECTED_MS);
    this.#skipCount++;
  }

  #suspectFor(durationMs: number): void {
    if (!this.areSuspected) this.#reported = new Set();
    this.#until = Math.max(this.#until, this.#clock.monotonic() + durationMs);
  }
}

/** Delay before rows that another session had locked are read again, in milliseconds. */
const LOCKED_DELAY_MS = 1_000;

/** Announces a change after a second, because no event reports when another program unlocks a row. Calls in between share one announcement. */
export class ReadAgain {
  readonly #clock: Clock;
  readonly #closing: AbortSignal;
  readonly #announce: () => void;
  #willAnnounce = false;

  constructor(clock: Clock, closing: AbortSignal, announce: () => void) {
    this.#clock = clock;
    this.#closing = closing;
    this.#announce = announce;
  }

  async later(): Promise<void> {
    if (this.#willAnnounce) return;
    this.#willAnnounce = true;
    await sleepFor(this.#clock, LOCKED_DELAY_MS, this.#closing);
    this.#willAnnounce = false;
    this.#announce();
  }
}

/** Time for which a rejected trigger is skipped, in milliseconds. */
const REJECTED_MS = 60_000;

/** Triggers that the database rejects even alone. This node skips them for a minute, so that they delay no others. Other nodes can fire them. */
export class RejectedTriggers {
  readonly #clock: Clock;
  readonly #until = new Map<string, number>();
  readonly #pendingReleases = new Map<string, AcquiredTrigger>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(key: TriggerKey): void {
    const now = this.#clock.monotonic();
    for (const [text, until] of this.#until) if (until <= now) this.#until.delete(text);
    this.#until.set(keyText(key), now + REJECTED_MS);
  }

  has(key: TriggerKey): boolean {
    if (this.#until.size === 0) return false;
    const until = this.#until.get(keyText(key));
    return until !== undefined && until > this.#clock.monotonic();
  }

  addPendingRelease(acquired: AcquiredTrigger): void {
    this.#pendingReleases.set(acquired.runId, acquired);
  }

  isPendingRelease(runId: string): boolean {
    return this.#pendingReleases.has(runId);
  }

  /** Removes and returns the stored reservations whose triggers are not skipped. The caller must release them or add them again. */
  takePendingReleases(): readonly AcquiredTrigger[] {
    const taken = [...this.#pendingReleases.values()].filter(({ trigger }) => !this.has(trigger.key));
    for (const { runId } of taken) this.#pendingReleases.delete(runId);
    return taken;
  }
}
