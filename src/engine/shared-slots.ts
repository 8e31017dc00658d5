import type { Clock } from '../base/clock';
import { sleepFor } from '../base/sleep';
import type { TriggerFiring } from '../domain/firing';

type Run = (firing: TriggerFiring) => Promise<void>;

export interface SharedSlotsParts {
  readonly clock: Clock;
  /** Completes a firing so that its job runs later, because `running` occupies its slot. */
  readonly defer: (firing: TriggerFiring, running: TriggerFiring) => void;
}

interface Waiting {
  readonly firing: TriggerFiring;
  readonly continue: (isItsTurn: boolean) => void;
}

/** Time after which the firings that still wait in a slot are deferred, in milliseconds. Several times the expected time of all runs of a slot. */
const MAX_WAIT_MS = 50;

/** Runs firings that share slots of limits: those of one slot one after another, in the order of the calls. */
export class SharedSlots {
  readonly #parts: SharedSlotsParts;
  readonly #slots = new Set<SharedSlot>();

  constructor(parts: SharedSlotsParts) {
    this.#parts = parts;
  }

  get isIdle(): boolean {
    return this.#slots.size === 0;
  }

  /** Returns a function that runs the firings of one batch. */
  ofBatch(run: Run): Run {
    const slots = new Map<number, SharedSlot>();
    return async (firing) => {
      const number = firing.slot ?? -1;
      const slot = slots.get(number) ?? this.#open();
      slots.set(number, slot);
      const turn = slot.enter(firing);
      if (turn === true || (await turn)) await run(firing).finally(() => slot.leave());
      if (slot.isEmpty) this.#slots.delete(slot);
    };
  }

  /** Resolves when every firing that currently waits has its turn or was deferred. */
  async whenNoneWaits(): Promise<void> {
    await Promise.all([...this.#slots].map((slot) => slot.lastTurn));
  }

  /** Defers all firings that wait for an earlier run of their slot. */
  deferWaiting(): void {
    for (const slot of this.#slots) slot.deferWaiting();
  }

  #open(): SharedSlot {
    const slot = new SharedSlot(this.#parts);
    this.#slots.add(slot);
    return slot;
  }
}

class SharedSlot {
  readonly #parts: SharedSlotsParts;
  readonly #waiting: Waiting[] = [];
  readonly #emptied = new AbortController();
  #running: TriggerFiring | null = null;
  /** Resolves when the last waiting firing has its turn or was deferred. */
  lastTurn: Promise<unknown> = Promise.resolve();

  constructor(parts: SharedSlotsParts) {
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    return this.#running === null;
  }

  /** Resolves to true when all earlier firings of the slot have ended, or to false once the firing was deferred. */
  enter(firing: TriggerFiring): true | Promise<boolean> {
    if (this.#running === null) {
      this.#running = firing;
      return true;
    }
    if (this.#waiting.length === 0) void this.#deferLate();
    const turn = new Promise<boolean>((resolve) => this.#waiting.push({ firing, continue: resolve }));
    this.lastTurn = turn;
    return turn;
  }

  leave(): void {
    const next = this.#waiting.shift();
    this.#running = next?.firing ?? null;
    if (next === undefined) this.#emptied.abort();
    else next.continue(true);
  }

  /** The last waiting firing holds the limit for the whole slot, which it passes to the firing that runs. */
  deferWaiting(): void {
    const running = this.#running;
    if (running === null) return;
    for (const { firing, continue: go } of this.#waiting.splice(0)) {
      this.#parts.defer(firing, running);
      go(false);
    }
  }

  async #deferLate(): Promise<void> {
    await sleepFor(this.#parts.clock, MAX_WAIT_MS, this.#emptied.signal);
    this.deferWaiting();
  }
}
