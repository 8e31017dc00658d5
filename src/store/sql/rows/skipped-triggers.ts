import type { Clock } from '../../../base/clock';
import type { AcquiredTrigger } from '../../../domain/firing';
import { formatKey, keyText, type TriggerKey } from '../../../domain/keys';

/** How long rows are checked for locks before they are written, after one was found locked. */
const SUSPECTED_MS = 60_000;

/** The same after a long wait, which is only a sign of a locked row. */
const FIRST_SUSPECTED_MS = 10_000;

/** The locked rows that are reported in that time: if there are more, somebody has locked the whole table. */
const MAX_REPORTED = 3;

/** Somebody who is no scheduler holds the rows of triggers: a forgotten transaction in a client, a long import. */
export class LockedByOthers extends Error {
  constructor(keys: readonly TriggerKey[]) {
    super(
      `Another session of the database holds a lock on the row of ${keys.map(formatKey).join(', ')}; ` +
        'the row is skipped until that session commits. Look for its transaction in information_schema.INNODB_TRX.',
    );
    this.name = 'LockedByOthers';
  }
}

/**
 * Whether other sessions of the database may hold locks on rows. Waiting for such a row with the cluster-wide lock in hand stops all
 * firing; checking first costs a statement. So a node waits for the first one until the database gives up, and from then on checks; so do
 * the nodes that waited for the cluster-wide lock meanwhile.
 */
export class LockedRows {
  readonly #clock: Clock;
  #until = Number.NEGATIVE_INFINITY;
  #passedOver = 0;
  #reported: ReadonlySet<string> = new Set();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get areSuspected(): boolean {
    return this.#clock.monotonic() < this.#until;
  }

  /** How often a locked row was passed over: when it grows, the store must be searched again for due triggers. */
  get passedOver(): number {
    return this.#passedOver;
  }

  /** To be called after a wait as long as one for a locked row. */
  suspect(): void {
    this.#suspectFor(FIRST_SUSPECTED_MS);
  }

  /** Whether to report a locked row: each once, and not all if they are many. */
  shouldReport(key: TriggerKey): boolean {
    const text = keyText(key);
    if (this.#reported.has(text) || this.#reported.size >= MAX_REPORTED) return false;
    this.#reported = new Set([...this.#reported, text]);
    return true;
  }

  skip(): void {
    this.#suspectFor(SUSPECTED_MS);
    this.#passedOver++;
  }

  #suspectFor(durationMs: number): void {
    if (!this.areSuspected) this.#reported = new Set();
    this.#until = Math.max(this.#until, this.#clock.monotonic() + durationMs);
  }
}

/** How long a rejected trigger is not tried again, by the monotonic clock. */
const REJECTED_MS = 60_000;

/**
 * Triggers that the database refuses to change, even each by itself. For a minute they are passed over, so that they cost the
 * others nothing, and then tried again: they stay as they are stored, for other nodes too.
 */
export class RejectedTriggers {
  readonly #clock: Clock;
  readonly #until = new Map<string, number>();
  readonly #pendingReleases = new Map<string, AcquiredTrigger>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Passes the trigger over from now on. */
  add(key: TriggerKey): void {
    const now = this.#clock.monotonic();
    for (const [text, until] of this.#until) if (until <= now) this.#until.delete(text);
    this.#until.set(keyText(key), now + REJECTED_MS);
  }

  /** Whether the trigger is to be passed over. */
  has(key: TriggerKey): boolean {
    if (this.#until.size === 0) return false;
    const until = this.#until.get(keyText(key));
    return until !== undefined && until > this.#clock.monotonic();
  }

  /** Keeps a reservation that could not be released, to be released later. */
  addPendingRelease(acquired: AcquiredTrigger): void {
    this.#pendingReleases.set(acquired.runId, acquired);
  }

  /** Whether the reservation is still to be released. */
  isPendingRelease(runId: string): boolean {
    return this.#pendingReleases.has(runId);
  }

  /** The reservations to release now; those of triggers that are passed over stay. Whoever takes them releases them, or adds them again. */
  takePendingReleases(): readonly AcquiredTrigger[] {
    const taken = [...this.#pendingReleases.values()].filter(({ trigger }) => !this.has(trigger.key));
    for (const { runId } of taken) this.#pendingReleases.delete(runId);
    return taken;
  }
}
