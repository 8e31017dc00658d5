import type { Clock } from '../../../base/clock';
import type { AcquiredTrigger } from '../../../domain/firing';
import { keyText, type TriggerKey } from '../../../domain/keys';

/** How long the database is not asked again. Milliseconds of monotonic time. */
const PATIENCE = 60_000;

/**
 * Triggers that the database refuses to change, even each by itself. For a minute they are passed over, so that they cost the
 * others nothing, and then tried again: they stay as they are stored, for other nodes too.
 */
export class RejectedTriggers {
  readonly #clock: Clock;
  readonly #until = new Map<string, number>();
  readonly #owed = new Map<string, { readonly acquired: AcquiredTrigger; readonly from: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Passes the trigger over from now on. */
  add(key: TriggerKey): void {
    const now = this.#clock.monotonic();
    for (const [text, until] of this.#until) if (until <= now) this.#until.delete(text);
    this.#until.set(keyText(key), now + PATIENCE);
  }

  /** Whether the trigger is to be passed over. */
  has(key: TriggerKey): boolean {
    if (this.#until.size === 0) return false;
    const until = this.#until.get(keyText(key));
    return until !== undefined && until > this.#clock.monotonic();
  }

  /** Keeps a reservation that could not be given back; `refused`: its row is at fault, so there is no hurry. */
  addPendingRelease(acquired: AcquiredTrigger, refused: boolean): void {
    const from = this.#clock.monotonic() + (refused ? PATIENCE : 0);
    this.#owed.set(acquired.fireInstanceId, { acquired, from });
  }

  /** Whether it is one that will be given back. */
  owes(fireInstanceId: string): boolean {
    return this.#owed.has(fireInstanceId);
  }

  /** The reservations that it is time to give back; whoever takes them does that, or keeps them again. */
  takePendingReleases(): readonly AcquiredTrigger[] {
    if (this.#owed.size === 0) return [];
    const now = this.#clock.monotonic();
    const due = [...this.#owed.values()].filter(({ from }) => from <= now).map(({ acquired }) => acquired);
    for (const { fireInstanceId } of due) this.#owed.delete(fireInstanceId);
    return due;
  }
}
