import { LoopService, type Service } from '../base/service';
import { sleepFor } from '../base/sleep';
import { yieldToEventLoop } from '../base/yield-to-event-loop';
import type { NodeContext } from './node-hooks';

/** Delay before a failed wait is repeated, in milliseconds. Until then, the node polls as often as without rings. */
const RETRY_DELAY_MS = 5_000;

/**
 * Delay between a ring and the poll that follows it, in milliseconds. The ring may precede the commit. After an acquisition, a poll finds the late
 * triggers that its scan left out.
 */
const POLL_DELAY_MS = 5;

/** `changes`: rings of other nodes, and changes without rings, for which the store polls. */
export type Heard = 'nothing' | 'rings' | 'changes';

/** Waits for rings of other nodes, one wait after the other. Reports no errors, because polling replaces the rings. */
export class RingWatch implements Service {
  readonly name = 'ring watch';
  readonly #context: Pick<NodeContext, 'store' | 'clock' | 'identity' | 'hooks'>;
  readonly #poll: () => void;
  readonly #isQuiet: () => boolean;
  readonly #loop: LoopService;
  #hears: Heard = 'nothing';
  #willPoll = false;

  /** `poll`: reads the changes of other nodes immediately. `isQuiet`: returns true if the store may poll instead of the node. */
  constructor(
    context: Pick<NodeContext, 'store' | 'clock' | 'identity' | 'hooks'>,
    poll: () => void,
    isQuiet: () => boolean,
  ) {
    this.#context = context;
    this.#poll = poll;
    this.#isQuiet = isQuiet;
    this.#loop = new LoopService(this.name, (signal) => this.#run(signal));
  }

  /** Changes that reached this node during the last wait. */
  get hears(): Heard {
    return this.#hears;
  }

  start(): Promise<void> {
    return this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #pollLater(signal: AbortSignal): Promise<void> {
    if (this.#willPoll) return;
    this.#willPoll = true;
    await sleepFor(this.#context.clock, POLL_DELAY_MS, signal);
    this.#willPoll = false;
    this.#poll();
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { store, clock, identity, hooks } = this.#context;
    while (!signal.aborted) {
      try {
        const ring = await store.awaitRing(identity(), signal, this.#isQuiet());
        if (ring === null) return;
        this.#hears = ring === 'unchanged' ? 'changes' : 'rings';
        if (ring === 'acquire') hooks.scheduleChanged(null);
        if (ring === 'acquire' || ring === 'poll') void this.#pollLater(signal);
        await yieldToEventLoop(); // sends the message to the main thread before the next wait begins
      } catch {
        if (this.#hears === 'changes') this.#poll();
        this.#hears = 'nothing';
        await sleepFor(clock, RETRY_DELAY_MS, signal);
      }
    }
  }
}
