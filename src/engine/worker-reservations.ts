import type { FireNow } from '../store/job-store';
import type { WorkerPool } from '../workers/worker-pool';

interface OpenOffer {
  readonly ended: Promise<void>;
  readonly end: () => void;
}

/** Who may fill the free workers: the trigger loop, and changes of the schedule to which it offers some, each until its offer ends. */
export class WorkerReservations {
  readonly #open = new Map<FireNow, OpenOffer>();
  readonly #workers: Pick<WorkerPool, 'size' | 'running'>;
  #offered = 0;
  #kept = 0;

  constructor(workers: Pick<WorkerPool, 'size' | 'running'>) {
    this.#workers = workers;
  }

  /** Workers that nothing runs on and nobody was offered. */
  get free(): number {
    return this.#workers.size - this.#workers.running - this.#offered;
  }

  /** Those that may be offered. One at least is left to the loop, which would otherwise wait for one and find it gone. */
  get spare(): number {
    return this.free - Math.max(this.#kept, 1);
  }

  /** The loop's present turn may fill so many yet. */
  keep(count: number): void {
    this.#kept = count;
  }

  begin(offer: FireNow): void {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#open.set(offer, { ended, end });
    this.#offered += offer.maxCount;
  }

  /** An offer ends once. */
  end(offer: FireNow): void {
    const open = this.#open.get(offer);
    if (open === undefined) return;
    this.#open.delete(offer);
    this.#offered -= offer.maxCount;
    open.end();
  }

  /** Resolves when one more has ended; at once when none is open. */
  async whenOneEnds(): Promise<void> {
    if (this.#open.size > 0) await Promise.race(this.#ends());
  }

  /** Resolves when all that are open now have ended: others may begin without end. */
  async whenTheseEnd(): Promise<void> {
    await Promise.all(this.#ends());
  }

  #ends(): readonly Promise<void>[] {
    return [...this.#open.values()].map(({ ended }) => ended);
  }
}
