import type { Clock } from '../base/clock';
import { PendingCount } from '../base/pending-count';
import { sleepFor } from '../base/sleep';
import type { TriggerFiring } from '../domain/firing';

type Run = (firing: TriggerFiring) => Promise<void>;

export interface SharedSlotsParts {
  readonly clock: Clock;
  /** Completes a firing so that its job runs later, because `running` occupies its slot. */
  readonly defer: (firing: TriggerFiring, running: TriggerFiring) => void;
}

/** Functions that run the firings of a batch in slots. */
export interface SlotUse {
  /** Occupies a worker while `work` runs all firings of a slot, of which `first` is the first. */
  readonly submit: (work: Run, first: TriggerFiring) => void;
  readonly run: Run;
  /** Called when a firing enters its slot. Returns a function to call when the firing has ended or was deferred. */
  readonly enter: (firing: TriggerFiring) => () => void;
}

interface Entered {
  readonly firing: TriggerFiring;
  readonly leave: () => void;
}

/** Time after which the firings that still wait in a slot are deferred, in milliseconds. Several times the expected time of all runs of a slot. */
const MAX_WAIT_MS = 50;

/** Runs firings that share slots: those of one slot one after another, in their order. */
export class SharedSlots {
  readonly #parts: SharedSlotsParts;
  readonly #batches = new Set<SlotBatch>();

  constructor(parts: SharedSlotsParts) {
    this.#parts = parts;
  }

  get isIdle(): boolean {
    return this.#batches.size === 0;
  }

  /** Returns the slots of a batch. Its firings must be added at once. */
  ofBatch(use: SlotUse): SlotBatch {
    const batch = new SlotBatch(this.#parts, use, () => this.#batches.delete(batch));
    this.#batches.add(batch);
    return batch;
  }

  /** Resolves when every firing that currently waits has its turn or was deferred. Returns undefined if none waits now. */
  whenNoneWaits(): Promise<void> | undefined {
    const busy = [...this.#batches].filter(({ waiting }) => waiting.count > 0);
    return busy.length === 0
      ? undefined
      : Promise.all(busy.map(({ waiting }) => waiting.whenNone())).then(() => undefined);
  }

  /** Defers all firings that wait for an earlier run of their slot. */
  deferWaiting(): void {
    for (const batch of this.#batches) batch.deferWaiting();
  }
}

/** Slots of one batch. */
export class SlotBatch {
  /** Firings that wait for an earlier run of their slot. */
  readonly waiting = new PendingCount();
  readonly #parts: SharedSlotsParts;
  readonly #use: SlotUse;
  readonly #onEnd: () => void;
  readonly #slots = new Map<number, SharedSlot>();
  readonly #ended = new AbortController();

  constructor(parts: SharedSlotsParts, use: SlotUse, onEnd: () => void) {
    this.#parts = parts;
    this.#use = use;
    this.#onEnd = onEnd;
  }

  add(number: number, firing: TriggerFiring): void {
    const leave = this.#use.enter(firing);
    const open = this.#slots.get(number);
    if (open === undefined) this.#open(number, { firing, leave });
    else this.#wait(open, { firing, leave });
  }

  /** Defers all firings that wait. In a slot of a limit, the last of them holds the limit, and passes it to the firing that runs. */
  deferWaiting(): void {
    for (const { waiting, running } of this.#slots.values()) {
      for (const { firing, leave } of waiting.splice(0)) {
        this.#parts.defer(firing, running);
        leave();
        this.waiting.end();
      }
    }
  }

  #open(number: number, first: Entered): void {
    const slot: SharedSlot = { running: first.firing, waiting: [] };
    this.#slots.set(number, slot);
    this.#use.submit(() => this.#runAll(number, slot, first), first.firing);
  }

  #wait({ waiting }: SharedSlot, each: Entered): void {
    if (this.waiting.count === 0) void this.#deferLate();
    this.waiting.begin();
    waiting.push(each);
  }

  async #runAll(number: number, slot: SharedSlot, first: Entered): Promise<void> {
    const failures: unknown[] = [];
    for (let each: Entered | undefined = first; each !== undefined; each = this.#next(slot)) {
      slot.running = each.firing;
      await this.#use.run(each.firing).catch((error) => failures.push(error));
      each.leave();
    }
    this.#slots.delete(number);
    if (this.#slots.size === 0) this.#end();
    if (failures.length > 0) throw failures[0];
  }

  #next({ waiting }: SharedSlot): Entered | undefined {
    const next = waiting.shift();
    if (next !== undefined) this.waiting.end();
    return next;
  }

  #end(): void {
    this.#ended.abort();
    this.#onEnd();
  }

  async #deferLate(): Promise<void> {
    await sleepFor(this.#parts.clock, MAX_WAIT_MS, this.#ended.signal);
    this.deferWaiting();
  }
}

/** A slot with the firings that wait for the running one. */
interface SharedSlot {
  running: TriggerFiring;
  readonly waiting: Entered[];
}
