import { setMaxListeners } from 'node:events';
import type { Clock } from '../base/clock';
import { yieldToEventLoop } from '../base/yield-to-event-loop';
import type { FireResult, TriggerFiring } from '../domain/firing';
import { type RunsPerSlot, RunTimes } from '../domain/slot-sharing';
import type { EventBus } from '../events/event-bus';
import type { WorkerPool } from '../workers/worker-pool';
import type { GroupSlots } from './group-slots';
import { SharedSlots, type SharedSlotsParts, type SlotBatch, type SlotUse } from './shared-slots';

export interface FiringDispatchParts {
  readonly clock: Clock;
  readonly bus: EventBus;
  readonly workers: WorkerPool;
  /** Runs one firing until its completion is queued. Never rejects. */
  readonly execute: (firing: TriggerFiring) => Promise<void>;
  /** Completes a firing so that its job runs later, because `running` occupies its slot of a limit. */
  readonly defer: SharedSlotsParts['defer'];
  /** Checks the lease of the node and drops waiting firings if the lease was lost. Absent if the node has no lease. */
  readonly checkLease?: (() => Promise<void>) | undefined;
  /** Counts the runs of groups with a limit. Null or absent if no group has a limit on this node. */
  readonly slots?: GroupSlots | null;
}

type Run = (firing: TriggerFiring) => Promise<void>;

const NOTHING = () => {};

/** Maximum extra delay of a waiting firing if the wall clock is set back. */
const CLOCK_TOLERANCE_MS = 5;

/**
 * Lateness above which the node checks its lease before it starts a firing, because the process may have been suspended until its lease ended. Below
 * it, no check is needed: when a trigger fires, its node's lease has more than this time left.
 */
const MAX_LATENESS_MS = 100;

/**
 * Passes each firing to a worker, which waits until the fire time. A firing that was stored early to share a
 * transaction thus does not start early. Before a late firing starts, the worker checks the lease.
 */
export class FiringDispatch {
  readonly #parts: FiringDispatchParts;
  readonly #held = new Map<TriggerFiring, Promise<boolean>>();
  /** Worker functions: `due` starts a firing immediately, `held` first waits for the fire time. */
  readonly #work: { readonly due: Run; readonly held: Run };
  readonly #counted: (run: Run) => Run;
  readonly #sharedSlots: SharedSlots;
  readonly #slotUse: SlotUse;
  readonly #runTimes = new RunTimes();
  #dropped = newSignal();
  #leaseCheck: Promise<void> | null = null;

  constructor(parts: FiringDispatchParts) {
    this.#parts = parts;
    const { slots = null } = parts;
    this.#counted = (run) => slots?.counting(run) ?? run;
    this.#work = { due: this.#counted(this.#begin), held: this.#counted(this.#beginWhenDue) };
    this.#sharedSlots = new SharedSlots(parts);
    this.#slotUse = {
      submit: (work, first) => parts.workers.submit(work, first),
      run: this.#beginWhenDue,
      enter: (firing) => slots?.enter(firing) ?? NOTHING,
    };
  }

  /** Number of runs of each job type that may share a slot, according to their latest durations on this node. */
  get runsPerSlot(): RunsPerSlot {
    return this.#runTimes.runsPerSlot();
  }

  publishAcquired(count: number): void {
    const { bus, clock } = this.#parts;
    if (count > 0 && bus.has('triggersAcquired')) bus.publish({ type: 'triggersAcquired', at: clock.now(), count });
  }

  /** Dispatches firings in the given order. Synchronous, because V8 needs several times as long to compile a loop in an async function. */
  dispatch(results: readonly FireResult[]): void {
    let shared: SlotBatch | null = null;
    for (const result of results) {
      if (result.status !== 'fired' || result.firing.slot === undefined) this.#dispatchOne(result);
      else {
        shared ??= this.#sharedSlots.ofBatch(this.#slotUse);
        shared.add(result.firing.slot, result.firing);
      }
    }
  }

  /**
   * Resolves when no firing waits for its turn in a slot. Until then the node fires nothing further: it would hold more firings than it has workers,
   * and more firings of the limit would only be refused. Returns undefined if none waits now.
   */
  whenNoneWaits(): Promise<void> | undefined {
    return this.#sharedSlots.whenNoneWaits();
  }

  /** Drops all firings that wait for their fire time, and returns them. Their jobs do not run. Defers firings that wait for an earlier run. */
  dropHeld(): readonly TriggerFiring[] {
    this.#sharedSlots.deferWaiting();
    const dropped = [...this.#held.keys()];
    this.#dropped.abort();
    this.#dropped = newSignal();
    return dropped;
  }

  /** Resolves when every firing that currently waits for its fire time has started or was dropped. */
  async whenHeldHaveStarted(): Promise<void> {
    if (this.#held.size === 0 && this.#sharedSlots.isIdle) return;
    await this.#sharedSlots.whenNoneWaits();
    await Promise.all(this.#held.values());
    await yieldToEventLoop(); // lets the held firings start first
  }

  #dispatchOne(result: FireResult): void {
    const { bus, clock, workers } = this.#parts;
    if (result.status === 'fired') {
      const lateness = clock.now() - result.firing.fireTime;
      const isDue = lateness >= 0 && lateness <= MAX_LATENESS_MS;
      workers.submit(isDue ? this.#work.due : this.#work.held, result.firing);
    } else if (bus.has('triggerNotFired')) {
      bus.publish({ type: 'triggerNotFired', at: clock.now(), acquired: result.acquired, reason: result.reason });
    }
  }

  readonly #begin = (firing: TriggerFiring): Promise<void> => {
    const { bus, clock, execute } = this.#parts;
    if (bus.has('triggerFired')) bus.publish({ type: 'triggerFired', at: clock.now(), firing });
    const start = clock.monotonic();
    return execute(firing).then(() => this.#runTimes.add(firing.jobDetail.jobType, clock.monotonic() - start));
  };

  /** Occupies a worker while waiting, so that the worker is available at the fire time. */
  readonly #beginWhenDue = async (firing: TriggerFiring): Promise<void> => {
    const wait = this.#whenDue(firing, this.#dropped.signal);
    this.#held.set(firing, wait);
    const isDue = await wait;
    this.#held.delete(firing);
    if (isDue) await this.#begin(firing);
  };

  /** Resolves to true at the fire time, or to false as soon as the firing is dropped. If the firing is late, first checks the lease. */
  async #whenDue({ fireTime }: TriggerFiring, dropped: AbortSignal): Promise<boolean> {
    const { clock } = this.#parts;
    const latest = clock.monotonic() + (fireTime - clock.now()) + CLOCK_TOLERANCE_MS;
    const left = () => Math.min(fireTime - clock.now(), latest - clock.monotonic());
    while (left() > 0 && !dropped.aborted) await clock.sleepUntil(clock.now() + Math.ceil(left()), dropped);
    if (left() < -MAX_LATENESS_MS && !dropped.aborted) await this.#checkLease();
    return !dropped.aborted;
  }

  /** Checks the lease. Firings that wake at the same time share one check. */
  #checkLease(): Promise<void> {
    const { checkLease = async () => undefined } = this.#parts;
    this.#leaseCheck ??= checkLease()
      .catch(() => undefined)
      .finally(() => {
        this.#leaseCheck = null;
      });
    return this.#leaseCheck;
  }
}

/** Returns a controller whose signal has no limit on listeners, because each held firing adds a listener. */
function newSignal(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
