import { setMaxListeners } from 'node:events';
import type { Clock } from '../base/clock';
import { yieldToEventLoop } from '../base/yield-to-event-loop';
import type { TriggerFiring } from '../domain/firing';

export interface HeldFiringsParts {
  readonly clock: Clock;
  /** Resolves when the node has looked at its lease, and told if that was lost; absent: nobody can take a firing over. */
  readonly lookAtLease?: (() => Promise<void>) | undefined;
}

/** A clock that was set back holds nothing up for longer than this. Milliseconds. */
const TOLERANCE = 5;

/**
 * Who wakes later than this may have been stopped for longer than its lease lasts, and nothing has told so yet. No lease ends as soon as
 * this after something was fired. Milliseconds.
 */
const LATE = 100;

/**
 * What was fired ahead of its time, so that it could share a transaction, waits in this node for its own instant: nothing begins early.
 * And what comes late, because the process stood still meanwhile, begins only if it is this node's still.
 */
export class HeldFirings {
  readonly #parts: HeldFiringsParts;
  readonly #waits = new Map<TriggerFiring, Promise<boolean>>();
  #look: Promise<void> | null = null;
  #dropped = newSignal();

  constructor(parts: HeldFiringsParts) {
    this.#parts = parts;
  }

  /** Whether the firing has nothing to wait for. */
  isDue({ fireTime }: TriggerFiring): boolean {
    const late = this.#parts.clock.now() - fireTime;
    return late >= 0 && late <= LATE;
  }

  /** Resolves at the time of the firing, when it is certain to be this node's: true; or as soon as it is dropped: false. */
  async untilDue(firing: TriggerFiring): Promise<boolean> {
    const wait = this.#wait(firing, this.#dropped.signal);
    this.#waits.set(firing, wait);
    const isDue = await wait;
    this.#waits.delete(firing);
    return isDue;
  }

  /** None of those that are held now will begin; returns them. */
  drop(): readonly TriggerFiring[] {
    const dropped = [...this.#waits.keys()];
    this.#dropped.abort();
    this.#dropped = newSignal();
    return dropped;
  }

  /** Resolves when nothing of what is held now is held any more; more may come without end. */
  async whenTheseEnd(): Promise<void> {
    if (this.#waits.size === 0) return;
    await Promise.all(this.#waits.values());
    await yieldToEventLoop(); // those who wait come first
  }

  async #wait({ fireTime: time }: TriggerFiring, dropped: AbortSignal): Promise<boolean> {
    const { clock } = this.#parts;
    const latest = clock.monotonic() + (time - clock.now()) + TOLERANCE;
    const left = () => Math.min(time - clock.now(), latest - clock.monotonic());
    while (left() > 0 && !dropped.aborted) await clock.sleepUntil(clock.now() + Math.ceil(left()), dropped);
    if (left() < -LATE && !dropped.aborted) await this.#lookAtLease();
    return !dropped.aborted;
  }

  /** One look for all that wake together. */
  #lookAtLease(): Promise<void> {
    const { lookAtLease = async () => undefined } = this.#parts;
    this.#look ??= lookAtLease()
      .catch(() => undefined)
      .finally(() => {
        this.#look = null;
      });
    return this.#look;
  }
}

/** One listener for each firing that is held. */
function newSignal(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
